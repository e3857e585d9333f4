"""Numbers for the theorems about post-LN arcs."""

from __future__ import annotations

import random

import mpmath

from proofs.cross_ratio import LIMITS, N, kappa, r0, r1, tau, u0, u1
from proofs.post_ln import bound
from proofs.terms import L
from tests.proofs.numeric import DIGITS, Sample, Sampler


def random_arc(random_: random.Random, size: int) -> dict[object, mpmath.mpf]:
    """An arc that rounds 0..size, or nearly so."""
    with mpmath.workdps(DIGITS):
        offset = mpmath.mpf(random_.choice([0, size, random_.uniform(0, size)]))
        turned = random_.choice([1, 1, -1])
        if size == 3 and random_.random() < 0.6:  # through three heights, past 90 degrees
            width = max(3 - offset, offset) + mpmath.mpf(random_.uniform(-0.4, 0.5))
            heights = [k + mpmath.mpf(random_.uniform(-0.45, 0.45)) for k in range(3)]
            x = [(h - offset) / width for h in heights]
            if max(abs(one) for one in x) >= 1:
                return {}
            t = [one / mpmath.sqrt(1 - one * one) for one in x]
            # U/R = t at 0, 1, 2 with U = u0 + u1 n, R = 1 + r1 n
            matrix = mpmath.matrix([[1, 0, 0], [1, 1, -t[1]], [1, 2, -2 * t[2]]])
            line = mpmath.lu_solve(matrix, mpmath.matrix(t))
            first, rate, fall = line[0], line[1], line[2]
            return {kappa: width, tau: offset, u0: first, u1: rate, r0: turned, r1: turned * fall}
        width = mpmath.mpf(size) ** 1.5 * mpmath.mpf(random_.uniform(0.9, 1.5))
        return {
            kappa: width,
            tau: offset,
            u0: -offset,
            u1: mpmath.mpf(1),
            r0: turned * width,
            r1: mpmath.mpf(0),
        }


def _floor(random_: random.Random) -> Sample | None:
    size = random_.choice([3, 3, random_.randrange(3, 30)])
    arc = random_arc(random_, size)
    return Sample({L: size, **arc}) if arc else None


def _four(random_: random.Random, wide_: bool = False) -> Sample | None:
    size = random_.choice([3, random_.randrange(4, 30)])
    arc = random_arc(random_, size)
    inputs = sorted(random_.sample(range(size + 1), 4))
    if not arc:
        return None
    with mpmath.workdps(DIGITS):
        wider = mpmath.mpf(random_.choice([1, random_.uniform(1, 1.2)]))
        wide = arc[kappa] * (wider if wide_ else 1)
        half = mpmath.mpf(1) / 2
        limits = {
            s: (number + side * half - arc[tau]) / wide
            for s, number, side in zip(LIMITS, inputs, (1, -1, 1, -1), strict=True)
        }
    return Sample({**dict(zip(N, inputs, strict=True)), **arc, **limits, bound: wide})


SAMPLES: dict[str, Sampler] = {
    "post-ln-floor": _floor,
    "post-ln-cross-ratio": _four,
    "post-ln-cross-ratio-at-any-width": lambda random_: _four(random_, True),
}
