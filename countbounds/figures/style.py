"""One look for all pictures: a variant has one colour, and one dash where several share a panel."""

from __future__ import annotations

import os
from io import BytesIO
from typing import TYPE_CHECKING, Any

from countbounds.errors import InputError
from countbounds.extras import load
from countbounds.output import write
from countbounds.variants import NAMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("pdf", "png", "svg")

# Okabe and Ito's palette, told apart by the colour-blind; dashes tell lines apart in greyscale.
_COLOURS = ("#000000", "#e69f00", "#0072b2", "#d55e00", "#cc79a7", "#009e73", "#56b4e9")
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1)),
    (0, (1, 1)),
    "--",
    "-.",
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (7, 2)),
)


def line_of(variant: str) -> dict[str, Any]:
    """Colour, dash and label of a variant's line."""
    place = NAMES.index(variant)
    return {"color": _COLOURS[place], "linestyle": _DASHES[place], "label": variant}


def require_format(path: str) -> str:
    """The picture's format, from the end of its file's name.

    Raises:
        InputError: if it is none of `FORMATS`.
    """
    ending = os.path.splitext(path)[1].lstrip(".").lower()
    if ending not in FORMATS:
        raise InputError(f"A plot is written to a file ending in .pdf, .png or .svg, not {path}.")
    return ending


def require_plotting() -> None:
    """Check before the work that a picture can be drawn after it.

    Raises:
        InputError: if matplotlib is missing.
    """
    load("matplotlib", what="A plot", package="matplotlib", extra="figures")


def new_figure(width: float = 7.0, height: float = 4.0) -> Figure:
    """An empty figure that needs no display."""
    require_plotting()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, path: str) -> None:
    """Write a figure in one step.

    Raises:
        InputError: if the file's ending is none of `FORMATS`, or it cannot be written.
    """
    ending = require_format(path)
    drawn = BytesIO()
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending)
    figure.savefig(drawn, format=ending, dpi=150, metadata=metadata)
    write(drawn.getvalue(), path)
