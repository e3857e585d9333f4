"""The command line: parses, calls, prints. docs/guide.md describes it by example."""

from __future__ import annotations

import os
import sys

from countbounds import __version__, commands
from countbounds.commands import FAULT, HOLDS, INTERRUPTED, OPEN, WRONG_CALL, complain
from countbounds.errors import CountboundsError, InputError, Undecided

TYPE_CHECKING = False  # type checkers know the name; importing typing would cost start-up time
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn


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
        return complain(str(error), WRONG_CALL)
    except Undecided as error:
        return complain(f"Undecided: {error}", OPEN)
    except KeyboardInterrupt:
        return complain("Interrupted.", INTERRUPTED)
    except Exception as error:
        if os.environ.get("COUNTBOUNDS_TRACEBACK"):
            raise
        kind = "" if isinstance(error, CountboundsError) else f"{type(error).__name__}: "
        message = f"A fault of the program: {kind}{error}"
        return complain(f"{message} (COUNTBOUNDS_TRACEBACK=1 shows where.)", FAULT)
    finally:
        sys.set_int_max_str_digits(digits)


def _run(words: list[str]) -> int:
    options, unknown = _parser().parse_known_args(words)
    if unknown:
        listed = " ".join(unknown)
        raise InputError(
            f"unrecognized arguments: {listed[:80]} ({options.prog} --help shows the options)"
        )
    written = [path for path in (options.out, options.certificate) if path is not None]
    if written:
        from countbounds.output import require_writable, same_file

        for path in written:
            require_writable(path)
        if len(written) == 2 and same_file(*written):
            raise InputError("--out and --certificate name the same file; give two names.")
    run: Callable[[argparse.Namespace], int] = options.run
    return run(options)


# --- parsing --------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    import argparse

    class OneLineParser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            words = (word if len(word) <= 60 else word[:40] + "..." for word in message.split())
            shown = " ".join(words)[:400]
            raise InputError(f"{shown} ({self.prog} --help shows the options)")

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> Any:
        added = added_to.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False
        )
        added.set_defaults(run=run, prog=added.prog, certificate=None)
        added.add_argument("--json", action="store_true", help="print one JSON object")
        added.add_argument("--out", metavar="FILE", help="write to a file instead")
        return added

    parser = OneLineParser(
        prog="countbounds",
        description="How large must the weights of an attention layer be to count to L?",
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"countbounds {__version__}")
    parser.set_defaults(run=commands.overview, out=None, certificate=None, prog="countbounds")
    added_to = parser.add_subparsers(metavar="COMMAND", parser_class=OneLineParser)

    def about(parser: argparse.ArgumentParser, *names: str) -> None:
        """Add the options that several commands share."""
        if "variant" in names:
            parser.add_argument("variant", metavar="VARIANT", help="for example softmax-post-ln")
        if "length" in names:
            parser.add_argument(
                "-L", "--length", type=_integer("length L"), required=True, metavar="L"
            )
        if "dim" in names:
            parser.add_argument(
                "-d", "--dim", type=_integer("dimension d"), required=True, metavar="D"
            )
        if "certificate" in names:
            parser.add_argument("--certificate", metavar="FILE", help="write the certificate")
        if "digits" in names:
            parser.add_argument(
                "--digits",
                type=_integer("number of digits"),
                default=12,
                metavar="K",
                help="relative width 10^-K of the bracket, up to 1000 (default 12)",
            )

    check = command("check", commands.check, "decide whether parameters count, on every input")
    about(check, "variant", "length", "dim", "certificate")
    check.add_argument("-B", "--bound", metavar="B", help="norm bound, exact: 2.5, 5/2 or 1e6")
    check.add_argument(
        "--construction",
        choices=("published", "derived", "optimal"),
        help="which construction (by default the variant's own)",
    )
    check.add_argument(
        "--precision",
        type=_integer("precision"),
        default=8192,
        metavar="BITS",
        help="working precision at which a question is called undecided (default 8192)",
    )

    bmin = command("bmin", commands.bmin, "bracket the smallest bound of any parameters")
    about(bmin, "variant", "length", "dim", "digits", "certificate")
    bmin.add_argument("--exact", action="store_true", help="for y = n in place of |y - n| < 1/2")

    lmax = command("lmax", commands.lmax, "find the longest length at a norm bound")
    about(lmax, "variant", "dim", "certificate")
    lmax.add_argument("-B", "--bound", required=True, metavar="B", help="norm bound, exact")

    about(
        command("cap", commands.cap, "the longest length of bare pre-LN softmax"),
        "dim",
        "certificate",
    )

    table = command("table", commands.table, "recompute a table")
    table.add_argument("number", choices=("1", "3", "bmin"), help="which table")
    table.add_argument(
        "--format", choices=("text", "markdown", "csv", "json", "latex"), default="text"
    )
    for flags, what in ((("-d", "--dim"), "dimension d"), (("-L", "--length"), "length L")):
        table.add_argument(
            *flags, type=_integer(what), action="append", metavar=flags[0][1].upper(), help=what
        )
    table.add_argument("-B", "--bound", metavar="B", action="append", help="norm bound (table 3)")
    table.add_argument("--variant", metavar="NAME", action="append", help="variant (table bmin)")
    about(table, "digits")
    table.set_defaults(digits=None)

    show = command("show", commands.show, "print the closed forms of a variant")
    about(show, "variant")
    show.add_argument("--format", choices=("text", "latex"), default="text")

    prove = command("prove", commands.prove, "run the proofs of the theorems, for all L and d")
    prove.add_argument("names", nargs="*", metavar="NAME", help="theorems (default: all)")
    prove.add_argument("--list", action="store_true", help="say which theorems there are")
    prove.add_argument("--axioms", action="store_true", help="say what the proofs rest on")
    prove.add_argument("--verbose", action="store_true", help="show every step")
    prove.add_argument("--record", metavar="FILE", help="save statements, steps and versions")
    prove.add_argument("--jobs", type=_integer("number of jobs"), metavar="N", help="processes")

    verify = command("verify", commands.verify, "let the kernel check certificates")
    verify.add_argument("files", nargs="+", metavar="FILE")
    return parser


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
