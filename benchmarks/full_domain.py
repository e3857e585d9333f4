"""The full-domain check against what a user would otherwise do.

The alternatives evaluate every input: in float64 with numpy, for each n the curve over all
m at once (fast, but rounding errors are not accounted for), and in arb one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import isqrt

import numpy as np

from benchmarks.timing import median_seconds, single_run
from countbounds.checking import smallest_decimal
from countbounds.curve import AffineOverRoot, GivenCurve, LinearFractional
from countbounds.domain import worst_error
from countbounds.model import Model
from countbounds.rings import Enclosure, Floating
from countbounds.variants import variant

DIM = 16
VARIANTS = ("softmax", "softmax-post-ln")


def construction(name: str, length: int) -> Model:
    """The variant's construction at the smallest bound that it guarantees."""
    chosen = variant(name)
    bound = smallest_decimal(chosen.guaranteed_bound(length, DIM))
    return Model(chosen.layer, chosen.build(length, DIM, bound))


def check(name: str, length: int) -> None:
    """What is timed: building the parameters and deciding every input."""
    report = worst_error(construction(name, length), length)
    if report.verdict != "counts":
        raise AssertionError(f"{name} at L = {length}: {report.verdict}")


def numpy_loop(name: str, length: int) -> float:
    """The worst error in float64, for each n over all m at once."""
    curve = construction(name, length).curve(Floating())
    worst = 0.0
    for n in range(length + 1):
        m = np.arange(length - n + 1)
        if isinstance(curve, LinearFractional):
            (p0, p1, p2), (q0, q1, q2) = curve.numerator, curve.denominator
            y = (p0 + p1 * n + p2 * m) / (q0 + q1 * n + q2 * m)
        else:
            a0, a1, a2 = curve.numerator
            q00, q01, q11, q02, q12, q22 = curve.gram
            root = q00 + 2 * q01 * n + q11 * n * n + 2 * (q02 + q12 * n) * m + q22 * m * m
            y = curve.offset + (a0 + a1 * n + a2 * m) / np.sqrt(root)
        worst = max(worst, float(np.abs(y - n).max()))
    return worst


def arb_loop(name: str, length: int) -> None:
    """The worst error with enclosures, one input after another."""
    with Enclosure(128) as ring:
        curve = construction(name, length).curve(ring)
        worst = ring.number(Fraction(0))
        for n in range(length + 1):
            for m in range(length - n + 1):
                top, bottom = curve.parts(n, m)
                if isinstance(curve, LinearFractional):
                    y = top / bottom
                else:
                    y = curve.offset + top / bottom.sqrt()
                worst = worst.max(abs(y - n))


def interior(length: int) -> None:
    """A curve over a root whose letters matter, with its worst input inside the triangle."""
    c, slant = 2 * isqrt(length**3), Fraction(1, 5)
    gram = (c * c, 0, 1 + slant * slant, 0, -slant, 1)
    curve = AffineOverRoot(0, (0, c * (1 + Fraction(1, 4 * length)), 0), gram)
    report = worst_error(GivenCurve(curve), length)
    if report.input is None or not 0 < report.input[1] < length - report.input[0]:
        raise AssertionError(f"the worst input at L = {length} is {report.input}")


def against_loops() -> Iterator[dict[str, str]]:
    """Rows: seconds of the loop, of the check, and their ratio."""
    for name in VARIANTS:
        for length in (200, 2_000, 20_000):
            ours = median_seconds(partial(check, name, length))
            loop = single_run(partial(numpy_loop, name, length))
            yield _row(name, length, "numpy float64 loop", loop, ours)
        ours = median_seconds(partial(check, name, 200))
        loop = single_run(partial(arb_loop, name, 200))
        yield _row(name, 200, "arb, every input", loop, ours)


def _row(name: str, length: int, other: str, loop: float, ours: float) -> dict[str, str]:
    return {
        "variant": name,
        "length": f"{length:,}",
        "alternative": other,
        "alternative_ms": f"{loop * 1e3:,.1f}",
        "check_ms": f"{ours * 1e3:.2f}",
        "ratio": f"{loop / ours:,.0f}",
    }


def growth() -> Iterator[dict[str, str]]:
    """Rows: the check at growing L, as a multiple of its time at L = 10^3."""
    for name in (*VARIANTS, "letters"):
        base = 0.0
        for power in (3, 6, 9, 12, 15, 18):
            length = 10**power
            work = partial(interior, length) if name == "letters" else partial(check, name, length)
            ours = median_seconds(work)
            base = base or ours
            yield {
                "variant": name,
                "length": f"10^{power}",
                "check_ms": f"{ours * 1e3:.2f}",
                "times_10^3": f"{ours / base:.2f}",
            }
