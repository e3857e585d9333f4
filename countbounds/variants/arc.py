"""Embeddings whose post-LN representations run along an arc: y = c n / sqrt(c^2 + n^2).

In the plane of P x_# (direction (1, 1, -2, 0, ...)) and P x_s (direction (1, -1, 0, ...))
the attention output c : n is a straight line, which LayerNorm bends into an arc. A common
component along the all-ones vector makes the two scores equal, so the weights are 1 and
all parameters are algebraic. The letter is the zero vector: P N does not change with m.

n - y < n^3 / (2 c^2), so the curve counts to L whenever c^2 >= L^3.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from countbounds.expressions import rational, sqrt
from countbounds.variants.base import zero
from countbounds.vectors import Vector


def arc_embeddings(dim: int, bound: Fraction, square: Fraction) -> dict[str, Vector]:
    """Boundary, space and letter for the arc with c^2 = square, norms below the bound.

    Args:
        dim: d >= 3.
        bound: the norm bound B > 0.
        square: c^2 > 0, rational.
    """
    # P x_# = u (1, 1, -2, 0, ...) and P x_s = v (1, -1, 0, ...) with u sqrt 3 = c v; the
    # larger of the two is an eighth of the bound, so that squares of norms stay below it.
    size = bound / 8
    u = rational(size) if square >= 1 else sqrt(square / 3) * size
    v = sqrt(3 / square) * size if square >= 1 else rational(size)
    # With means t and t', equal scores ask for 6 u^2 + d t^2 = d t t'.
    mean = bound / (2 * (isqrt(dim - 1) + 1))
    six_squares = 6 * size * size if square >= 1 else 2 * square * size * size
    space_mean = mean + six_squares / (mean * dim)
    return {
        "boundary": Vector.leading(dim, mean + u, mean + u, mean - 2 * u, tail=mean),
        "space": Vector.leading(dim, space_mean + v, space_mean - v, tail=space_mean),
        "letter": zero(dim),
    }


def cube_root_floor(value: Fraction) -> int:
    """The largest integer whose cube is at most the number (0 below 1).

    >>> cube_root_floor(Fraction(27)), cube_root_floor(Fraction(269, 10))
    (3, 2)
    """
    from flint import fmpz

    return int(fmpz(value.__floor__()).root(3))
