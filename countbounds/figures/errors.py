"""The error y(n, m) - n over n at the optimum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from countbounds.figures.registry import Progress, Rows
from countbounds.figures.style import line_of, new_figure
from countbounds.model import Model
from countbounds.rings import HighPrecision
from countbounds.variants import variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIM, LENGTH = 16, 60
VARIANTS = ("softmax", "softmax-post-ln", "softmax-post-ln-learned", "softmax-pre-ln")
_DIGITS = 80


def data_errors(progress: Progress) -> Rows:
    """y - n without letters, and with letters in all free places."""
    from countbounds.bounds import search

    rows: Rows = []
    ring = HighPrecision(_DIGITS)
    for name in VARIANTS:
        progress(name)
        model = Model(variant(name).layer, search(name, LENGTH, DIM, 12).parameters)
        for n in range(LENGTH + 1):
            bare, full = (float(model.forward(n, m, ring) - n) for m in (0, LENGTH - n))
            rows.append({"variant": name, "n": n, "no_letters": bare, "all_letters": full})
    return rows


def draw_errors(rows: Rows) -> Figure:
    """A panel for each variant."""
    figure = new_figure(10.0, 6.0)
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    for axes, name in zip(panels.flat, VARIANTS, strict=True):
        own = [row for row in rows if row["variant"] == name]
        colour = line_of(name)["color"]
        n = [row["n"] for row in own]
        axes.axhspan(-0.5, 0.5, color="0.93", zorder=0)
        axes.plot(n, [row["no_letters"] for row in own], color=colour)
        axes.plot(
            n,
            [row["all_letters"] for row in own],
            color=colour,
            linestyle=":",
        )
        axes.set_title(name, fontsize=10)
    for axes in panels[1]:
        axes.set_xlabel("n")
    for axes in panels[:, 0]:
        axes.set_ylabel("error y - n")
    handles = [axes.plot([], [], color="0.3", linestyle=style)[0] for style in ("-", ":")]
    labels = ["no letters", "letters in all free places (without effect after a norm)"]
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    figure.suptitle(f"The optimum at L = {LENGTH}, d = {DIM}: errors reach 1/2 several times")
    return figure
