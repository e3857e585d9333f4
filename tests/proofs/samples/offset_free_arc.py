"""Numbers for the arc at the offset 0."""

from __future__ import annotations

import random

import mpmath

from proofs.cross_ratio import kappa
from proofs.offset_free_arc import R, U, a, q, s, x
from proofs.terms import L, n
from tests.proofs.numeric import DIGITS, Sample, Sampler


def _point(random_: random.Random, above: bool) -> Sample:
    """A point near the limit, on the side asked for."""
    with mpmath.workdps(DIGITS):
        wide, across = (mpmath.mpf(random_.uniform(0.1, 5)) for _ in range(2))
        ratio = mpmath.mpf(random_.choice([1, random_.uniform(1e-3, 1)]))
        ratio *= mpmath.mpf("0.5") if above else mpmath.mpf("1.5")
        side = wide * mpmath.sqrt(ratio)
        series = 1 + ratio / 2 + 3 * ratio**2 / 8 + (3 * ratio**3 / 5 if above else 0)
        away = mpmath.mpf(random_.choice([1e-9, random_.random()]))
        along = side * across * series * (1 + away if above else 1 - away) / wide
        return Sample({kappa: wide, s: side, a: ratio, R: across, U: along})


def _less(random_: random.Random) -> Sample:
    return _point(random_, False)


def _more(random_: random.Random) -> Sample:
    return _point(random_, True)


def _polynomials(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        length = random_.randrange(1, 10 ** random_.randrange(1, 6))
        share = mpmath.mpf(random_.choice([1, random_.uniform(0.01, 1)]))
        place = random_.choice([0, 0.25, 0.75, 1, random_.random()])
        return Sample(
            {
                L: length,
                q: share / (mpmath.mpf(length) ** 2 * (length + 64)) * (1 - mpmath.mpf(10) ** -40),
                x: mpmath.mpf(place),
            }
        )


def _arc(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        length = random_.randrange(1, 10 ** random_.randrange(1, 5))
        least = mpmath.mpf(length) * mpmath.sqrt(mpmath.mpf(length + 64) / 32)
        number = random_.choice([0, length, random_.randrange(length + 1)])
        more = mpmath.mpf(random_.choice([1e-30, random_.random()]))
        return Sample({L: length, n: number, kappa: least * (1 + more)})


SAMPLES: dict[str, Sampler] = {
    "sine-is-positive": _less,
    "sine-below-by-its-tangent": _less,
    "sine-above-by-its-tangent": _more,
    "offset-free-polynomials": _polynomials,
    "post-ln-sharp-upper-bound": _arc,
}
