"""Which figures there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from countbounds.errors import InputError

Rows = list[dict[str, Any]]
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Entry:
    """A figure.

    Attributes:
        shows: what it shows, in words.
        module: where `data_NAME(progress)` and `draw_NAME(rows)` are, below `figures`.
    """

    shows: str
    module: str


FIGURES = {
    "representations": Entry("h(n, 0) of each variant in a plane (Figure 1)", "representations"),
    "bounds": Entry("B_min and its inverse, exact, published and attained (Figure 2d)", "bounds"),
    "errors": Entry("y - n over n at the optimum: equal errors, and the letters", "errors"),
    "cap": Entry("L_cap(d) of bare pre-LN softmax", "bounds"),
    "costs": Entry("norms of regression, gaps of classification (Figure 2a)", "classification"),
    "gaps": Entry("the winning gap of each count (Figure 2c)", "classification"),
    "training": Entry("worst error while training, from a folder of `train`", "training"),
}


def data_of(name: str, progress: Progress, folder: str | None = None) -> Rows:
    """The numbers behind a figure, a dict for each point.

    Args:
        name: one of `FIGURES`.
        progress: is told what is being worked on.
        folder: for "training": the folder that `countbounds train` wrote.

    Raises:
        InputError: if there is no such figure, or the folder is missing or not wanted.
    """
    module = import_module(f"countbounds.figures.{_entry(name).module}")
    if (folder is not None) != (name == "training"):
        raise InputError(
            "The figure training is drawn --from a folder that countbounds train wrote; "
            "no other figure is."
        )
    if folder is not None:
        rows: Rows = module.data_training(folder)
        return rows
    found: Rows = getattr(module, f"data_{name}")(progress)
    return found


def draw(name: str, rows: Rows) -> Any:
    """The figure of these numbers (a matplotlib Figure).

    Raises:
        InputError: if there is no such figure, or matplotlib is missing.
    """
    module = import_module(f"countbounds.figures.{_entry(name).module}")
    return getattr(module, f"draw_{name}")(rows)


def _entry(name: str) -> Entry:
    if name not in FIGURES:
        raise InputError(f"There is no figure {name!r}; the figures are {', '.join(FIGURES)}.")
    return FIGURES[name]
