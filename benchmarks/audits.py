"""Audits and heads against evaluating every input (and every class) in float64.

The layers count to L, so nothing ends early: an arc after LayerNorm whose worst input is a
mixture of all fillers, and the classification heads of `countbounds.heads`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from benchmarks.timing import median_seconds, single_run
from countbounds.auditing.layer import TrainedLayer, TrainedNorm
from countbounds.auditing.reduction import Reduction
from countbounds.domain.classes import smallest_gap
from countbounds.domain.several import worst_error_of_several
from countbounds.heads.constructions import construction
from countbounds.rings import Floating

DIM = 16


def arc(length: int, fillers: int) -> TrainedLayer:
    """A layer that counts to L; each filler undoes a part of the boundary token."""
    scale = length**1.5
    unit = np.eye(DIM)
    size = np.sqrt(np.sqrt(DIM) * np.log(scale))
    embedding = np.zeros((2 + fillers, DIM))
    embedding[0] = size * (unit[0] - unit[1]) / np.sqrt(2)
    embedding[1] = size * (unit[2] - unit[3]) / np.sqrt(2)
    for j in range(fillers):
        direction = unit[4 + 2 * j] - unit[5 + 2 * j]
        embedding[0] -= direction * 0.1 / np.sqrt(length) / (j + 1)
        embedding[2 + j] = direction * (1 + 0.1 * j)
    readout = (unit[2] - unit[3]) * scale / np.sqrt(2 * DIM) * (1 + 0.9 / length)
    return TrainedLayer(
        embedding,
        tuple("#sabcdef"[: 2 + fillers]),
        readout[None, :],
        scale_square=Fraction(1, DIM),
        after=TrainedNorm(),
    )


def audit(length: int, fillers: int) -> None:
    """What is timed: multiplying the layer out, and deciding every input."""
    report = worst_error_of_several(Reduction(arc(length, fillers)), length)
    if report.verdict != "counts":
        raise AssertionError(f"{fillers} fillers at L = {length}: {report.verdict}")


def every_mixture(length: int, fillers: int) -> float:
    """The worst error in float64 over all inputs, those of one n at once."""
    curves = Reduction(arc(length, fillers)).on(Floating())
    assert curves.gram is not None
    gram, linear = np.array(curves.gram, dtype=float), np.array(curves.numerators[0], dtype=float)
    worst = 0.0
    for n in range(length + 1):
        axes = np.meshgrid(*[np.arange(length - n + 1)] * fillers)
        m = np.stack([axis.ravel() for axis in axes])
        m = m[:, m.sum(axis=0) <= length - n]
        c = np.vstack([np.ones_like(m[:1]), np.full_like(m[:1], n), m]).astype(float)
        y = linear @ c / np.sqrt(np.einsum("ij,ik,kj->j", c, gram, c))
        worst = max(worst, float(np.abs(y - n).max()))
    return worst


def head(name: str, length: int) -> None:
    """What is timed: building a head, and its smallest winning gap on every input."""
    if smallest_gap(construction(name, length, DIM).model, length).verdict != "counts":
        raise AssertionError(f"{name} at L = {length} does not decode")


def every_class(name: str, length: int) -> float:
    """The smallest winning gap in float64 over every input and every class."""
    curves = construction(name, length, DIM).model.on(Floating())
    rows = np.array(curves.numerators, dtype=float)
    least = np.inf
    for n in range(length + 1):
        m = np.arange(length - n + 1)
        c = np.vstack([np.ones_like(m), np.full_like(m, n), m]).astype(float)
        if curves.gram is None:
            scores = rows @ c / (np.array(curves.weights, dtype=float) @ c)
        else:
            gram = np.array(curves.gram, dtype=float)
            scores = rows @ c / np.sqrt(np.einsum("ij,ik,kj->j", c, gram, c))
        own = scores[n].copy()
        scores[n] = -np.inf
        least = min(least, float((own - scores.max(axis=0)).min()))
    return least


def against_everything() -> Iterator[dict[str, str]]:
    """Rows: seconds of evaluating everything, of ours, and their ratio."""
    for fillers, length in ((1, 200), (1, 2_000), (2, 40), (2, 200), (3, 40)):
        ours = median_seconds(partial(audit, length, fillers))
        loop = single_run(partial(every_mixture, length, fillers))
        yield _row(f"audit, {fillers} fillers", length, loop, ours)
    for name in ("softmax", "softmax-post-ln"):
        for length in (300, 1_000):
            ours = median_seconds(partial(head, name, length))
            loop = single_run(partial(every_class, name, length))
            yield _row(f"head of {name}", length, loop, ours)


def _row(what: str, length: int, loop: float, ours: float) -> dict[str, str]:
    return {
        "what": what,
        "length": f"{length:,}",
        "every_input_ms": f"{loop * 1e3:,.1f}",
        "ours_ms": f"{ours * 1e3:.1f}",
        "ratio": f"{loop / ours:,.2g}",
    }


def audits_at_length() -> Iterator[dict[str, str]]:
    """Rows: the audit's check at growing L, as a multiple of its time at L = 10^3."""
    for fillers in (1, 2, 3):
        base = 0.0
        for power in (3, 6, 9, 12):
            ours = median_seconds(partial(audit, 10**power, fillers))
            base = base or ours
            yield {
                "fillers": str(fillers),
                "length": f"10^{power}",
                "check_ms": f"{ours * 1e3:.1f}",
                "times_10^3": f"{ours / base:.2f}",
            }
