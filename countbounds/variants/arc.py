"""Embeddings whose post-LN representations run along an arc: y = c n / sqrt(c^2 + n^2).

In the plane of P x_# (direction (1, 1, -2, 0, ...)) and P x_s (direction (1, -1, 0, ...))
the attention output c : n is a straight line, which LayerNorm bends into an arc. A common
component along the all-ones vector makes the two scores equal, so the weights are 1 and
all parameters are algebraic. The letter is the zero vector: P N does not change with m.

n - y < n^3 / (2 c^2), so the curve counts to L whenever c^2 >= L^3.
"""

from __future__ import annotations

from fractions import Fraction

from countbounds.expressions import Expr, Real, minimum, rational, sqrt, symbol
from countbounds.variants.base import BOUND, DIM, zero
from countbounds.vectors import Vector


def arc_embeddings(dim: int, bound: Fraction, square: Fraction) -> dict[str, Vector]:
    """Boundary, space and letter for the arc with c^2 = square, norms below the bound.

    Args:
        dim: d >= 3.
        bound: the norm bound B > 0.
        square: c^2 > 0, rational.
    """
    scale = rational(min(bound, Fraction(1)))
    size = scale / 8
    if square >= 1:
        return _embeddings(dim, scale, size, sqrt(3 / square) * size)
    return _embeddings(dim, scale, sqrt(square / 3) * size, size)


def arc_formulas(c: Expr) -> dict[str, Expr | Vector]:
    """The embeddings for printing, in u, v and s = min(B, 1); for c >= 1."""
    s, u, v = symbol("s"), symbol("u"), symbol("v")
    scale = {"s": minimum(BOUND, 1), "u": s / 8, "v": sqrt(3) * u / c}
    return {**scale, **_embeddings(DIM, s, u, v)}


def _embeddings(dim: Real, scale: Expr, u: Expr, v: Expr) -> dict[str, Vector]:
    """P x_# = u (1, 1, -2, 0, ...) and P x_s = v (1, -1, 0, ...), with equal scores.

    With means t and t' that asks for 6 u^2 + d t^2 = d t t'; t = s/(2 sqrt d). The larger of
    u and v is s/8, so that squares of norms stay below s^2. The size of the embeddings does
    not matter to y; s = min(B, 1) keeps scores small, which floats prefer.
    """
    mean = scale / (2 * sqrt(dim))
    space_mean = mean + 6 * u * u / (mean * dim)
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
