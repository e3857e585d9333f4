"""Numbers for the construction of learned pre-LN."""

from __future__ import annotations

import random

import mpmath

from proofs.learned_pre_ln_reached import G, K, cosine, h
from proofs.terms import B, L, d
from tests.proofs.numeric import Sample, Sampler
from tests.proofs.samples.softmax import inputs, point


def _reached(random_: random.Random) -> Sample:
    length, dim = random_.choice([4, 5, 6, 9, 30]), random_.choice([3, 4, 16, 10**4])
    root = mpmath.sqrt(dim - 1)
    reach = 1 + root
    weight, first, value = point(length, mpmath.mpf(1))
    bound = mpmath.sqrt(5 * value / reach)
    angle = (first * reach / value - 1) / root
    score = mpmath.sqrt(dim) * mpmath.log(weight)
    square = (score - (first**2 - first * value) / bound**2) / (dim * (1 - angle**2))
    return Sample(
        {
            L: length, d: dim, B: bound, K: reach, G: value / (reach * bound), cosine: angle,
            h: mpmath.sqrt(square), **inputs(random_, length),
        }
    )  # fmt: skip


SAMPLES: dict[str, Sampler] = {
    "learned-pre-ln-room": _reached,
    "learned-pre-ln-reached": _reached,
}
