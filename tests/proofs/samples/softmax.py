"""Numbers for the theorems about softmax attention without LayerNorm."""

from __future__ import annotations

import random
from typing import Any

import mpmath

from proofs.polytope import A, a, eps, first
from proofs.softmax import (
    ROOT,
    X,
    al,
    e,
    gap,
    lam,
    largest,
    mu,
    r,
    score,
    sigma,
    v,
    val,
)
from proofs.terms import B, L, d, m, n
from tests.proofs.numeric import Sample, Sampler, evaluated

Number = Any


def least(length: int) -> tuple[int, Number]:
    """a* and A*."""
    weight = (length - 1) ** 2 // 4
    return weight, weight + length - mpmath.mpf(1) / 2


def inputs(random_: random.Random, length: int) -> dict[Any, int]:
    """n and m with n + m <= L, often at the edge."""
    spaces = random_.choice([0, length, random_.randrange(length + 1)])
    return {
        n: spaces,
        m: random_.choice([0, length - spaces, random_.randrange(length - spaces + 1)]),
    }


def share(random_: random.Random) -> Number:
    """A number in (0, 1), often small."""
    return mpmath.mpf(random_.uniform(0.001, 0.999)) ** random_.choice([1, 1, 4])


def point(length: int, slack: Number) -> tuple[Number, Number, Number]:
    """Weight, boundary value and space value near the vertex."""
    weight, value = least(length)
    return weight + 2 * slack, -mpmath.mpf(weight) / 2 / (weight + 2 * slack), value + 2 * slack


def _curve(random_: random.Random) -> Sample:
    length = random_.randrange(1, 30)
    weight, boundary, value = point(length, share(random_))
    return Sample({L: length, a: weight, first: boundary, A: value})


def _exact(random_: random.Random) -> Sample:
    weight = share(random_) * random_.choice([1, 10])
    return Sample({L: random_.choice([1, 1, 2, 3]), a: weight, first: 0, A: 1 + weight})


def _layer(random_: random.Random, shortest: int) -> Sample | None:
    """A layer that counts, its vectors in a plane."""
    length, dim = random_.randrange(shortest, 20), random_.choice([3, 4, 16, 100, 5000])
    weight, boundary, value = point(length, share(random_) / 4)
    norm = mpmath.sqrt(value) * (1 + share(random_) * random_.choice([0, 1]))
    side = share(random_) * random_.choice([0, 1])
    rest = mpmath.sqrt(dim) * mpmath.log(weight) - boundary**2 / norm**2
    rest += boundary * value / norm**2
    if rest + side**2 / 4 < 0:
        return None
    across = mpmath.sqrt(rest + side**2 / 4) - side / 2
    vectors = {
        "x": [across, boundary / norm],
        "s": [-side, value / norm],
        "w": [mpmath.mpf(0), norm],
    }
    longest = max(mpmath.sqrt(mpmath.fdot(u, u)) for u in vectors.values())
    return Sample({L: length, d: dim, B: longest * (1 + mpmath.mpf(10) ** -30)}, vectors)


def _largest(random_: random.Random) -> Sample:
    value = mpmath.mpf(random_.uniform(0.5, 8))
    square = value * random_.choice([1, 1 + share(random_), 1 + 5 * share(random_)])
    boundary = random_.choice([mpmath.mpf(-1) / 2, mpmath.mpf(random_.uniform(-0.5, 0.5))])
    norm = mpmath.sqrt(square)
    across = mpmath.sqrt(square - boundary**2 / square) * random_.choice([1, share(random_)])
    side = mpmath.sqrt(square - value**2 / square) * random_.choice([1, 1, -1, share(random_)])
    vectors = {"x": [across, boundary / norm], "s": [-side, value / norm], "w": [0, norm]}
    slightly = 1 + mpmath.mpf(10) ** -30
    return Sample({X: square * slightly, v: value}, vectors)


def _construction(random_: random.Random) -> Sample | None:
    length, dim = random_.randrange(1, 20), random_.choice([3, 16, 400])
    slack, norm = share(random_) / 3, mpmath.mpf(random_.uniform(1, 12))
    weight, boundary, value = point(length, slack)
    side = share(random_)
    rest = mpmath.sqrt(dim) * mpmath.log(weight) - boundary**2 / norm**2
    rest += boundary * value / norm**2 + side**2 / 4
    if rest < 0:
        return None
    across = mpmath.sqrt(rest) - side / 2
    return Sample(
        {
            L: length, d: dim, B: norm, eps: slack, r: across, sigma: side,
            lam: mpmath.mpf(random_.uniform(0, 9)), mu: mpmath.mpf(random_.uniform(-0.5, 0.5)),
            **inputs(random_, length),
        }
    )  # fmt: skip


def _norm_reached(random_: random.Random) -> Sample:
    length, dim = random_.randrange(4, 40), random_.choice([3, 4, 16, 50])
    _, value = least(length)
    more = share(random_) * random_.choice([mpmath.mpf(10) ** -9, 1, 30])
    slack = more / (2 * (2 * mpmath.sqrt(dim) + 1))
    return Sample(
        {L: length, d: dim, B: mpmath.sqrt(value + more), eps: slack, **inputs(random_, length)}
    )


def _near(random_: random.Random) -> Sample:
    value = mpmath.mpf(random_.uniform(5, 30))
    square = value * (1 + share(random_) * random_.choice([0.01, 1, 9]))
    slack = min(1, (square**2 - value**2) / (4 * (value + 1))) * random_.choice([1, share(random_)])
    boundary = -mpmath.mpf(1) / 2 + slack / 2 * random_.choice([1, share(random_)])
    return Sample({X: square, v: value, e: slack, al: boundary, val: value + 2 * slack})


def _plane(random_: random.Random) -> Sample:
    square = mpmath.mpf(random_.uniform(5, 60))
    value = random_.choice([square, 5 + (square - 5) * share(random_)])
    boundary = -mpmath.mpf(random_.choice([0, 0.5, random_.uniform(0, 0.5)]))
    top = square - boundary * value / square
    top += mpmath.sqrt((square**2 - boundary**2) * (square**2 - value**2)) / square
    wanted = random_.choice([top, square - 1, square - 1 + (top - square + 1) * share(random_)])
    wanted -= mpmath.mpf(10) ** -40 * (wanted == top)
    side = mpmath.sqrt(square - value**2 / square)
    rest = wanted - boundary**2 / square + boundary * value / square
    return Sample(
        {
            X: square, val: value, al: boundary, score: wanted, sigma: side,
            r: (mpmath.sqrt(side**2 + 4 * rest) - side) / 2,
            lam: mpmath.sqrt(square - 1 / (4 * square)),
        }
    )  # fmt: skip


def _score_reached(random_: random.Random) -> Sample | None:
    """The bound at which the gap is as wished, by bisection."""
    length, dim = random_.randrange(4, 12), random_.choice([100, 1000, 10**4, 10**6])
    weight, value = least(length)
    needed, wanted = mpmath.sqrt(dim) * mpmath.log(weight), share(random_)

    def excess(square: Number) -> Number:
        return evaluated(largest(X, v), {X: square, v: value}, {}) / square - needed - wanted

    low, high = value, value + needed + 10
    if excess(low) > 0:
        return None
    for _ in range(230):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    outer = low**2 - value**2
    loss = 1 + mpmath.sqrt(dim) + 4 * low * (value + 1) / outer
    slack = 1 / (1 + loss / wanted + 4 * (value + 1) / outer)
    return Sample(
        {L: length, d: dim, B: mpmath.sqrt(low), gap: wanted, eps: slack,
         **inputs(random_, length)}
    )  # fmt: skip


def _published(random_: random.Random) -> Sample:
    length, dim = random_.randrange(2, 60), random_.choice([3, 16, 1000])
    root = evaluated(ROOT, {L: mpmath.mpf(length)}, {})
    norm = max(root + 1 / mpmath.sqrt(2), mpmath.sqrt(2 * mpmath.sqrt(dim) * mpmath.log(root)))
    more = random_.choice([0, share(random_)])
    return Sample({L: length, d: dim, B: norm + more, **inputs(random_, length)})


SAMPLES: dict[str, Sampler] = {
    "least-weight-of-curves": _curve,
    "size-of-least-weight": lambda random_: Sample({L: random_.randrange(1, 10**6)}),
    "curves-do-not-count-exactly": _exact,
    "softmax-value": lambda random_: _layer(random_, 1),
    "softmax-score": lambda random_: _layer(random_, 4),
    "largest-score": _largest,
    "softmax-construction": _construction,
    "softmax-norm-reached": _norm_reached,
    "score-near-the-vertex": _near,
    "score-in-a-plane": _plane,
    "softmax-score-reached": _score_reached,
    "softmax-published": _published,
}
