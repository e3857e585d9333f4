"""Numbers for the theorems about linear attention."""

from __future__ import annotations

import random
from typing import Any

import mpmath

from proofs.linear import cosine, diagonal, excess, height, long, side
from proofs.terms import B, L, d
from tests.proofs.numeric import Sample, Sampler
from tests.proofs.samples.softmax import inputs, share

Number = Any
SLIGHTLY = 1 + mpmath.mpf(10) ** -30


def _dim(random_: random.Random) -> int:
    return random_.choice([3, 4, 16, 1000])


def _exact(random_: random.Random) -> Sample:
    """Orthogonal x and w, and a space between them, scaled until the rate is 1."""
    dim = _dim(random_)
    angle = mpmath.pi / 4 * random_.choice([1, 1, share(random_) + 0.2])
    sizes = [mpmath.mpf(random_.uniform(0.5, 2)) for _ in range(2)]
    rate = sizes[0] * sizes[1] ** 2 * mpmath.sin(angle) * mpmath.cos(angle)
    third = mpmath.sqrt(dim) / rate
    vectors = {
        "x": [sizes[0], 0, 0],
        "s": [sizes[1] * mpmath.cos(angle), sizes[1] * mpmath.sin(angle), share(random_) - 0.5],
        "w": [0, third, 0],
    }
    bound = max(mpmath.sqrt(mpmath.fdot(v, v)) for v in vectors.values())
    return Sample({d: dim, B: bound * SLIGHTLY}, vectors)


def _exact_sphere(random_: random.Random) -> Sample:
    dim = _dim(random_)
    root = mpmath.sqrt(dim)
    angle = mpmath.pi / 4 * random_.choice([1, 1, share(random_) + 0.2])
    size = 1 / (dim * mpmath.sin(angle) * mpmath.cos(angle))
    vectors = {
        "x": [root, 0],
        "s": [root * mpmath.cos(angle), root * mpmath.sin(angle)],
        "w": [0, size],
    }
    return Sample({d: dim, B: size * SLIGHTLY}, vectors)


def _exact_reached(random_: random.Random) -> Sample:
    dim = _dim(random_)
    bound = mpmath.root(4 * dim, 8) * (1 + random_.choice([0, share(random_)])) * SLIGHTLY
    return Sample(
        {
            d: dim, B: bound, side: bound / mpmath.sqrt(2),
            height: 2 * mpmath.sqrt(dim) / bound**3, **inputs(random_, 9),
        }
    )  # fmt: skip


def _exact_sphere_reached(random_: random.Random) -> Sample:
    dim = _dim(random_)
    bound = mpmath.mpf(2) / dim * (1 + random_.choice([0, share(random_)])) * SLIGHTLY
    root = mpmath.sqrt(dim)
    return Sample(
        {
            d: dim, B: bound, long: root, diagonal: root / mpmath.sqrt(2),
            height: mpmath.mpf(2) / dim, **inputs(random_, 9),
        }
    )  # fmt: skip


def _rounding(random_: random.Random) -> Sample:
    """Vectors on a line that count to L, the read-out of any size."""
    dim, length = _dim(random_), random_.randrange(2, 20)
    start = (mpmath.mpf(1) / 2) * random_.choice([SLIGHTLY**-2, share(random_)])
    rate = 1 - (start + mpmath.mpf(1) / 2) / length + mpmath.mpf(10) ** -20
    size = mpmath.root(2 * dim, 8) * random_.choice([1, mpmath.mpf(random_.uniform(0.5, 2))])
    radius = mpmath.cbrt(start * mpmath.sqrt(dim) / size)
    space = mpmath.sqrt(rate * mpmath.sqrt(dim) / (radius * size))
    bound = max(radius, space, size) * SLIGHTLY
    return Sample({L: length, d: dim, B: bound}, {"x": [radius], "s": [space], "w": [size]})


def _sphere(random_: random.Random) -> Sample:
    dim, length = _dim(random_), random_.randrange(2, 20)
    root = mpmath.sqrt(dim)
    start = (mpmath.mpf(1) / 2) * random_.choice([SLIGHTLY**-2, share(random_)])
    rate = 1 - (start + mpmath.mpf(1) / 2) / length + mpmath.mpf(10) ** -20
    scale = max(2 * rate - start, start)
    angle = mpmath.acos(min(1, start / scale))
    vectors = {
        "x": [root * mpmath.cos(angle), root * mpmath.sin(angle)],
        "s": [root * mpmath.cos(angle / 2), root * mpmath.sin(angle / 2)],
        "w": [scale / dim, 0],
    }
    return Sample({L: length, d: dim, B: scale / dim * SLIGHTLY}, vectors)


def _alike(random_: random.Random) -> Sample:
    dim = _dim(random_)
    size = mpmath.mpf(random_.uniform(0.25, 0.6)) * SLIGHTLY
    bound = mpmath.root(size * mpmath.sqrt(dim), 4)
    vectors = {name: [bound] for name in "xsw"}
    return Sample({d: dim, B: bound * SLIGHTLY}, vectors)


def _alike_on_the_sphere(random_: random.Random) -> Sample:
    dim = _dim(random_)
    size = mpmath.mpf(random_.uniform(0.25, 0.6)) * SLIGHTLY
    vectors = {"x": [mpmath.sqrt(dim)], "s": [mpmath.sqrt(dim)], "w": [size / dim]}
    return Sample({d: dim, B: size / dim * SLIGHTLY}, vectors)


def _reached(random_: random.Random) -> Sample:
    dim, length = _dim(random_), random_.randrange(2, 30)
    more = share(random_)
    bound = mpmath.root(2 * dim * (1 - mpmath.mpf(1) / length) ** 3 * (1 + more), 8)
    return Sample({L: length, d: dim, B: bound, excess: more, **inputs(random_, length)})


def _sphere_reached(random_: random.Random) -> Sample:
    dim, length = _dim(random_), random_.randrange(2, 30)
    more = share(random_) / length
    scale = mpmath.mpf(3) / 2 - mpmath.mpf(2) / length + more
    angle = (mpmath.mpf(1) / 2 - more / (2 * (1 + mpmath.mpf(2) / length))) / scale
    return Sample(
        {L: length, d: dim, B: scale / dim, excess: more, cosine: angle, **inputs(random_, length)}
    )


def _sphere_counts(random_: random.Random) -> Sample:
    sample = _sphere_reached(random_)
    values = {s: value for s, value in sample.values.items() if s != excess}
    return Sample(values)


def _one_reached(random_: random.Random) -> Sample:
    dim = _dim(random_)
    size = mpmath.mpf(random_.uniform(0.2501, 0.4999))
    return Sample({d: dim, B: mpmath.root(size * mpmath.sqrt(dim), 4), **inputs(random_, 1)})


def _sphere_one_reached(random_: random.Random) -> Sample:
    dim = _dim(random_)
    size = mpmath.mpf(random_.uniform(0.2501, 0.4999))
    return Sample({d: dim, B: size / dim, **inputs(random_, 1)})


SAMPLES: dict[str, Sampler] = {
    "linear-exact": _exact,
    "linear-exact-reached": _exact_reached,
    "linear-pre-ln-exact": _exact_sphere,
    "linear-pre-ln-exact-reached": _exact_sphere_reached,
    "linear-rounding": _rounding,
    "linear-rounding-reached": _reached,
    "linear-rounding-at-one": _alike,
    "linear-rounding-at-one-reached": _one_reached,
    "linear-pre-ln-rounding": _sphere,
    "linear-pre-ln-rounding-at-one": _alike_on_the_sphere,
    "linear-pre-ln-construction": _sphere_counts,
    "linear-pre-ln-rounding-reached": _sphere_reached,
    "linear-pre-ln-rounding-at-one-reached": _sphere_one_reached,
}
