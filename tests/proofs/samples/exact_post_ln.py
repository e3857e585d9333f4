"""Numbers for the theorems about exact counting in post-LN."""

from __future__ import annotations

import random
from typing import Any

import mpmath

from proofs.cross_ratio import kappa, r0, r1, tau, u0, u1
from proofs.exact_post_ln import h
from proofs.terms import L, n
from tests.proofs.numeric import DIGITS, Sample, Sampler


def _step(random_: random.Random) -> Sample:
    return Sample({h: mpmath.mpf(random_.choice([random_.uniform(0, 2 / 3), 1 / 3, 1e-6]))})


def _through(width: Any, offset: Any) -> dict[Any, Any]:
    """The arc with y = n at n = 0, 1, 2."""
    t = []
    for k in range(3):
        height = (k - offset) / width
        t.append(height / mpmath.sqrt(1 - height * height))
    matrix = mpmath.matrix([[1, 0, 0], [1, 1, -t[1]], [1, 2, -2 * t[2]]])
    first, rate, fall = mpmath.lu_solve(matrix, mpmath.matrix(t))
    return {kappa: width, tau: offset, u0: first, u1: rate, r0: mpmath.mpf(1), r1: fall}


def _three(random_: random.Random, top: bool = False) -> Sample:
    with mpmath.workdps(DIGITS):
        offset = mpmath.mpf(random_.uniform(-1, 1.45 if top else 3))
        least = max(offset, 2 - offset)
        width = least + mpmath.mpf(random_.choice([random_.uniform(0.01, 2), 10]))
        length = random_.randrange(3)
        return Sample(
            {L: length, n: random_.randrange(3), **_through(3 - offset if top else width, offset)}
        )


SAMPLES: dict[str, Sampler] = {
    "tangents-before-the-vertical": _step,
    "exact-values-do-not-end-at-the-top": lambda random_: _three(random_, True),
    "four-exact-values": _three,
    "post-ln-does-not-count-exactly": _three,
    "post-ln-counts-exactly-to-two": lambda random_: Sample({n: random_.randrange(3)}),
}
