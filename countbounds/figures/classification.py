"""Regression against classification: norms, gaps, and the bits that they take to store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from countbounds.figures.registry import Progress, Rows
from countbounds.figures.style import line_of, new_figure
from countbounds.rings import Enclosure
from countbounds.variants import NAMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIM = 16
LENGTHS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
STORED = (2, 5, 10, 20, 50, 100, 200)


def data_costs(progress: Progress) -> Rows:
    """B_min(L) for regression, and the certified gap of a head of norm 1, for each L."""
    from countbounds.bounds import b_min
    from countbounds.heads.report import check_head

    rows: Rows = []
    for name in NAMES:
        for length in LENGTHS:
            progress(f"{name}, L = {length}")
            smallest = b_min(name, length, DIM)
            head = check_head(name, length, DIM)
            assert head.smallest_gap is not None
            assert head.smallest_gap.lower is not None
            assert head.possible_gap.upper is not None
            rows.append(
                {
                    "variant": name,
                    "length": length,
                    "regression_norm": None if smallest.upper is None else float(smallest.upper),
                    "classification_norm": 1.0,
                    "gap": float(head.smallest_gap.lower),
                    "gap_of_any": float(head.possible_gap.upper),
                }
            )
    return rows


def draw_costs(rows: Rows) -> Figure:
    """Norms on the left, gaps on the right, both against L."""
    figure = new_figure(10.0, 4.4)
    norms, gaps = figure.subplots(1, 2)
    for name in NAMES:
        own = [row for row in rows if row["variant"] == name]
        style = line_of(name)
        known = [row for row in own if row["regression_norm"] is not None]
        norms.plot(
            [row["length"] for row in known],
            [row["regression_norm"] for row in known],
            linewidth=1.6,
            **style,
        )
        gaps.plot(
            [row["length"] for row in own], [row["gap"] for row in own], linewidth=1.6, **style
        )
    norms.axhline(1, color="0.55", linewidth=3, alpha=0.5, label="classification, all variants")
    norms.set_title(f"Regression: B_min (d = {DIM})")
    norms.set_ylabel("norm bound")
    gaps.set_title(f"Classification: smallest gap at B = 1 (d = {DIM})")
    gaps.set_ylabel("winning gap")
    for axes in (norms, gaps):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("L")
        axes.grid(alpha=0.25, which="major")
    figure.legend(*norms.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def data_storage(progress: Progress) -> Rows:
    """The bits of either read-out for each L, as `table storage` has them."""
    from countbounds.heads.storage_table import table_storage

    return [
        {
            "variant": row.classification.variant,
            "length": row.classification.length,
            "readout": side.readout,
            "bits_per_scalar": side.bits_per_scalar,
            "bits": side.readout_bits,
        }
        for row in table_storage(NAMES, STORED, (DIM,), progress)
        for side in (row.regression, row.classification)
    ]


def draw_storage(rows: Rows) -> Figure:
    """Bits of the read-out against L: of the regression on the left, of the classes beside it."""
    figure = new_figure(10.0, 4.8)
    titles = {"regression": "Regression", "classification": "Classification at B = 1"}
    panels = dict(zip(titles, figure.subplots(1, 2, sharex=True, sharey=True), strict=True))
    for readout, axes in panels.items():
        for name in NAMES:
            own = [
                row
                for row in rows
                if (row["variant"], row["readout"]) == (name, readout) and row["bits"] is not None
            ]
            lengths, bits = ([row[key] for row in own] for key in ("length", "bits"))
            axes.plot(lengths, bits, linewidth=1.6, **line_of(name))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("L")
        axes.set_title(f"{titles[readout]} (d = {DIM})")
        axes.grid(alpha=0.25)
    panels["regression"].set_ylabel("bits of the stored read-out")
    handles, labels = panels["classification"].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure


def data_gaps(progress: Progress) -> Rows:
    """The smallest winning gap over the letters for each count, at L = 100."""
    from countbounds.domain.cone import corners
    from countbounds.heads.constructions import construction

    length, rows = 100, []
    for name in NAMES:
        progress(name)
        model = construction(name, length, DIM).model
        with Enclosure(192) as ring:
            curves = model.on(ring)
            for n in range(length + 1):
                found = [
                    float(curves.score(c, n) - curves.score(c, k))
                    for c in corners(n, length, 1)
                    for k in (n - 1, n + 1)
                    if 0 <= k <= length
                ]
                rows.append({"variant": name, "n": n, "gap": min(found)})
    return rows


def draw_gaps(rows: Rows) -> Figure:
    """The gap of each count."""
    figure = new_figure(7.5, 4.6)
    axes = figure.add_subplot()
    for name in NAMES:
        own = [row for row in rows if row["variant"] == name]
        axes.plot(
            [row["n"] for row in own], [row["gap"] for row in own], linewidth=1.6, **line_of(name)
        )
    axes.set_yscale("log")
    axes.set_xlabel("n, the count")
    axes.set_ylabel("winning gap")
    axes.set_title(f"Smallest winning gap of each count, L = 100, d = {DIM}, B = 1")
    axes.grid(alpha=0.25)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
