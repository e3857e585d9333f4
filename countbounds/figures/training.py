"""The worst error on the training inputs while `countbounds train` was running."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from countbounds.errors import InputError
from countbounds.figures.registry import Rows
from countbounds.figures.style import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def curves_in(folder: str) -> list[Path]:
    """The files that hold the curves."""
    return sorted(Path(folder).glob("seed-*.csv"))


def data_from(folder: str) -> Rows:
    """The curves of all seeds in a folder that `countbounds train` wrote.

    Raises:
        InputError: if there are none.
    """
    rows: Rows = []
    for path in curves_in(folder):
        try:
            with path.open(encoding="utf-8", newline="") as file:
                rows += [
                    {
                        "seed": path.stem.removeprefix("seed-"),
                        "step": int(row["step"]),
                        "loss": float(row["loss"]),
                        "worst_error": float(row["worst_error"]),
                    }
                    for row in csv.DictReader(file)
                ]
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"The curve {path} is not one that train wrote.") from error
    if not rows:
        raise InputError(
            f"The folder {folder} holds no curves (seed-0.csv, ...); name one that train wrote."
        )
    return rows


def draw_from(rows: Rows) -> Figure:
    """The worst error of each seed against the step."""
    figure = new_figure()
    axes = figure.add_subplot()
    dashes = ("-", "--", ":", "-.")
    for place, seed in enumerate(dict.fromkeys(row["seed"] for row in rows)):
        own = [row for row in rows if row["seed"] == seed]
        axes.plot(
            [row["step"] for row in own],
            [row["worst_error"] for row in own],
            linestyle=dashes[place % len(dashes)],
            color=f"C{place % 10}",
            label=f"seed {seed}",
        )
    axes.axhline(0.5, color="0.4", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xlabel("step")
    axes.set_ylabel("worst error on the training inputs")
    axes.set_title("Training: below 1/2 every training input is rounded correctly")
    axes.legend(frameon=False)
    return figure
