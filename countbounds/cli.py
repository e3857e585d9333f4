"""The command line: parses, calls, prints. docs/guide.md describes it by example."""

from __future__ import annotations

import os
import sys

from countbounds import __version__
from countbounds.errors import CountboundsError, InputError, Undecided

TYPE_CHECKING = False  # type checkers know the name; importing typing would cost start-up time
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

HOLDS, REFUTED, WRONG_CALL, OPEN, FAULT, INTERRUPTED = 0, 1, 2, 3, 70, 130

_STATUS = {"counts": HOLDS, "fails": REFUTED, "impossible": REFUTED, "undecided": OPEN}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the words after the program's name; by default those of the process.

    Returns:
        the exit status: 0 the claim holds; 1 refuted, rejected or impossible; 2 the call
        is wrong; 3 undecided within the precision limit; 70 a fault of the program;
        130 interrupted.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        if words in (["--version"], ["-V"]):
            from countbounds.output import write

            write(f"countbounds {__version__}\n", None)
            return HOLDS
        return _run(words)
    except InputError as error:
        return _complain(str(error), WRONG_CALL)
    except Undecided as error:
        return _complain(f"Undecided: {error} Try a larger --precision.", OPEN)
    except KeyboardInterrupt:
        return _complain("Interrupted.", INTERRUPTED)
    except Exception as error:
        if os.environ.get("COUNTBOUNDS_TRACEBACK"):
            raise
        kind = "" if isinstance(error, CountboundsError) else f"{type(error).__name__}: "
        message = f"A fault of the program: {kind}{error}"
        return _complain(f"{message} (COUNTBOUNDS_TRACEBACK=1 shows where.)", FAULT)
    finally:
        sys.set_int_max_str_digits(digits)


def _run(words: list[str]) -> int:
    options, unknown = _parser().parse_known_args(words)
    if unknown:
        listed = " ".join(unknown)
        raise InputError(
            f"unrecognized arguments: {listed[:80]} ({options.prog} --help shows the options)"
        )
    if options.out is not None:
        from countbounds.output import require_writable

        require_writable(options.out)
    run: Callable[[argparse.Namespace], int] = options.run
    return run(options)


def _complain(message: str, status: int) -> int:
    """Say one line on stderr, if anybody listens."""
    if sys.stderr is not None:
        try:
            print(f"countbounds: {' '.join(message.split())}", file=sys.stderr, flush=True)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return status


# --- the commands ---------------------------------------------------------------------


def _check(options: argparse.Namespace) -> int:
    from countbounds.checking import check

    result = check(
        options.variant,
        options.length,
        options.dim,
        options.bound,
        construction=options.construction,
        precision=options.precision,
    )
    if result.verdict == "impossible":
        reason = (
            f"{result.variant} counts at d = {result.dim} to L_cap({result.dim}) = "
            f"{result.longest} at most, at any bound; L = {result.length} is impossible."
        )
        _complain(reason, REFUTED)
        if options.out is not None and not options.json:
            _emit(reason + "\n", options)
    if options.json:
        from countbounds.formats import as_json

        _emit(as_json(result.as_dict()), options)
    elif result.verdict != "impossible":
        from countbounds.describe import describe_check

        _emit(describe_check(result), options)
    return _STATUS[result.verdict]


def _cap(options: argparse.Namespace) -> int:
    from countbounds.checking import length_cap

    cap = length_cap(options.dim)
    if options.json:
        from countbounds.formats import as_json

        _emit(as_json({"dim": options.dim, "length_cap": cap}), options)
    else:
        _emit(f"L_cap({options.dim}) = {cap}\n", options)
    return HOLDS


def _table(options: argparse.Namespace) -> int:
    from countbounds.formats import as_table

    form = "json" if options.json else options.format
    if options.number == "1":
        if options.bound:
            raise InputError("Table 1 has no bound; use -B with table 3.")
        from countbounds.tables import TABLE1_COLUMNS, table1

        rows = [
            row.as_dict() for row in table1(options.dim, "latex" if form == "latex" else "text")
        ]
        _emit(as_table(rows, TABLE1_COLUMNS, form), options)
        return HOLDS
    from countbounds.tables import TABLE3_COLUMNS, table3

    found = list(table3(options.bound, options.dim, _progress))
    _progress("")
    _emit(as_table([row.as_dict() for row in found], TABLE3_COLUMNS, form), options)
    if any(row.verdict == "fails" or row.next_guaranteed for row in found):
        return REFUTED
    return OPEN if any(row.verdict == "undecided" for row in found) else HOLDS


def _show(options: argparse.Namespace) -> int:
    from countbounds.closed_forms import show

    formulas = show(options.variant, options.format)
    if options.json:
        from countbounds.formats import as_json

        _emit(as_json({"variant": options.variant, "formulas": formulas}), options)
    else:
        width = max(len(name) for name in formulas)
        lines = (
            f"{name:<{width}} {' ' if name.endswith(('~', 'sim')) else '='} {text}\n"
            for name, text in formulas.items()
        )
        _emit("".join(lines), options)
    return HOLDS


def _overview(options: argparse.Namespace) -> int:
    _emit(
        "countbounds: how large must the weights of an attention layer be to count to L?\n\n"
        "  countbounds check softmax-post-ln -L 1000 -d 16   one layer, on its whole domain\n"
        "  countbounds table 3                               the paper's table, certified\n"
        "  countbounds table 1                               rates and sharp constants\n"
        "  countbounds cap -d 16                             where bare pre-LN ends\n"
        "  countbounds show softmax                          the closed forms\n\n"
        "countbounds COMMAND --help tells more.\n",
        options,
    )
    return HOLDS


def _emit(text: str, options: argparse.Namespace) -> None:
    from countbounds.output import write

    write(text, options.out)


def _progress(line: str) -> None:
    """Show what is being worked on, on a terminal; an empty line clears it."""
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()


# --- parsing --------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    import argparse

    class OneLineParser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            words = (word if len(word) <= 60 else word[:40] + "..." for word in message.split())
            shown = " ".join(words)[:400]
            raise InputError(f"{shown} ({self.prog} --help shows the options)")

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> Any:
        added = commands.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False
        )
        added.set_defaults(run=run, prog=added.prog)
        added.add_argument("--json", action="store_true", help="print one JSON object")
        added.add_argument("--out", metavar="FILE", help="write to a file instead")
        return added

    parser = OneLineParser(
        prog="countbounds",
        description="How large must the weights of an attention layer be to count to L?",
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"countbounds {__version__}")
    parser.set_defaults(run=_overview, out=None, prog="countbounds")
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=OneLineParser)

    check = command("check", _check, "decide whether a construction counts, on every input")
    check.add_argument("variant", metavar="VARIANT", help="for example softmax-post-ln")
    check.add_argument("-L", "--length", type=_integer("length L"), required=True, metavar="L")
    _add_dim(check, required=True)
    check.add_argument("-B", "--bound", metavar="B", help="norm bound, exact: 2.5, 5/2 or 1e6")
    check.add_argument(
        "--construction",
        choices=("published", "derived"),
        help="which construction (by default the variant's own)",
    )
    check.add_argument(
        "--precision",
        type=_integer("precision"),
        default=8192,
        metavar="BITS",
        help="working precision at which a question is called undecided (default 8192)",
    )

    _add_dim(command("cap", _cap, "the largest length of bare pre-LN softmax"), required=True)

    table = command("table", _table, "recompute a table of the paper")
    table.add_argument("number", choices=("1", "3"), help="which table")
    table.add_argument(
        "--format", choices=("text", "markdown", "csv", "json", "latex"), default="text"
    )
    _add_dim(table, required=False)
    table.add_argument(
        "-B", "--bound", metavar="B", action="append", help="norm bound; may be repeated"
    )

    show = command("show", _show, "print the closed forms of a variant")
    show.add_argument("variant", metavar="VARIANT")
    show.add_argument("--format", choices=("text", "latex"), default="text")
    return parser


def _add_dim(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument("-d", "--dim", type=_integer("dimension d"), required=required, metavar="D")


def _integer(what: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        from argparse import ArgumentTypeError

        from countbounds.decimals import parse_exact, shorten

        try:
            value = parse_exact(text, what)
        except InputError:
            value = None
        if value is None or value.denominator != 1:
            raise ArgumentTypeError(
                f"the {what} is an integer such as 1000 or 1e6, not {shorten(text)}"
            )
        return value.numerator

    return read


if __name__ == "__main__":
    sys.exit(main())
