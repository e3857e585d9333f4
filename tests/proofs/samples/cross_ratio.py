"""Numbers for the theorems about cross-ratios on the circle."""

from __future__ import annotations

import random

import mpmath

from proofs.cross_ratio import COSINES, LIMITS, ROOTS, SINES, N, r0, r1, u0, u1
from tests.proofs.numeric import DIGITS, Sample, Sampler


def _sweep(random_: random.Random) -> list[mpmath.mpf]:
    """Four angles, often past the vertical at an end."""
    degree = mpmath.pi / 180
    low = random_.choice([random_.uniform(-89, -40), random_.uniform(-120, -90)])
    high = random_.uniform(40, 89) if low < -90 or random_.random() < 0.5 else low + 179
    inner = sorted(random_.uniform(max(low, -180 - low), min(high, 180 - high)) for _ in range(2))
    return [angle * degree for angle in (low, *inner, high)]


def _limits(random_: random.Random, sines: list[mpmath.mpf]) -> list[mpmath.mpf]:
    """Limits between the first two and between the last two."""
    found: list[mpmath.mpf] = []
    for low, high in ((sines[0], sines[1]), (sines[2], sines[3])):
        shares = sorted(random_.choice([random_.random(), 1e-3, 0.999]) for _ in range(2))
        found += [low + (high - low) * mpmath.mpf(share) for share in shares]
    return found


def _with_limits(random_: random.Random, sines: list[mpmath.mpf]) -> dict[object, mpmath.mpf]:
    limits = _limits(random_, sines)
    return {
        **dict(zip(LIMITS, limits, strict=True)),
        **{g: mpmath.sqrt(1 - s * s) for g, s in zip(ROOTS, limits, strict=True)},
    }


def _angles(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        sweep = _sweep(random_)
        sines = [mpmath.sin(angle) for angle in sweep]
        return Sample(
            {
                **dict(zip(SINES, sines, strict=True)),
                **{c: mpmath.cos(angle) for c, angle in zip(COSINES, sweep, strict=True)},
                **_with_limits(random_, sines),
            }
        )


def _lines(random_: random.Random) -> Sample:
    """Inputs at which a line meets rays in three given directions, and one more."""
    with mpmath.workdps(DIGITS):
        sweep = _sweep(random_)
        low, high = sweep[0], sweep[3]
        # from a point on the first ray to one on the last: at a share of the way
        size = mpmath.mpf(random_.uniform(0.2, 5))
        first = [mpmath.sin(low), mpmath.cos(low)]
        last = [size * mpmath.sin(high), size * mpmath.cos(high)]
        step = [b - a for a, b in zip(first, last, strict=True)]
        shares = [mpmath.mpf(0)]
        for angle in sweep[1:3]:
            across = [mpmath.cos(angle), -mpmath.sin(angle)]
            rate = step[0] * across[0] + step[1] * across[1]
            shares.append(-(first[0] * across[0] + first[1] * across[1]) / rate)
        mirrored = random_.choice([1, -1])
        return Sample(
            {
                **dict(zip(N, [*shares, mpmath.mpf(1)], strict=True)),
                u0: first[0],
                u1: step[0],
                r0: mirrored * first[1],
                r1: mirrored * step[1],
                **_with_limits(random_, [mpmath.sin(angle) for angle in sweep]),
            }
        )


SAMPLES: dict[str, Sampler] = {
    "angles-between-are-acute": _angles,
    "cross-ratio-of-angles": _angles,
    "cross-ratio-of-angles-strictly": _angles,
    "cross-ratio-of-lines": _lines,
    "cross-ratio-of-lines-strictly": _lines,
}
