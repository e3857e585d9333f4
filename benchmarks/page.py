"""The page docs/benchmarks.md: what is measured, the tables of one run, and two growth plots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from countbounds.figures.style import line_of, new_figure, save

DOCS = Path(__file__).parent.parent / "docs"
Rows = list[dict[str, str]]


def write_page(run: str, tables: Mapping[str, tuple[str, Rows, str]]) -> None:
    """Write the page and its pictures.

    Args:
        run: what the run was made with, in a sentence.
        tables: for each section its title, its rows, and the rows as a Markdown table.
    """
    intro = (Path(__file__).parent / "README.md").read_text(encoding="utf-8").rstrip()
    parts = [intro, "", "## One run", "", run]
    for name, (title, rows, table) in tables.items():
        parts += ["", f"### {title}", "", table.rstrip()]
        if name == "growth":
            _plot(rows, "variant", "growth")
            parts += ["", "![Time of the check against L](pictures/growth.svg)"]
        if name == "lengths":
            _plot(rows, "fillers", "audit-growth")
            parts += ["", "![Time of an audit's check against L](pictures/audit-growth.svg)"]
    (DOCS / "benchmarks.md").write_text("\n".join(parts) + "\n", encoding="utf-8")


def _plot(rows: Rows, key: str, name: str) -> None:
    figure = new_figure(6.5, 3.6)
    axes = figure.add_subplot()
    for place, label in enumerate(_distinct(row[key] for row in rows)):
        own = [row for row in rows if row[key] == label]
        style: dict[str, Any] = {
            "label": label,
            "color": f"C{place}",
            "linestyle": ("-", "--", ":")[place % 3],
        }
        if key == "variant" and label != "letters":
            style = line_of(label)
        axes.plot(
            [float(row["length"].replace("10^", "1e")) for row in own],
            [float(row["check_ms"].replace(",", "")) for row in own],
            marker=".",
            **style,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("L")
    axes.set_ylabel("ms")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, title="" if key == "variant" else key)
    (DOCS / "pictures").mkdir(exist_ok=True)
    save(figure, str(DOCS / "pictures" / f"{name}.svg"))


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
