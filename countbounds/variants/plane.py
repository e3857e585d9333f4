"""An orthonormal pair in the complement of the all-ones vector, for pre-LN constructions.

LayerNorm sends x to sqrt(d) P x / |P x|: only the direction of P x matters, and a vector in
the span of the pair goes to sqrt(d) times its unit vector.
"""

from __future__ import annotations

from countbounds.expressions import Real, sqrt
from countbounds.vectors import Vector


def first(dim: Real) -> Vector:
    """(1, -1, 0, ...) / sqrt 2."""
    side = 1 / sqrt(2)
    return Vector.leading(dim, side, -side)


def second(dim: Real) -> Vector:
    """(1, 1, -2, 0, ...) / sqrt 6."""
    side = 1 / sqrt(6)
    return Vector.leading(dim, side, side, -2 * side)


def in_plane(dim: Real, along: Real, across: Real) -> Vector:
    """along * first + across * second."""
    return first(dim).scaled(along) + second(dim).scaled(across)
