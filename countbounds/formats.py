"""Rows printed as text, Markdown, CSV, JSON or LaTeX."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal

FORMATS = ("text", "markdown", "csv", "json", "latex")

_NUMERIC = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+|/[0-9]+)?")

Rows = Sequence[Mapping[str, Any]]


def as_json(content: Mapping[str, Any]) -> str:
    """One JSON object with the schema's number."""
    return json.dumps({"schema": 1, **content}, indent=2) + "\n"


def as_table(rows: Rows, columns: Mapping[str, str], form: str) -> str:
    """The rows in one of `FORMATS`.

    Args:
        rows: one mapping for each row.
        columns: key -> heading, in the order of the columns; JSON prints every key.
        form: the format.
    """
    if form == "json":
        return as_json({"rows": [dict(row) for row in rows]})
    cells = [[in_words(row[key]) for key in columns] for row in rows]
    headings = list(columns.values())
    if form == "csv":
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(list(columns))
        writer.writerows(cells)
        return buffer.getvalue()
    if form == "markdown":
        lines = [headings, ["---"] * len(headings), *cells]
        return "".join(f"| {' | '.join(_escaped(line))} |\n" for line in lines)
    if form == "latex":
        return _latex(headings, cells)
    return _text_table(headings, cells)


def in_words(value: Any) -> str:
    """A value as a cell shows it.

    >>> in_words(None), in_words(True), in_words(12)
    ('-', 'yes', '12')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _escaped(line: Sequence[str]) -> list[str]:
    return [cell.replace("|", r"\|").replace("*", r"\*").replace("_", r"\_") for cell in line]


def _latex(headings: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    special = {
        "\\": r"\textbackslash{}", "_": r"\_", "^": r"\^{}", "#": r"\#", "%": r"\%",
        "&": r"\&", "$": r"\$", "{": r"\{", "}": r"\}", "~": r"$\sim$", "<": "$<$", ">": "$>$",
    }  # fmt: skip
    lines = [f"\\begin{{tabular}}{{{'l' * len(headings)}}}", r"\hline"]
    for index, line in enumerate([headings, *cells]):
        plain = (
            # A cell between dollar signs is a formula already.
            cell
            if len(cell) > 2 and cell[0] == cell[-1] == "$"
            else "".join(special.get(letter, letter) for letter in cell)
            for cell in line
        )
        lines.append(" & ".join(plain) + r" \\")
        if index == 0:
            lines.append(r"\hline")
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"


def _text_table(headings: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    from rich.box import Box
    from rich.console import Console
    from rich.table import Table

    numeric = [
        all(line[column] == "-" or _NUMERIC.fullmatch(line[column]) for line in cells)
        for column in range(len(headings))
    ]
    width = _width(headings, cells)
    if sys.stdout is not None and sys.stdout.isatty():
        room = shutil.get_terminal_size().columns
        width = max(min(width, room), 5 * len(headings))
    # One rule below the headings, in characters that every encoding has.
    rule = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
    longest = max(len(line[0]) for line in [headings, *cells])
    table = Table(box=rule, pad_edge=False, show_edge=False)
    for index, (heading, right) in enumerate(zip(headings, numeric, strict=True)):
        side: Literal["left", "right"] = "right" if right else "left"
        table.add_column(
            heading, justify=side, overflow="fold", no_wrap=index == 0 and 3 * longest <= width
        )
    for line in cells:
        table.add_row(*line)
    buffer = io.StringIO()
    console = Console(file=buffer, color_system=None, emoji=False, width=width)
    console.print(table, markup=False)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _width(headings: Sequence[str], cells: Sequence[Sequence[str]]) -> int:
    """Wide enough that no cell is cut: a table that is piped keeps its digits."""
    widest = [max(len(line[i]) for line in [headings, *cells]) for i in range(len(headings))]
    return sum(widest) + 3 * len(widest) + 1
