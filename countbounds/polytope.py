"""The rounding polytope S_L of linear-fractional curves.

On m = 0 a linear-fractional curve is y = (beta + A n)/(a + n). Rounding for n = 0..L is
linear in (a, beta, A). With

    a* = floor((L-1)^2/4),    A* = floor((L+1)^2/4) - 1/2,

every solution has a >= a* and A >= A*, and for any eps > 0 the point a = a* + 2 eps,
beta = -a/2 + eps, A = A* + 2 eps solves it strictly. A letter whose weight is at most
a space's and whose value lies in [-1/2, 1/2] then spoils nothing on the whole domain.
Proofs: docs/theory.md.

>>> least_weight(10), least_value(10)
(20, 59/2)
"""

from __future__ import annotations

from typing import NamedTuple

from countbounds.expressions import Expr, Real, as_formula, floor, rational


def least_weight(length: Real) -> Expr:
    """a*, the infimum of the boundary token's relative weight a (dimensionless)."""
    before = as_formula(length) - 1
    return floor(before * before / 4)


def least_value(length: Real) -> Expr:
    """A*, the infimum of the space token's read-out value A (dimensionless)."""
    after = as_formula(length) + 1
    return floor(after * after / 4) - rational(1) / 2


class InteriorPoint(NamedTuple):
    """A strict solution of the rounding polytope.

    Attributes:
        weight: a, the boundary token's weight relative to a space's.
        boundary: alpha_# = beta / a, the read-out value of the boundary token.
        space: A, the read-out value of a space.
    """

    weight: Expr
    boundary: Expr
    space: Expr


def interior_point(length: Real, excess: Real) -> InteriorPoint:
    """The strict solution with a = a* + excess, for any excess > 0."""
    return beyond_vertex(least_weight(length), least_value(length), excess)


def beyond_vertex(weight: Expr, value: Expr, excess: Real) -> InteriorPoint:
    """The point at this excess over the vertex (a*, A*), given as numbers or symbols."""
    a = weight + excess
    return InteriorPoint(a, as_formula(excess) / (2 * a) - rational(1) / 2, value + excess)
