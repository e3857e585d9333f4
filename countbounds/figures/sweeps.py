"""B_min against L, from the result of a sweep: a panel for each dimension."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from countbounds.errors import InputError
from countbounds.figures.registry import Rows
from countbounds.figures.style import line_of, new_figure
from countbounds.sweeping.results import BEYOND, ends_of, read_results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = 4
_LISTED = 20
_DOTS = 20
_COLUMNS = ("variant", "length", "dim", "lower", "upper")
# Matplotlib leaves a margin around what it draws, which has to be a float as well.
_LARGEST = Fraction(10**300)
# A band is seen from this part of the axis on, and a bracket is wide from this ratio on.
_PART, _OPEN = 0.005, 1.005
_BAND = "open bracket, from its lower to its upper end"
_END = "the sweep's last length within the cap"
_HANDLE = 5.0
_SIZES = {1: (7.0, 5.4), 2: (10.5, 5.2), 3: (13.0, 5.2), PANELS: (10.5, 8.8)}


def data_from(path: str, dims: Sequence[int] | None = None) -> Rows:
    """The brackets of a sweep as exact text, and whether their dimension has a panel.

    Args:
        path: the result of a sweep.
        dims: which dimensions, at most `PANELS`; by default all are in the rows, and if there
            are more than `PANELS`, the smallest, the largest and some between have panels.

    Returns:
        the rows by variant, dimension and length; a cell that failed has an `error`, and no
        bracket.

    Raises:
        InputError: if the file is not the result of a sweep, every cell in it failed, it has no
            such dimension, or too many are asked for.
    """
    found = [
        {**{key: row[key] for key in _COLUMNS}, "panel": True, "error": row["error"]}
        for row in read_results(path)
    ]
    known = sorted({row["dim"] for row in found})
    missing = [dim for dim in dims or () if dim not in known]
    if missing:
        listed = known if len(known) <= _LISTED else [*known[: _LISTED - 1], "...", known[-1]]
        raise InputError(
            f"The file {path} has no rows at d = {missing[0]}; choose among "
            f"{', '.join(map(str, listed))}."
        )
    chosen = [row for row in found if row["dim"] in (dims or known)]
    done = [row for row in chosen if row["error"] is None]
    if not done:
        raise InputError(
            f"Nothing can be drawn, for all {len(chosen):,} cells of {path} failed, the first: "
            f"{chosen[0]['error']}"
        )
    panels = sorted({row["dim"] for row in done})
    if dims and len(panels) > PANELS:
        raise InputError(f"A figure has at most {PANELS} panels; give -d at most {PANELS} times.")
    panels = _spread(panels)
    names = list(dict.fromkeys(row["variant"] for row in chosen))
    for row in chosen:
        row["panel"] = row["dim"] in panels
    chosen.sort(key=lambda row: (names.index(row["variant"]), row["dim"], row["length"]))
    return chosen


def _spread(dims: Sequence[int]) -> list[int]:
    """At most `PANELS` of them: the smallest, the largest, and some evenly between."""
    if len(dims) <= PANELS:
        return list(dims)
    return [dims[round(place * (len(dims) - 1) / (PANELS - 1))] for place in range(PANELS)]


def draw_from(rows: Rows) -> Figure:
    """A line for each variant, a band where its bracket is open, a mark where it ends."""
    done = [row for row in rows if row["error"] is None]
    shown = [row for row in done if row["panel"]]
    dims = sorted({row["dim"] for row in shown})
    every = len({row["dim"] for row in done})
    down, across = (2, 2) if len(dims) == PANELS else (1, len(dims))
    figure = new_figure(*_SIZES[len(dims)])
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    seen: dict[str, Any] = {}
    seen_from = _seen_from(shown)
    for axes, dim in zip(grid.flat, dims, strict=True):
        _draw_panel(axes, dim, [row for row in shown if row["dim"] == dim], seen_from)
        found = zip(*axes.get_legend_handles_labels(), strict=True)
        seen = {label: handle for handle, label in found} | seen
    for axes in grid[-1]:
        axes.set_xlabel("L")
    for axes in grid[:, 0]:
        axes.set_ylabel("norm bound B")
    only = "" if every == len(dims) else f" ({len(dims)} of {every} dimensions)"
    figure.suptitle(f"Smallest bound for a length{only}")
    if seen:
        labels = sorted(seen, key=lambda label: label in (_BAND, _END))
        handles = [seen[label] for label in labels]
        columns = 3 if across > 1 else 2
        # Long enough for dashes beside the dot.
        figure.legend(
            handles, labels, loc="outside lower center", ncols=columns, handlelength=_HANDLE
        )
    return figure


def _seen_from(rows: Rows) -> float:
    """The ratio of the ends from which a bracket is seen to be open, on the axis of all."""
    ends = [end for row in rows if row["upper"] != BEYOND for end in ends_of(row)]
    drawn = [float(end) for end in ends if end <= _LARGEST]
    return max(_OPEN, (max(drawn) / min(drawn)) ** _PART) if drawn else _OPEN


def _draw_panel(axes: Axes, dim: int, rows: Rows, seen_from: float) -> None:
    notes = []
    for name in dict.fromkeys(row["variant"] for row in rows):
        own = [row for row in rows if row["variant"] == name]
        finite = list(takewhile(lambda row: row["upper"] != BEYOND, own))
        brackets = [(row["length"], *ends_of(row)) for row in finite]
        drawn = [bracket for bracket in brackets if bracket[2] <= _LARGEST]
        if not finite:
            notes.append(f"{name}: every length is beyond the cap")
        if len(drawn) < len(finite):
            notes.append(f"{name}: not drawn above 10^300")
        if drawn:
            is_open = any(high > seen_from * low for _, low, high in drawn)
            ends = len(drawn) == len(finite) < len(own)
            _draw_line(axes, name, drawn, is_open=is_open, ends=ends)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title("\n".join([f"d = {dim}", *notes]), fontsize=10)
    axes.grid(alpha=0.25)


def _draw_line(
    axes: Axes,
    name: str,
    brackets: Sequence[tuple[int, Fraction, Fraction]],
    *,
    is_open: bool,
    ends: bool,
) -> None:
    """A line through the upper ends; few cells are dots, so that one alone is seen."""
    lengths, lower, upper = (
        [float(each) for each in column] for column in zip(*brackets, strict=True)
    )
    style = line_of(name)
    marker = "." if len(lengths) <= _DOTS else None  # more would hide the dashes
    axes.plot(lengths, upper, linewidth=1.6, marker=marker, markersize=5, **style)
    if is_open:
        band = {"color": style["color"], "alpha": 0.25, "label": _BAND}
        if len(brackets) > 1:
            axes.fill_between(lengths, lower, upper, linewidth=0, **band)
        else:
            axes.vlines(lengths, lower, upper, linewidth=6, **band)
    if ends:
        mark = {"color": style["color"], "markerfacecolor": "white", "label": _END}
        axes.plot(lengths[-1:], upper[-1:], linestyle="none", marker="^", markersize=8, **mark)
