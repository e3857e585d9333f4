"""The command line: parses, calls, prints. docs/guide.md describes it by example."""

from __future__ import annotations

import os
import sys

from countbounds import __version__, commands
from countbounds.answers import FAULT, HOLDS, INTERRUPTED, OPEN, WRONG_CALL, complain
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
    flags = ("out", "certificate", "plot", "data")
    outputs = {f"--{name}": getattr(options, name, None) for name in flags}
    written = {flag: path for flag, path in outputs.items() if path is not None}
    if written:
        from countbounds.output import require_writable, same_file

        for flag, path in written.items():
            require_writable(path)
            for source in options.reads(options):
                if same_file(path, source):
                    raise InputError(
                        f"{flag} would overwrite {source}, which is read; name another."
                    )
        if len(written) == 2 and same_file(*written.values()):
            raise InputError(f"{' and '.join(written)} name the same file; give two names.")
    run: Callable[[argparse.Namespace], int] = options.run
    return run(options)


# What --help shows below the options of each command.
_EXAMPLES = {
    "check": (
        "check softmax-post-ln -L 1000 -d 16",
        "check softmax -L 100 -d 16 -B 50 --certificate below.json",
    ),
    "bmin": (
        "bmin softmax-post-ln -L 1000 -d 16 --digits 30",
        "bmin linear -L 1000 -d 16 --exact",
    ),
    "lmax": ("lmax softmax-post-ln -B 100 -d 16",),
    "cap": ("cap -d 16",),
    "table": (
        "table 3 -B 10 -B 1000",
        "table bmin --variant softmax -L 10 -L 1000 -d 16 --format csv --out bmin.csv",
    ),
    "sweep": (
        "sweep --variants all --lengths 10..1e12:60 --dims 3,16,64 --out bmin.jsonl",
        "sweep --variants softmax --lengths 10,100 --dims 16 --out b.csv --certify proofs",
    ),
    "storage": (
        "storage softmax-post-ln -L 1000 -d 16 --readout regression",
        "storage softmax-post-ln -L 1000 -d 16 --readout classification",
    ),
    "show": ("show softmax-post-ln --format latex",),
    "prove": ("prove letters-are-free --verbose", "prove --list"),
    "figure": (
        "figure --list",
        "figure costs --out costs.svg --data costs.csv",
        "figure bounds --from bmin.jsonl -d 3 -d 64 --out bounds.pdf",
    ),
    "report": ("report --out site",),
    "audit": (
        "audit layer.safetensors -L 100",
        "audit layer.pt -L 100 --config layer.toml --plot error.svg",
    ),
    "train": ("train softmax-post-ln -L 100 -d 16 -B 100 --seeds 5",),
    "verify": ("verify below.json",),
}


def _nothing(options: argparse.Namespace) -> list[str]:
    """The files that a command reads: none."""
    return []


def _source(options: argparse.Namespace) -> list[str]:
    """The files behind --from."""
    if options.source is None:
        return []
    if not os.path.isdir(options.source):
        return [options.source]
    from countbounds.figures.training import curves_in

    return [str(path) for path in curves_in(options.source)]


# --- parsing --------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    import argparse

    class OneLineParser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            words = (word if len(word) <= 60 else word[:40] + "..." for word in message.split())
            shown = " ".join(words)[:400]
            raise InputError(f"{shown} ({self.prog} --help shows the options)")

    def command(
        name: str, run: Callable[[argparse.Namespace], int], text: str, *, out: bool = True
    ) -> Any:
        added = added_to.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            epilog="\n  countbounds ".join(["examples:", *_EXAMPLES.get(name, ())]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        added.set_defaults(run=run, prog=added.prog, certificate=None, plot=None, reads=_nothing)
        added.add_argument("--json", action="store_true", help="print one JSON object")
        if out:
            added.add_argument("--out", metavar="FILE", help="write to a file instead")
        return added

    parser = OneLineParser(
        prog="countbounds",
        description="How large must the weights of an attention layer be to count to L?",
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"countbounds {__version__}")
    _add_completion(parser)
    parser.set_defaults(
        run=commands.overview,
        out=None,
        certificate=None,
        plot=None,
        reads=_nothing,
        prog="countbounds",
    )
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
        "--readout",
        choices=("regression", "classification"),
        default="regression",
        help="a number that is rounded (default), or a class for each count",
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
    about(table, "digits")
    _add_table(table)

    storage = command("storage", commands.storage, "count the bits that a read-out takes to store")
    about(storage, "variant", "length", "dim")
    _add_storage(storage)

    show = command("show", commands.show, "print the closed forms of a variant")
    about(show, "variant")
    show.add_argument("--format", choices=("text", "latex"), default="text")

    _add_proving(
        command("prove", commands.prove, "run the proofs of the theorems, for all L and d")
    )

    _add_sweep(command("sweep", commands.sweep, "bracket the smallest bound on a grid", out=False))

    _add_figure(command("figure", commands.figure, "draw a figure, or write the data behind it"))

    _add_report(
        command(
            "report",
            commands.report,
            "write one page with tables, certified brackets and figures",
            out=False,
        )
    )

    audit = command("audit", commands.audit, "decide how far a trained layer really counts")
    about(audit, "length")
    _add_audit(audit)

    train = command("train", commands.train, "train layers, and decide them", out=False)
    about(train, "variant", "length", "dim")
    _add_training(train)

    verify = command("verify", commands.verify, "let the kernel check certificates")
    verify.add_argument("files", nargs="+", metavar="FILE")
    verify.set_defaults(reads=lambda options: options.files)
    return parser


def _add_completion(parser: argparse.ArgumentParser) -> None:
    """Add the option that prints a script by which a shell completes the command line."""
    from argparse import Action

    class Print(Action):
        def __call__(self, parser: argparse.ArgumentParser, *given: Any) -> NoReturn:
            from countbounds.completion import script
            from countbounds.output import write

            _, shell, _ = given
            write(script(parser, shell), None)
            parser.exit()

    parser.add_argument(
        "--print-completion",
        action=Print,
        choices=("bash", "zsh", "tcsh"),
        help="print a script that completes commands, options and files in this shell",
    )


def _add_table(parser: argparse.ArgumentParser) -> None:
    """Add the options of a table."""
    parser.add_argument("number", choices=("1", "2", "3", "bmin", "storage"), help="which table")
    parser.add_argument(
        "--format", choices=("text", "markdown", "csv", "json", "latex"), default="text"
    )
    for flags, what in ((("-d", "--dim"), "dimension d"), (("-L", "--length"), "length L")):
        parser.add_argument(
            *flags, type=_integer(what), action="append", metavar=flags[0][1].upper(), help=what
        )
    parser.add_argument("-B", "--bound", metavar="B", action="append", help="norm bound (table 3)")
    parser.add_argument(
        "--variant", metavar="NAME", action="append", help="variant (tables bmin and storage)"
    )
    parser.add_argument(
        "--from", dest="source", metavar="FILE", help="take the rows from a sweep (table bmin)"
    )
    parser.set_defaults(digits=None, reads=_source)


def _add_sweep(parser: argparse.ArgumentParser) -> None:
    """Add the options of a sweep."""
    parser.epilog = f"""\
A journal beside the output keeps what is finished: interrupted, the same command goes on from
there. Exit status: 0 every cell has its bracket, 2 the call is wrong, 3 some cells failed
or the work ended early, 130 interrupted.

{parser.epilog}"""
    parser.add_argument(
        "--variants", required=True, metavar="NAMES", help="with commas between them, or all"
    )
    for name, what in (("lengths", "L"), ("dims", "d")):
        parser.add_argument(
            f"--{name}",
            required=True,
            metavar="LIST",
            help=f"values of {what}: 10,1e6 or 10..1e12:60 (60 of them, spaced geometrically)",
        )
    parser.add_argument(
        "--digits",
        type=_integer("number of digits"),
        default=12,
        metavar="K",
        help="relative width 10^-K of each bracket, up to 1000 (default 12)",
    )
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="the result: .jsonl, .csv or .parquet"
    )
    parser.add_argument(
        "--jobs",
        type=_integer("number of jobs"),
        metavar="N",
        help="processes (default: one for each core)",
    )
    parser.add_argument("--dask", metavar="ADDRESS", help="compute by this Dask scheduler instead")
    parser.add_argument(
        "--certify", metavar="FOLDER", help="store and verify the certificate of each cell"
    )


def _add_storage(parser: argparse.ArgumentParser) -> None:
    """Add the options of the storage of a read-out."""
    parser.add_argument(
        "--readout",
        choices=("regression", "classification"),
        required=True,
        help="a number that is rounded, or a class for each count",
    )
    parser.add_argument(
        "-B", "--bound", metavar="B", help="norm bound, exact (default: that of check, or 1)"
    )


def _add_proving(parser: argparse.ArgumentParser) -> None:
    """Add the options of a run of the proofs."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="theorems (default: all)")
    parser.add_argument("--list", action="store_true", help="say which theorems there are")
    parser.add_argument("--axioms", action="store_true", help="say what the proofs rest on")
    parser.add_argument("--verbose", action="store_true", help="show every step")
    parser.add_argument("--record", metavar="FILE", help="save statements, steps and versions")
    parser.add_argument("--jobs", type=_integer("number of jobs"), metavar="N", help="processes")


def _add_figure(parser: argparse.ArgumentParser) -> None:
    """Add the options of a figure."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="which figure (default: list them)")
    parser.add_argument("--list", action="store_true", help="say which figures there are")
    parser.add_argument("--data", metavar="FILE", help="write the data as CSV")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="FILE",
        help="draw the result of a `sweep` (bounds), or of a `train`, its folder (training)",
    )
    parser.add_argument(
        "-d",
        "--dim",
        type=_integer("dimension d"),
        action="append",
        metavar="D",
        help="dimension of the sweep to draw, up to 4 times (default: all, or 4 spread over them)",
    )
    parser.set_defaults(reads=_source)


def _add_report(parser: argparse.ArgumentParser) -> None:
    """Add the options of a report."""
    parser.add_argument(
        "--out", dest="folder", metavar="FOLDER", required=True, help="new, empty or a report's"
    )


def _add_audit(parser: argparse.ArgumentParser) -> None:
    """Add the options of an audit."""
    parser.epilog = f"""\
The file holds one attention layer with one head, without positional encodings, read at
the boundary token (by default row 0 of the embedding; row 1 is what is counted, all others
are fillers). docs/audit.md describes the config. Exit status: 0 it counts, 1 it fails,
2 not understood, 3 undecided.

{parser.epilog}"""
    parser.set_defaults(
        reads=lambda options: [path for path in (options.file, options.config) if path is not None]
    )
    parser.add_argument("file", metavar="FILE", help="a .safetensors, .npz or .pt checkpoint")
    parser.add_argument("--config", metavar="FILE", help="TOML or JSON: what is what in the file")
    parser.add_argument("--plot", metavar="FILE", help="draw the error over n (.svg, .pdf, .png)")
    parser.add_argument(
        "--precision",
        type=_integer("precision"),
        metavar="BITS",
        help="working precision at which a question is called undecided",
    )


def _add_training(parser: argparse.ArgumentParser) -> None:
    """Add the options of a training."""
    parser.add_argument("-B", "--bound", metavar="B", help="cap on every norm (default: none)")
    parser.add_argument(
        "--seeds", default="3", metavar="N", help='how many, or a list such as "0,5-7" (default 3)'
    )
    parser.add_argument("--optimizer", choices=("lbfgs", "adam"), default="lbfgs")
    parser.add_argument(
        "--loss", choices=("worst", "mse"), help="default: worst for lbfgs, mse for adam"
    )
    parser.add_argument(
        "--steps",
        type=_integer("number of steps"),
        metavar="K",
        help="at most so many (default: 16000 for lbfgs, 50000 for adam)",
    )
    parser.add_argument(
        "--batch",
        type=_integer("batch size"),
        metavar="N",
        help="training inputs for each step of adam (default: all)",
    )
    parser.add_argument(
        "--lr", metavar="RATE", help="learning rate (default: 1 for lbfgs, 0.01 for adam)"
    )
    parser.add_argument(
        "--out", dest="folder", metavar="FOLDER", help="where checkpoints, curves and states go"
    )


def _integer(what: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        from argparse import ArgumentTypeError

        from countbounds.decimals import parse_integer, shorten

        value = parse_integer(text)
        if value is None:
            raise ArgumentTypeError(
                f"the {what} is an integer such as 1000 or 1e6, not {shorten(text)}"
            )
        return value

    return read


if __name__ == "__main__":
    sys.exit(main())
