"""Numbers for the cross-ratio theorem for vectors."""

from __future__ import annotations

import random
from typing import Any

import mpmath

from proofs.cross_ratio import LIMITS, N, kappa, r0, r1, tau, u0, u1
from proofs.post_ln import bound, shifts
from proofs.post_ln_vectors import a
from proofs.terms import d
from tests.proofs.numeric import DIGITS, Sample, Sampler
from tests.proofs.samples.post_ln import random_arc


def arc_vectors(random_: random.Random, size: int) -> dict[str, Any] | None:
    """Vectors whose outputs run along an arc, with a read-out tilted out of the plane."""
    arc = random_arc(random_, size)
    if not arc:
        return None
    with mpmath.workdps(DIGITS):
        dim, weight = random_.randrange(3, 20), mpmath.mpf(random_.uniform(0.3, 3))
        long = arc[kappa] / mpmath.sqrt(dim)
        tilt = mpmath.mpf(random_.choice([0, 0, random_.uniform(-0.1, 0.1)])) * long
        vectors = {
            "w": [long, mpmath.mpf(0), tilt],
            "x": [arc[u0] / weight, arc[r0] / weight, mpmath.mpf(0)],
            "s": [arc[u1], arc[r1], mpmath.mpf(0)],
        }
        wide = mpmath.sqrt(dim * (long**2 + tilt**2))
        more = random_.choice([1 + mpmath.mpf(10) ** -12, mpmath.mpf(random_.uniform(1, 1.2))])
        return {
            "vectors": vectors,
            "values": {d: dim, a: weight, tau: arc[tau], bound: wide * more},
        }


def _layer(random_: random.Random) -> Sample | None:
    size = random_.choice([3, random_.randrange(4, 20)])
    found = arc_vectors(random_, size)
    if found is None:
        return None
    inputs = dict(zip(N, sorted(random_.sample(range(size + 1), 4)), strict=True))
    with mpmath.workdps(DIGITS):
        values = {**found["values"], **inputs}
        places = [
            mpmath.mpf(float(one.subs({**inputs, tau: 0}))) - values[tau] for one in shifts(tau)
        ]
        limits = {s: one / values[bound] for s, one in zip(LIMITS, places, strict=True)}
    return Sample({**values, **limits}, vectors=found["vectors"])


def _parallel(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        direction = [mpmath.mpf(random_.uniform(-2, 2)) for _ in range(3)]
        rates = [mpmath.mpf(random_.choice([0, 1, random_.uniform(-2, 2)])) for _ in range(2)]
        return Sample(
            {
                a: mpmath.mpf(random_.uniform(0.3, 3)),
                **{number: random_.randrange(9) for number in N},
            },
            vectors={
                "w": [mpmath.mpf(random_.uniform(-2, 2)) for _ in range(3)],
                **{
                    name: [rate * one for one in direction]
                    for name, rate in zip("xs", rates, strict=True)
                },
            },
        )


SAMPLES: dict[str, Sampler] = {
    "parallel-embeddings-do-not-turn": _parallel,
    "post-ln-reach": _layer,
    "post-ln-refutation": _layer,
}
