"""The hidden states h(n, 0) of each variant's construction, in the plane where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from countbounds.checking import smallest_decimal
from countbounds.figures.registry import Progress, Rows
from countbounds.figures.style import line_of, new_figure
from countbounds.model import Model
from countbounds.rings import HighPrecision
from countbounds.variants import all_variants

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIM, LENGTH = 16, 30
_DIGITS = 60


def data_representations(progress: Progress) -> Rows:
    """The first two principal components of h(0, 0), ..., h(L, 0), not centred."""
    rows: Rows = []
    ring = HighPrecision(_DIGITS)
    for variant in all_variants():
        progress(variant.name)
        bound = smallest_decimal(variant.guaranteed_bound(LENGTH, DIM))
        model = Model(variant.layer, variant.build(LENGTH, DIM, bound))
        states = np.array(
            [[float(x) for x in model.hidden(n, 0, ring).entries()] for n in range(LENGTH + 1)]
        )
        _, sizes, axes = np.linalg.svd(states, full_matrices=False)
        plane = states @ axes[:2].T / sizes[0]
        plane *= np.where(plane[-1] < 0, -1, 1)
        rows += [
            {"variant": variant.name, "n": n, "x": float(x), "y": float(y)}
            for n, (x, y) in enumerate(plane)
        ]
    return rows


def draw_representations(rows: Rows) -> Figure:
    """One panel for each variant."""
    figure = new_figure(11.0, 5.4)
    panels = figure.subplots(2, 4)
    names = list(dict.fromkeys(row["variant"] for row in rows))
    for axes, name in zip(panels.flat, names, strict=False):
        own = [row for row in rows if row["variant"] == name]
        style = line_of(name)
        x, y = [row["x"] for row in own], [row["y"] for row in own]
        axes.plot(x, y, color=style["color"], linewidth=0.8, alpha=0.6)
        axes.plot(x, y, ".", color=style["color"], markersize=5)
        axes.plot(x[:1], y[:1], "o", markerfacecolor="white", color=style["color"])
        axes.set_title(name, fontsize=10)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.margins(0.12)
        axes.set_aspect("equal", adjustable="datalim")
    for axes in list(panels.flat)[len(names) :]:
        axes.set_axis_off()
        axes.text(
            0.0,
            0.5,
            f"h(n, 0) for n = 0, ..., {LENGTH},\nd = {DIM}, in its first two\n"
            "principal directions\n(open circle: n = 0)",
            va="center",
        )
    return figure
