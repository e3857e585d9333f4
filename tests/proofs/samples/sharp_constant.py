"""Numbers for the sharp constant at any offset."""

from __future__ import annotations

import random

import mpmath

from proofs.sharp_constant import z
from proofs.terms import L
from proofs.width import S
from tests.proofs.numeric import Sample, Sampler
from tests.proofs.samples.post_ln_vectors import SAMPLES as VECTORS
from tests.proofs.samples.post_ln_vectors import arc_vectors


def _bent(random_: random.Random) -> Sample:
    points = sorted(mpmath.mpf(random_.uniform(-3, 3)) for _ in range(4))
    largest = max(abs(s) for s in points)
    share = random_.choice([0, random_.uniform(0, 0.999)])
    return Sample({**dict(zip(S, points, strict=True)), z: share / largest**2})


def _counts(random_: random.Random) -> Sample | None:
    length = random_.randrange(6, 30)
    found = arc_vectors(random_, length)
    if found is None:
        return None
    return Sample({**found["values"], L: length}, vectors=found["vectors"])


SAMPLES: dict[str, Sampler] = {
    "cross-ratio-grows-at-least": _bent,
    "post-ln-four-inputs": VECTORS["post-ln-refutation"],
    "post-ln-sharp-lower-bound": _counts,
}
