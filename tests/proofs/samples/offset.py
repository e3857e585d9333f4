"""Numbers for the theorems about the offset of an arc."""

from __future__ import annotations

import random
from typing import Any

import mpmath

from proofs.cross_ratio import LIMITS, N, kappa, tau
from proofs.offset import GROWN, F, T, Z, inner, offset, one, outer, shift
from proofs.post_ln import bound
from proofs.width import S
from tests.proofs.numeric import DIGITS, Sample, Sampler
from tests.proofs.samples.post_ln import random_arc
from tests.proofs.samples.post_ln_vectors import arc_vectors


def _number(random_: random.Random, low: float, high: float) -> mpmath.mpf:
    return mpmath.mpf(random_.uniform(low, high))


def _points(random_: random.Random) -> list[mpmath.mpf]:
    """z_i at which the numerator is 0 or often positive."""
    if random_.random() < 0.5:
        first, second = (mpmath.mpf(random_.randrange(2, 20)) / 16 for _ in range(2))
        return [first, second, 1 / second, 1 / first]
    return sorted(mpmath.exp(_number(random_, -1, 2)) for _ in range(4))


def _one_grown(random_: random.Random, all_: bool = False) -> Sample:
    with mpmath.workdps(DIGITS):
        points = _points(random_)
        factors = [1 + mpmath.mpf(random_.choice([0, 1e-3, random_.random(), 3])) for _ in points]
        grown = [z * factor for z, factor in zip(points, factors, strict=True)]
        values = dict(zip(Z, points, strict=True))
        moved = zip(GROWN, grown if all_ else grown[:1], strict=all_)
        return Sample({**values, **dict(moved)})


def _rate(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        points = sorted(mpmath.exp(_number(random_, -2, 2)) for _ in range(4))
        return Sample(
            {
                **dict(zip(Z, points, strict=True)),
                **{t: (z - 1 / z) / 2 for t, z in zip(T, points, strict=True)},
                **{f: ((z + 1 / z) / 2) ** 3 for f, z in zip(F, points, strict=True)},
            }
        )


def _point(random_: random.Random) -> Sample:
    return Sample({one: _number(random_, -0.99, 0.99)})


def _shifted(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        points = sorted(_number(random_, -0.7, 0.9) for _ in range(4))
        more = (1 - points[3]) * mpmath.mpf(random_.choice([0, 1e-3, random_.random()]))
        return Sample({**dict(zip(S, points, strict=True)), shift: more})


def _centre(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        far = _number(random_, 0.1, 0.9)
        more = (1 - far) * mpmath.mpf(random_.choice([0, 1e-3, random_.random()]))
        return Sample({outer: far, inner: far * _number(random_, 0.1, 0.9), shift: more})


def _limits(random_: random.Random, size: int, low: mpmath.mpf, wide: mpmath.mpf) -> dict[Any, Any]:
    """Four inputs, an offset of at least that given, and the limits at it."""
    gaps = [random_.randrange(2, 4) for _ in range(3)]
    first = random_.randrange(0, size - sum(gaps) + 1)
    inputs = [first + sum(gaps[:i]) for i in range(4)]
    half = mpmath.mpf(1) / 2
    middle = mpmath.mpf(inputs[0] + inputs[3]) / 2
    there = max(low, middle - mpmath.mpf(random_.choice([0.1, 0.3, random_.random()])))
    limits = {
        s: (number + side * half - there) / wide
        for s, number, side in zip(LIMITS, inputs, (1, -1, 1, -1), strict=True)
    }
    return {**dict(zip(N, inputs, strict=True)), **limits, offset: there, bound: wide}


def _arc(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        size = random_.randrange(9, 24)
        arc = random_arc(random_, size)
        wide = arc[kappa] * mpmath.mpf(random_.choice([1, random_.uniform(1, 1.1)]))
        return Sample({**arc, **_limits(random_, size, arc[tau], wide)})


def _vectors(random_: random.Random) -> Sample | None:
    size = random_.randrange(9, 20)
    found = arc_vectors(random_, size)
    if found is None:
        return None
    with mpmath.workdps(DIGITS):
        values = found["values"]
        more = _limits(random_, size, values[tau], values[bound])
    return Sample({**values, **more}, vectors=found["vectors"])


def _symmetric(random_: random.Random) -> Sample | None:
    """Inputs symmetric about tau', which lies above tau more often than not."""
    size = random_.randrange(8, 20)
    found = arc_vectors(random_, size)
    if found is None:
        return None
    with mpmath.workdps(DIGITS):
        values = found["values"]
        gap, wide = random_.randrange(2, 4), random_.randrange(1, 3)
        first = size - 2 * gap - wide if random_.random() < 0.7 else 0
        inputs = [first, first + gap, first + gap + wide, first + 2 * gap + wide]
        there, half = mpmath.mpf(inputs[0] + inputs[3]) / 2, mpmath.mpf(1) / 2
        limits = {
            s: (number + side * half - there) / values[bound]
            for s, number, side in zip(LIMITS, inputs, (1, -1, 1, -1), strict=True)
        }
        more = {**dict(zip(N, inputs, strict=True)), **limits, offset: there}
    return Sample({**values, **more}, vectors=found["vectors"])


SAMPLES: dict[str, Sampler] = {
    "divided-difference-of-one-grown": _one_grown,
    "divided-difference-of-grown": lambda random_: _one_grown(random_, True),
    "rate-along-the-offset": _rate,
    "rate-is-a-divided-difference": _rate,
    "rational-tangent": _point,
    "cross-ratio-grows-as-the-offset-falls": _shifted,
    "post-ln-cross-ratio-at-any-smaller-offset": _arc,
    "post-ln-refutation-at-any-smaller-offset": _vectors,
    "post-ln-refutation-up-to-the-centre": _symmetric,
    "post-ln-refutation-at-any-offset": _symmetric,
    "cross-ratio-is-least-at-the-centre": _centre,
}
