"""The picture of an audit: the error over n with its worst case over the fillers."""

from __future__ import annotations

from countbounds.auditing.curves import error_band
from countbounds.auditing.layer import TrainedLayer
from countbounds.figures.style import new_figure, save


def save_plot(layer: TrainedLayer, length: int, path: str) -> None:
    """Draw y - n over n (for a classification head the winning gap), and save it.

    Raises:
        InputError: if the file's ending is none of `FORMATS`, matplotlib is missing, or the
            file cannot be written.
    """
    band = error_band(layer, length)
    figure = new_figure()
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
    save(figure, path)
