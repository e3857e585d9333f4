"""Numbers for the theorems about the rounding polytope."""

from __future__ import annotations

import random

import mpmath

from proofs.polytope import (
    A,
    a,
    alpha,
    beta,
    delta,
    eps,
    other,
    own,
    read_first,
    read_space,
)
from proofs.terms import L, m, n
from tests.proofs.numeric import Sample, Sampler


def _near_the_vertex(random_: random.Random) -> tuple[int, mpmath.mpf, mpmath.mpf, mpmath.mpf]:
    """A length and a point that is inside or nearly so."""
    length = random_.randrange(1, 40)
    slack = mpmath.mpf(random_.random()) * random_.choice([0, 1, 1, 5])
    weight = (length - 1) ** 2 // 4 + 2 * slack
    first = -weight / 2 + slack * random_.choice([0, 1, 1, mpmath.mpf(random_.random())])
    value = (length - 1) ** 2 // 4 + length - mpmath.mpf(1) / 2 + 2 * slack
    return length, weight, first, value


def _inside(random_: random.Random) -> Sample:
    length, weight, first, value = _near_the_vertex(random_)
    return Sample({L: length, a: weight, beta: first, A: value})


def _vertex(random_: random.Random) -> Sample:
    length = random_.randrange(1, 100)
    slack = mpmath.mpf(random_.random()) ** random_.randrange(1, 9) * 10
    return Sample({L: length, n: random_.randrange(length + 1), eps: slack})


def _letters(random_: random.Random) -> Sample:
    length, weight, first, value = _near_the_vertex(random_)
    spaces = random_.randrange(length + 1)
    letters = random_.choice([0, length - spaces, random_.randrange(length - spaces + 1)])
    share = random_.choice([1, mpmath.mpf(random_.random())])
    side = random_.choice([-1, 1, 2 * random_.random() - 1]) / mpmath.mpf(2)
    return Sample(
        {
            L: length,
            a: weight,
            beta: first,
            A: value,
            n: spaces,
            m: letters,
            delta: share,
            alpha: side,
        }
    )


def _layers(random_: random.Random) -> Sample:
    length = random_.randrange(1, 20)
    slack = mpmath.mpf(random_.uniform(0.01, 3))
    weight = (length - 1) ** 2 // 4 + 2 * slack
    spaces = random_.randrange(length + 1)
    value = (length - 1) ** 2 // 4 + length - mpmath.mpf(1) / 2 + 2 * slack
    return Sample(
        {
            L: length, eps: slack, own: mpmath.log(weight), other: -random_.choice([0, 1, 9]),
            read_first: slack / weight - mpmath.mpf(1) / 2, read_space: value,
            alpha: mpmath.mpf(random_.choice([-1, 1, 0])) / 2, n: spaces,
            m: random_.choice([0, length - spaces]),
        }
    )  # fmt: skip


SAMPLES: dict[str, Sampler] = {
    "least-weight-and-value": _inside,
    "vertex-of-the-polytope": _vertex,
    "letters-are-free": _letters,
    "layers-near-the-vertex": _layers,
}
