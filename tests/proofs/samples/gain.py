"""Numbers for the theorems about gains and read-outs."""

from __future__ import annotations

import random

import mpmath

from proofs.gain import b, e, g, tau, w
from proofs.terms import B, d
from tests.proofs.numeric import Sample, Sampler


def _column(random_: random.Random, size: int) -> list[mpmath.mpf]:
    return [
        random_.choice([0, mpmath.mpf(random_.uniform(-2, 2)), random_.choice([-1, 1])])
        for _ in range(size)
    ]


def _columns(random_: random.Random) -> Sample:
    size = random_.randrange(3, 8)
    columns = {symbol: _column(random_, size) for symbol in (w, g, b)}
    if random_.random() < 0.3:  # where the bounds are met
        columns = dict.fromkeys((w, g, b), [mpmath.mpf(1)] + [mpmath.mpf(0)] * (size - 1))
    return Sample({d: size}, entries=columns)


def _axis(random_: random.Random) -> Sample:
    size = random_.randrange(3, 8)
    bound = mpmath.mpf(random_.uniform(0.1, 5))
    share = random_.choice([-1, 1, random_.uniform(-1, 1)])
    return Sample(
        {d: size, B: bound, tau: share * bound * bound * (1 - mpmath.mpf(10) ** -12)},
        entries={e: [1] + [0] * (size - 1)},
    )


SAMPLES: dict[str, Sampler] = {
    "sum-of-products": _columns,
    "offset-is-bounded": _columns,
    "gain-times-read-out": _columns,
    "gain-on-an-axis": _axis,
}
