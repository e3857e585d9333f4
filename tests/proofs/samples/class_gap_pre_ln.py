"""Numbers for the theorems about the gap of classes over values of one length."""

from __future__ import annotations

import random

import mpmath

from proofs.class_gap_pre_ln import distance, score
from proofs.class_gap_pre_ln import length as least
from proofs.classification import b0, b1, gap, p_, q_
from proofs.polytope import a
from proofs.terms import B, L, d
from tests.proofs.numeric import DIGITS, Sample, Sampler
from tests.proofs.samples.classification import at, classes, divisor


def _by_distance(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        known, p, q = classes(random_)
        far, near = (mpmath.mpf(random_.uniform(0.1, 2)) for _ in range(2))
        apart = random_.choice([1, mpmath.mpf(random_.random())])  # of <u, s> = 0 or another angle
        u, s = [far, 0], [near * (1 - apart), near * apart]
        rows, biases = [], []
        for index in (0, -1):
            bias = mpmath.mpf(random_.uniform(-3, 3))
            first = (p[index] / known[a] - bias) / far
            rows.append([first, (q[index] - bias - first * s[0]) / s[1]])
            biases.append(bias)
        bound = max(mpmath.hypot(*row) for row in rows) * (1 + mpmath.mpf(10) ** -30)
        known |= {B: bound, distance: mpmath.hypot(u[0] - s[0], s[1])}
        known |= {b0: biases[0], b1: biases[1], p_: at(p), q_: at(q)}
        return Sample(known, {"least": rows[0], "last": rows[1], "u": u, "s": s})


def _one_length(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        length, dim = random_.randrange(1, 30), random_.choice([1, 3, 16, 100])
        root = mpmath.sqrt(dim)
        logarithm = max(1, mpmath.log(2 * length / mpmath.sqrt(3)))
        smallest = logarithm * random_.choice([1, random_.uniform(1, 2)]) + mpmath.mpf(10) ** -30
        exponent = smallest * mpmath.mpf(
            random_.choice([1, random_.random(), random_.uniform(1, 4)])
        )
        weight, far = mpmath.exp(exponent), mpmath.sqrt(2 * root * exponent)
        bound = mpmath.mpf(random_.random())
        largest = bound * far / divisor(length, weight) * (1 - mpmath.mpf(10) ** -30)
        known = {L: length, d: dim, a: weight, score: exponent, distance: far, least: smallest}
        return Sample({**known, B: bound, gap: largest})


SAMPLES: dict[str, Sampler] = {
    "class-gap-by-distance": _by_distance,
    "class-gap-of-bare-pre-ln": _one_length,
}
