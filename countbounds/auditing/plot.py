"""The picture of an audit: the error over n with its worst case over the fillers."""

from __future__ import annotations

import os
from io import BytesIO

from countbounds.auditing.curves import error_band
from countbounds.auditing.layer import TrainedLayer
from countbounds.errors import InputError
from countbounds.output import write

FORMATS = ("pdf", "png", "svg")


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
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise InputError("A plot needs matplotlib: pip install 'countbounds[figures]'.") from error


def save_plot(layer: TrainedLayer, length: int, path: str) -> None:
    """Draw y - n over n (for a classification head the winning gap), and save it.

    Raises:
        InputError: if the file's ending is none of `FORMATS`, matplotlib is missing, or the
            file cannot be written.
    """
    ending = require_format(path)
    require_plotting()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    band = error_band(layer, length)
    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    dark, light = "#1f3a68", "#4c72b0"
    if layer.classifies:
        axes.axhspan(min(0.0, *band.low), 0, color="0.92", zorder=0, label="a wrong class wins")
        axes.plot(band.n, band.low, color=dark, linewidth=1.4, label="smallest over the fillers")
        axes.set_ylabel("winning gap")
    else:
        axes.axhspan(-0.5, 0.5, color="0.92", zorder=0, label="rounds correctly")
        axes.fill_between(band.n, band.low, band.high, color=light, alpha=0.45, linewidth=0)
        lines = ((band.high, "-", "largest"), (band.low, "--", "smallest"))
        for values, style, which in lines:
            label = f"{which} over the fillers"
            axes.plot(band.n, values, style, color=dark, linewidth=1.4, label=label)
        axes.set_ylabel("error y - n")
    axes.axhline(0, color="0.4", linewidth=0.6)
    axes.set_xlim(0, max(1, band.n[-1]))
    axes.set_xlabel(f"n, the number of {layer.names[1]!r}")
    axes.set_title(f"All inputs with at most {length:,} tokens after the boundary")
    axes.legend(loc="best", frameon=False)
    drawn = BytesIO()
    figure.savefig(drawn, format=ending, dpi=150)
    write(drawn.getvalue(), path)
