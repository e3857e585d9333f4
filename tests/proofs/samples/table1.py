"""Numbers for the rows of Table 1."""

from __future__ import annotations

import random
from functools import partial

import mpmath

from proofs.post_ln import bound
from proofs.published_post_ln import size as rest
from proofs.terms import B, L, d
from tests.proofs.numeric import Sample, Sampler
from tests.proofs.samples import learned_pre_ln, learned_pre_ln_reached, linear, pre_ln, softmax
from tests.proofs.samples.post_ln_vectors import arc_vectors
from tests.proofs.samples.softmax import inputs, share


def _linear_upper(random_: random.Random) -> Sample:
    length, dim = random_.randrange(5, 40), random_.choice([3, 16, 1000])
    return Sample({L: length, d: dim, B: mpmath.root(2 * dim, 8), **inputs(random_, length)})


def _sphere_upper(random_: random.Random) -> Sample:
    length, dim = random_.randrange(2, 40), random_.choice([3, 16, 1000])
    scale = mpmath.mpf(3) / 2 - mpmath.mpf(1) / length
    return Sample({L: length, d: dim, B: scale / dim, **inputs(random_, length)})


def _softmax_upper(random_: random.Random) -> Sample:
    length, dim = random_.randrange(2, 40), random_.choice([3, 16, 10**6])
    square = max(length**2, mpmath.sqrt(dim) * mpmath.log(length)) * 2
    more = 1 + random_.choice([mpmath.mpf(10) ** -30, share(random_)])
    return Sample({L: length, d: dim, B: mpmath.sqrt(square) * more, **inputs(random_, length)})


def _below_the_cap(random_: random.Random) -> Sample:
    dim = random_.choice([3, 4, 16, 40])
    most = int(2 * mpmath.exp(mpmath.sqrt(dim)))
    return Sample({L: random_.choice([most, random_.randrange(1, most + 1)]), d: dim})


def _post(random_: random.Random, *, learned: bool) -> Sample | None:
    """An arc that counts; with a common factor in all vectors, the norm is no limit."""
    length = random_.randrange(10, 24)
    found = arc_vectors(random_, length)
    if found is None:
        return None
    values = {s: value for s, value in found["values"].items() if s != bound}
    square = mpmath.fsum(x * x for x in found["vectors"]["w"]) * (1 + mpmath.mpf(10) ** -12)
    if learned:
        square = mpmath.sqrt(square / (1 - mpmath.mpf(1) / values[d]))
    return Sample({**values, L: length, B: mpmath.sqrt(square)}, vectors=found["vectors"])


def _post_upper(random_: random.Random, *, learned: bool) -> Sample:
    length, dim = random_.randrange(1, 40), random_.choice([3, 16, 1000])
    square = mpmath.mpf(length) ** 3 / dim
    norm = mpmath.root(2 * square, 4) if learned else mpmath.sqrt(square)
    size = norm * random_.choice([1, share(random_)])
    return Sample({L: length, d: dim, B: norm, rest: size, **inputs(random_, length)})


SAMPLES: dict[str, Sampler] = {
    "table-1-linear-lower": linear.SAMPLES["linear-rounding"],
    "table-1-linear-upper": _linear_upper,
    "table-1-linear-pre-ln-lower": linear.SAMPLES["linear-pre-ln-rounding"],
    "table-1-linear-pre-ln-upper": _sphere_upper,
    "table-1-softmax-lower": softmax.SAMPLES["softmax-score"],
    "table-1-softmax-upper": _softmax_upper,
    "table-1-softmax-post-ln-lower": partial(_post, learned=False),
    "table-1-softmax-post-ln-learned-lower": partial(_post, learned=True),
    "table-1-softmax-post-ln-upper": partial(_post_upper, learned=False),
    "table-1-softmax-post-ln-learned-upper": partial(_post_upper, learned=True),
    "table-1-softmax-pre-ln-lower": _below_the_cap,
    "table-1-softmax-pre-ln-upper": pre_ln.SAMPLES["cap-is-needed"],
    "table-1-softmax-pre-ln-learned-lower": learned_pre_ln.SAMPLES["learned-pre-ln-value"],
    "table-1-softmax-pre-ln-learned-upper": learned_pre_ln_reached.SAMPLES[
        "learned-pre-ln-reached"
    ],
}
