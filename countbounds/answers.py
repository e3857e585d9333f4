"""How a command answers: text, JSON, tables, files, one line on stderr, an exit status."""

from __future__ import annotations

import os
import sys

from countbounds.errors import InputError

TYPE_CHECKING = False  # type checkers know the name; importing typing would cost start-up time
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from typing import Any

    from countbounds.certificate import Certificate

HOLDS, REFUTED, WRONG_CALL, OPEN, FAULT, INTERRUPTED = 0, 1, 2, 3, 70, 130


def complain(message: str, status: int) -> int:
    """Say one line on stderr, if anybody listens."""
    if sys.stderr is not None:
        try:
            print(f"countbounds: {' '.join(message.split())}", file=sys.stderr, flush=True)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return status


def refuse(reason: str, options: argparse.Namespace) -> None:
    """Say why there is no result, on stderr and, where text goes there, in --out."""
    complain(reason, REFUTED)
    if options.out is not None and not options.json:
        emit(reason + "\n", options)


def counted(number: int, what: str) -> str:
    """So many of them, in words: 1 cell, 1,200 cells."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def emit(text: str, options: argparse.Namespace) -> None:
    """Print the text, or write it to --out."""
    from countbounds.output import write

    write(text, options.out)


def emit_json(content: dict[str, Any], options: argparse.Namespace) -> None:
    """Print one JSON object, or write it to --out."""
    from countbounds.formats import as_json

    emit(as_json(content), options)


def emit_rows(rows: Iterable[Any], columns: dict[str, str], options: argparse.Namespace) -> None:
    """Print rows in the chosen format, or write them to --out."""
    found = [row.as_dict() for row in rows]
    progress("")
    emit_mappings(found, columns, options)


def emit_mappings(
    rows: list[dict[str, Any]], columns: dict[str, str], options: argparse.Namespace, head: str = ""
) -> None:
    """Print rows as they are, below a head (not in JSON), or write them to --out."""
    from countbounds.formats import as_table

    form = "json" if options.json else getattr(options, "format", "text")
    emit(("" if form == "json" else head) + as_table(rows, columns, form), options)


def save(certificate: Certificate | None, options: argparse.Namespace) -> None:
    """Write the certificate to --certificate, where one was asked for.

    Raises:
        InputError: if there is none for this result.
    """
    path = getattr(options, "certificate", None)
    if path is None:
        return
    if certificate is None:
        raise InputError("There is no certificate for this result; no file was written.")
    from countbounds.certificate import as_text
    from countbounds.output import write

    write(as_text(certificate), path)


def progress(line: str) -> None:
    """Show what is being worked on, on a terminal; an empty line clears it."""
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()
