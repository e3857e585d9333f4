"""Numbers for the theorems about arcs centred at L/2."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath

from proofs.centred_arc import POINTS, POWER, TOP, eps, p_, u
from proofs.cross_ratio import LIMITS, N, kappa
from proofs.post_ln import bound
from proofs.post_ln_vectors import a
from proofs.terms import L, d, n
from tests.proofs.numeric import DIGITS, Sample, Sampler


def _power(length: int, side: Fraction) -> Fraction:
    """p(u)."""
    slope = Fraction((length - 1) ** 2, length**2)
    half = (side + Fraction(1, 2)) ** 2
    return (Fraction((length - 1) ** 2, 4) * side**2 - half * side**2) / (half - slope * side**2)


def _sides(length: int) -> list[Fraction]:
    return [Fraction(2 * k - length, 2) for k in range(length // 2 + 1, length)]


def _number(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def _curve(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        length = random_.randrange(1, 30)
        power = max([Fraction(0), *(_power(length, side) for side in _sides(length))])
        power = _number(power) * mpmath.mpf(random_.choice([1 + 1e-9, random_.uniform(1, 2)]))
        slack = mpmath.mpf(random_.choice([1e-6, random_.random()]))
        square = mpmath.mpf(length - 1) ** 2 * (power + mpmath.mpf(length) ** 2 / 4) / length**2
        number = random_.randrange(length // 2 + 1, length + 1)
        return Sample(
            {
                L: length,
                n: random_.randrange(length + 1),
                p_: power,
                eps: slack,
                kappa: mpmath.sqrt(square + slack),
                u: number - mpmath.mpf(length) / 2,
            }
        )


def _closed(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        length = random_.randrange(1, 50)
        side = Fraction(random_.randrange(1, 40), random_.randrange(1, 9))
        return Sample({L: length, u: _number(side), p_: _number(_power(length, side))})


def _symmetric(random_: random.Random) -> Sample:
    length = random_.randrange(3, 30)
    side = mpmath.mpf(random_.uniform(0.01, length / 2 - 1))
    near = mpmath.mpf(random_.uniform(0.1, 2))
    most = length / (2 * side)
    far = near * (1 + (most - 1) * mpmath.mpf(random_.choice([0.999, random_.uniform(0, 1.1)])))
    return Sample({L: length, u: side, **dict(zip(POINTS, (-far, -near, near, far), strict=True))})


def _layer(random_: random.Random) -> Sample:
    """An odd curve of vectors, with the four inputs about the middle."""
    with mpmath.workdps(DIGITS):
        length = random_.randrange(3, 24)
        sides = _sides(length)
        best = max(sides, key=lambda side: _power(length, side))
        power = _number(max(Fraction(0), _power(length, best))) + mpmath.mpf(10) ** -6
        square = mpmath.mpf(length - 1) ** 2 * (power + mpmath.mpf(length) ** 2 / 4) / length**2
        slack = mpmath.mpf(random_.choice([1e-6, 1e-3, random_.random()]))
        side = best if random_.random() < 0.7 else random_.choice(sides)
        side_ = _number(side)
        dim, weight = random_.randrange(3, 20), mpmath.mpf(random_.uniform(0.3, 3))
        wide = mpmath.sqrt(square + slack)
        tilt = random_.choice([0, wide * mpmath.mpf(random_.random()) / 10])
        middle = mpmath.mpf(length) / 2
        broad = mpmath.sqrt(wide**2 + dim * tilt**2) * (1 + mpmath.mpf(10) ** -12)
        half = mpmath.mpf(1) / 2
        shift = (half - middle, -half - side_, half + side_, middle - half)
        return Sample(
            {
                L: length,
                u: side_,
                d: dim,
                a: weight,
                bound: broad,
                **dict(zip(N, (0, middle - side_, middle + side_, length), strict=True)),
                **{s: one / broad for s, one in zip(LIMITS, shift, strict=True)},
            },
            vectors={
                "w": [wide / mpmath.sqrt(dim), mpmath.mpf(0), tilt],
                "x": [-middle / weight, mpmath.sqrt(power + slack) / weight, mpmath.mpf(0)],
                "s": [mpmath.mpf(1), mpmath.mpf(0), mpmath.mpf(0)],
            },
        )


def _sharp(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        length = random_.randrange(2, 60)
        slack = mpmath.mpf(random_.choice([1e-9, random_.random()]))
        top, power = (one.subs(L, length) for one in (TOP, POWER))
        square = mpmath.mpf(int(top.p)) / int(top.q) + slack
        return Sample(
            {
                L: length,
                n: random_.randrange(length + 1),
                kappa: mpmath.sqrt(square),
                eps: slack,
                p_: Fraction(int(power.p), int(power.q)),
            }
        )


SAMPLES: dict[str, Sampler] = {
    "centred-arc-on-one-side": _curve,
    "centred-arc-rounds": _curve,
    "closed-form-of-the-centred-arc": _closed,
    "symmetric-cross-ratio": _symmetric,
    "centred-arc-lower-bound": _layer,
    "centred-arc-sharp-lower-bound": _layer,
    "centred-arc-sharp-upper-bound": _sharp,
}
