"""The error over n with its worst case over the fillers, for a plot."""

from __future__ import annotations

from dataclasses import dataclass

from countbounds.auditing.layer import TrainedLayer
from countbounds.auditing.reduction import Curves, Reduction
from countbounds.domain.cone import Counts, Functional, Vertices, corners
from countbounds.rings import Enclosure

_MOST_POINTS = 800


@dataclass(frozen=True)
class Band:
    """What happens over n, between the worst choices of fillers.

    Attributes:
        n: the counts looked at, from 0 to L.
        low: the least y - n for each; for a classification head the least winning gap.
        high: the largest y - n; for a classification head the same as `low`.
    """

    n: list[int]
    low: list[float]
    high: list[float]


def error_band(layer: TrainedLayer, length: int, points: int = _MOST_POINTS) -> Band:
    """The errors of a layer over n.

    For display: rounded to doubles. The ends for a regression read-out are bounds over real
    numbers of fillers; for a classification head only inputs with no filler, or with one
    filler in all free places, are looked at.

    Args:
        layer: the layer.
        length: L; for a classification head no n without a class is looked at.
        points: how many n are looked at, at most.
    """
    reduction = Reduction(layer)
    last = min(length, len(layer.readout) - 1) if layer.classifies else length
    steps = max(1, min(last, points - 1))
    chosen = sorted({round(i * last / steps) for i in range(steps + 1)})
    with Enclosure(128 + 6 * length.bit_length()) as ring:
        curves = reduction.on(ring)
        if layer.classifies:
            gaps = [_gap(curves, corners(n, length, layer.fillers)) for n in chosen]
            return Band(chosen, gaps, gaps)
        ends = [
            [_largest(curves, ring, corners(n, length, layer.fillers), sign) for n in chosen]
            for sign in (-1, 1)
        ]
    return Band(chosen, [-value for value in ends[0]], ends[1])


def _gap(curves: Curves, vertices: list[Counts]) -> float:
    """The least winning gap over some inputs with the same n."""
    n = vertices[0][1]
    found = []
    for c in vertices:
        scores = [float(curves.value(c[1:], k).mid()) for k in range(len(curves.offsets))]
        found.append(scores[n] - max(scores[:n] + scores[n + 1 :], default=scores[n]))
    return min(found)


def _largest(curves: Curves, ring: Enclosure, vertices: list[Counts], sign: int) -> float:
    """The largest sign * (y - n) over the fillers."""
    n = vertices[0][1]
    found = [float((curves.value(c[1:]) - n).mid()) * sign for c in vertices]
    if curves.gram is not None and len(vertices) > 1:
        linear = [sign * a for a in curves.numerators[0]]
        fixed = Vertices(tuple(vertices), tuple(vertices))
        dual = Functional(linear, curves.gram, ring).bound(fixed)
        if dual is not None and any(share > 0 for share in dual.shares[0]):
            found.append(float(dual.upper()) + sign * (float(curves.offsets[0].mid()) - n))
    return max(found)
