"""Numbers for the published post-LN constructions."""

from __future__ import annotations

import random

import mpmath

from proofs.published_post_ln import c, rho, size
from proofs.terms import B, L, d, m, n
from tests.proofs.numeric import DIGITS, Sample, Sampler


def _published(random_: random.Random) -> Sample:
    """Lengths of the read-out at or slightly above what is asked for."""
    with mpmath.workdps(DIGITS):
        length, dim = random_.randrange(1, 60), random_.randrange(3, 40)
        spaces = random_.randrange(length + 1)
        more = 1 + mpmath.mpf(random_.choice([1e-9, random_.random()]))
        least = mpmath.sqrt(mpmath.mpf(length) ** 3 / dim) * more
        learned = random_.random() < 0.5
        bound = mpmath.sqrt(mpmath.sqrt(2) * least) if learned else least
        return Sample(
            {
                L: length,
                d: dim,
                n: spaces,
                m: random_.randrange(length - spaces + 1),
                c: mpmath.sqrt(mpmath.mpf(length) ** 3) * more,
                rho: least,
                B: bound,
                size: bound * mpmath.mpf(random_.choice([0.9999, random_.uniform(0.01, 0.99)])),
            }
        )


SAMPLES: dict[str, Sampler] = dict.fromkeys(
    (
        "published-arc-rounds",
        "published-vectors-follow-the-arc",
        "post-ln-published",
        "learned-post-ln-published",
    ),
    _published,
)
