"""Numbers for the theorems about the classification read-out."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import mpmath

from countbounds.proving.library import library
from proofs.classification import (
    b0,
    b1,
    common,
    eps,
    gap,
    k,
    most,
    other,
    own,
    p_,
    q_,
    radius,
    weight_,
    z,
)
from proofs.polytope import a
from proofs.terms import B, L, d, m, n
from tests.proofs.numeric import DIGITS, Sample, Sampler, evaluated


def _parabola(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        spaces, label = random_.randrange(9), random_.randrange(9)
        scale, step, term = (mpmath.mpf(random_.random()) for _ in range(3))
        scores = [(step * (2 * t * spaces - t**2) + term) / scale for t in (spaces, label)]
        known = {n: spaces, k: label, z: scale, eps: step, common: term}
        return Sample({**known, own: scores[0], other: scores[1]})


def _layer(name: str) -> Sampler:
    def sample(random_: random.Random) -> Sample:
        with mpmath.workdps(DIGITS):
            length = random_.randrange(1, 9)
            spaces = random_.randrange(length + 1)
            label = random_.choice([t for t in range(length + 1) if t != spaces])
            known = {
                d: random_.choice([3, 4, 16]),
                L: length,
                n: spaces,
                m: random_.choice([0, length - spaces]),
                k: label,
            }
            known = {symbol: mpmath.mpf(value) for symbol, value in known.items()}
            hypotheses = library()[name].statement.hypotheses
            for definition in ("own", "other", "z", "epsilon", "norm", "bias"):
                symbol, term = hypotheses[definition].args
                known[symbol] = evaluated(term, known, {})
            return Sample(known)

    return sample


def at(values: list[Any]) -> Callable[[Any], Any]:
    def function(index: Any) -> Any:
        if index != int(index) or not 0 <= index < len(values):
            raise ValueError("there is no such class")
        return values[int(index)]

    return function


def classes(random_: random.Random) -> tuple[dict[Any, Any], list[Any], list[Any]]:
    """Classes with a gap, and their scores p_k, q_k."""
    length = random_.randrange(1, 7)
    weight = mpmath.mpf(random_.random()) * random_.choice([1, 5])
    least = mpmath.mpf(random_.choice([1, random_.random(), -1]))
    slack = random_.choice([0, mpmath.mpf("0.01"), mpmath.mpf(random_.random())])
    q, p = [mpmath.mpf(random_.uniform(-9, 0))], [mpmath.mpf(random_.uniform(0, 9))]
    for t in range(length):
        step = least * (2 * weight + 2 * t + 1) + slack
        low, high = t * step + least * (weight + t), (t + 1) * step - least * (weight + t + 1)
        q.append(q[-1] + step)
        p.append(
            p[-1] - (low + (high - low) * random_.choice([0, 1, mpmath.mpf(random_.random())]))
        )
    return {L: length, a: weight, gap: least * (1 - mpmath.mpf(10) ** -30)}, p, q


def _gaps(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        known, p, q = classes(random_)
        return Sample({**known, p_: at(p), q_: at(q)})


def _bounded(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        known, p, q = classes(random_)
        far = mpmath.mpf(random_.choice([1, random_.random() + 0.1, 3]))
        q = [x - (q[0] + q[-1]) / 2 for x in q]
        p = [x - (p[0] + p[-1]) / 2 for x in p]
        sides, bound = [], mpmath.mpf(0)
        for index in (0, -1):
            bias = (q[index] + p[index] / known[a]) / 2 * random_.random()
            row = [(p[index] / known[a] - bias) / far, (q[index] - bias) / far]
            bound = max(bound, abs(bias), mpmath.hypot(*row))
            sides.append((bias, row))
        known |= {B: bound * (1 + mpmath.mpf(10) ** -30), radius: far}
        known |= {b0: sides[0][0], b1: sides[1][0], p_: at(p), q_: at(q)}
        vectors = {"least": sides[0][1], "last": sides[1][1], "u": [far, 0], "s": [0, far]}
        return Sample(known, vectors)


def _best(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        length, size = random_.randrange(1, 9), mpmath.mpf(random_.random())
        best = mpmath.sqrt(mpmath.mpf(length**2 - 1) / 3)
        weight = best * random_.choice([1, random_.uniform(0.5, 2)]) + mpmath.mpf("0.001")
        known = {L: length, a: weight, gap: size}
        return Sample({**known, most: size * divisor(length, weight)})


def _heaviest(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        length, size = random_.randrange(2, 9), mpmath.mpf(random_.random())
        best = mpmath.sqrt(mpmath.mpf(length**2 - 1) / 3) * (1 - mpmath.mpf(10) ** -30)
        heavy = best * random_.choice([1, mpmath.mpf(random_.random())])
        weight = heavy * random_.choice([1, mpmath.mpf(random_.random())])
        known = {L: length, a: weight, weight_: heavy, gap: size}
        largest = divisor(length, weight) * (1 + mpmath.mpf(10) ** -30)
        return Sample({**known, most: size * largest})


def divisor(length: int, weight: Any) -> Any:
    return length**2 + weight * length + length * (length**2 - 1) / (3 * weight)


PLACEMENTS = [
    f"classes-of-{attention}{placement}"
    for attention in ("linear", "softmax")
    for placement in ("", "-pre-ln", "-pre-ln-learned", "-post-ln", "-post-ln-learned")
]

SAMPLES: dict[str, Sampler] = {
    "parabola-decodes": _parabola,
    **{name: _layer(name) for name in PLACEMENTS},
    "class-gap-step-of-spaces": _gaps,
    "class-gap-step-of-boundary": _gaps,
    "class-gap-summed": _gaps,
    "class-gap-is-bounded": _bounded,
    "class-gap-at-the-best-weight": _best,
    "class-gap-at-the-largest-weight": _heaviest,
}
