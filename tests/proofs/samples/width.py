"""Numbers for the theorems about the width of an arc."""

from __future__ import annotations

import random

import mpmath

from proofs.width import S, high, low
from tests.proofs.numeric import Sample, Sampler


def _bent(random_: random.Random) -> Sample:
    points = sorted(mpmath.mpf(random_.uniform(-3, 3)) for _ in range(4))
    most = 1 / max(points[0] ** 2, points[3] ** 2) * mpmath.mpf(random_.uniform(0.1, 0.999))
    share = mpmath.mpf(random_.choice([0, random_.random(), random_.random()]))
    return Sample({**dict(zip(S, points, strict=True)), low: share * most, high: most})


SAMPLES: dict[str, Sampler] = {
    "cross-ratio-grows-with-curvature": _bent,
    "cross-ratio-grows-with-curvature-strictly": _bent,
}
