"""Numbers for the theorems about vectors."""

from __future__ import annotations

import random

from tests.proofs.numeric import Sample, Sampler


def _two_vectors(random_: random.Random) -> Sample:
    dim = random_.randrange(1, 5)
    left = [random_.uniform(-2, 2) for _ in range(dim)]
    if random_.random() < 0.3:
        return Sample(
            vectors={"u": left, "v": [random_.uniform(-2, 2) * x for x in left[:1]] * dim}
        )
    if random_.random() < 0.3:
        share = random_.uniform(-2, 2)
        return Sample(vectors={"u": left, "v": [share * x for x in left]})
    return Sample(vectors={"u": left, "v": [random_.uniform(-2, 2) for _ in range(dim)]})


SAMPLES: dict[str, Sampler] = {"cauchy-schwarz": _two_vectors}
