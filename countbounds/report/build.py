"""The report: rows, figures and certificates, collected and written in one step."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

from countbounds import __version__
from countbounds.certificate import as_text
from countbounds.errors import CountboundsError
from countbounds.extras import load
from countbounds.formats import in_words
from countbounds.kernel import RejectedError, verify_file
from countbounds.report.folder import CERTIFICATES, MARKER, PAGE, new_folder, require_folder
from countbounds.tables import (
    BMIN_COLUMNS,
    TABLE1_COLUMNS,
    TABLE3_COLUMNS,
    BoundRow,
    table1,
    table3,
    table_bmin,
)

Progress = Callable[[str], None]

TITLE = "Counting with attention: bounds, certified"
ARXIV = "2610.16653"
EXPLORED = {
    "softmax": "no LayerNorm",
    "softmax-post-ln": "bare post-LN",
    "softmax-post-ln-learned": "learned post-LN",
}
_LEFT_OUT = ("rate", "ratio_to_rate", "sharp_constant")
_NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?(\.\.\.)?|inf|-")
_DIGITS = 12


@dataclass(frozen=True)
class Column:
    """A column of a table on the page."""

    heading: str
    numeric: bool


@dataclass(frozen=True)
class Report:
    """What was written.

    Attributes:
        folder: where.
        certificates: how many certificates, each verified from its file.
        figures: the figures on the page.
    """

    folder: str
    certificates: int
    figures: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "folder": self.folder,
            "page": PAGE,
            "certificates": self.certificates,
            "figures": list(self.figures),
        }


def build(
    out: str,
    *,
    bounds: Sequence[str | int | float | Fraction] | None = None,
    variants: Sequence[str] | None = None,
    lengths: Sequence[int] | None = None,
    dims: Sequence[int] | None = None,
    figures: Sequence[str] | None = None,
    progress: Progress = lambda line: None,
) -> Report:
    """Write the page and its certificates into a folder, which is whole or not there.

    Args:
        out: the folder: new, empty, or one that a report was written to.
        bounds: of Table 3; by default the paper's.
        variants: of the table of B_min; by default all.
        lengths: of the table of B_min; by default 10, 100, 1000.
        dims: of the table of B_min; by default the paper's 16.
        figures: by default all that need no training.
        progress: is told what is being worked on.

    Raises:
        InputError: if the folder may not be written, an argument is out of range, or Jinja2
            or matplotlib is missing.
    """
    target = require_folder(out)
    template = _template()
    from countbounds.figures.registry import FIGURES
    from countbounds.report.pictures import picture

    drawn = (
        [name for name, entry in FIGURES.items() if entry.computed] if figures is None else figures
    )
    with new_folder(target) as folder:
        found = list(table_bmin(variants, lengths, dims, _DIGITS, progress))
        brackets = _brackets(found, folder, progress)
        third = _table([row.as_dict() for row in table3(bounds, progress=progress)], TABLE3_COLUMNS)
        progress("Table 1")
        first = _table([row.as_dict() for row in table1()], TABLE1_COLUMNS)
        pictures = [picture(name, _after(progress, name)) for name in drawn]
        page: str = template.render(
            title=TITLE,
            generator="countbounds report",
            arxiv=ARXIV,
            version=__version__,
            explored=list(EXPLORED.items()),
            brackets=brackets,
            table3=third,
            table1=first,
            figures=pictures,
        )
        assert MARKER in page
        (folder / PAGE).write_text(page, encoding="utf-8", newline="\n")
    certificates = sum(row["certificate"] is not None for row in brackets["rows"])
    return Report(out, certificates, tuple(drawn))


def _after(progress: Progress, name: str) -> Progress:
    return lambda line: progress(f"figure {name}: {line}")


def _template() -> Any:
    """The page's template, with style and script in it.

    Raises:
        InputError: if Jinja2 or matplotlib is missing.
    """
    for module in ("matplotlib", "jinja2"):
        load(module, what="A report", package="Jinja2 and matplotlib", extra="report")
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    environment.filters["formula"] = lambda text: Markup(formula(text))
    environment.filters["element"] = Markup
    environment.globals["css"] = Markup(_packaged("report.css"))
    environment.globals["js"] = Markup(_packaged("report.js"))
    return environment.from_string(_packaged("template.html"))


def _packaged(name: str) -> str:
    return files("countbounds.report").joinpath(name).read_text(encoding="utf-8")


def formula(text: str) -> str:
    """A closed form as it is printed on a terminal, in HTML with raised exponents.

    >>> formula("Theta(L**(3/2)/sqrt(d))")
    'Θ(L<sup>3/2</sup>/√(d))'
    """
    from html import escape

    shown = escape(text).replace("Theta(", "Θ(").replace("sqrt(", "√(")
    shown = shown.replace("Max(", "max(").replace(" - ", " &minus; ")
    shown = re.sub(r"\*\*\(([^()]*)\)", r"<sup>\1</sup>", shown)
    shown = re.sub(r"\*\*(\w+)", r"<sup>\1</sup>", shown)
    return shown.replace("<sup>-", "<sup>&minus;").replace("*", "·")


def _table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> dict[str, Any]:
    """Columns, and rows of pairs (column, text)."""
    cells = [[in_words(row[key]) for key in columns] for row in rows]
    shown = [
        Column(heading, all(_NUMBER.fullmatch(line[place]) for line in cells))
        for place, heading in enumerate(columns.values())
    ]
    return {
        "columns": shown,
        "rows": [list(zip(shown, line, strict=True)) for line in cells],
    }


def _brackets(found: Iterable[BoundRow], folder: Path, progress: Progress) -> dict[str, Any]:
    """The table of B_min; writes and verifies the certificates."""
    (folder / CERTIFICATES).mkdir()
    rows = list(found)
    columns = {key: text for key, text in BMIN_COLUMNS.items() if key not in _LEFT_OUT}
    table = _table([row.as_dict() for row in rows], columns)
    table["rows"] = [
        {
            "cells": cells,
            "certificate": _certified(row, folder, progress),
            "named": f"{row.result.variant}, L = {row.result.length}, d = {row.result.dim}",
        }
        for row, cells in zip(rows, table["rows"], strict=True)
    ]
    return table


def _certified(row: BoundRow, folder: Path, progress: Progress) -> str | None:
    """Write a row's certificate, verify it from its file, and return where it is."""
    result = row.result
    if result.certificate is None:
        return None
    name = f"{result.variant}-L{result.length}-d{result.dim}.json"
    progress(f"certificate {name}")
    path = folder / CERTIFICATES / name
    path.write_text(as_text(result.certificate), encoding="utf-8", newline="\n")
    try:
        verify_file(str(path))
    except RejectedError as error:
        raise CountboundsError(f"The kernel rejects the written {name}: {error}.") from error
    return f"{CERTIFICATES}/{name}"
