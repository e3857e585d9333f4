"""What every variant supplies; one module each, so that a row of Table 1 is one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from countbounds.compare import compare
from countbounds.expressions import Expr, Real, rational, sqrt, symbol
from countbounds.layer import Layer, Parameters
from countbounds.polytope import InteriorPoint, beyond_vertex, least_value, least_weight
from countbounds.vectors import Vector

Origin = Literal["published", "derived"]

LENGTH, DIM, BOUND = symbol("L"), symbol("d"), symbol("B")

_SHORTER = 1 - Fraction(1, 1 << 40)


@dataclass(frozen=True)
class Variant:
    """A model of Table 1 with its construction and its rates.

    Attributes:
        name: as on the command line.
        title: in words.
        layer: the layer.
        origin: whether the construction is the paper's own, or derived here with an
            explicit slack above the optimum.
        build: (length, dim, bound) -> explicit parameters, every norm <= bound.
        guaranteed_bound: (length, dim) -> the smallest bound at which the construction
            is guaranteed to count to that length; also for symbols.
        guaranteed_length: (bound, dim) -> the largest length that the construction
            guarantees (0 if none), where there is a formula for it.
        bound_rate: the rate of B_min that the paper reports, with its dependence on d;
            None where it is infinite beyond the cap.
        length_rate: the rate of L_max that the paper reports (of the cap, where there is
            one); None where it is infinite once B suffices.
        sharp_bound: what B_min is asymptotic to, in L and d; None where it is infinite.
        sharp_length: what L_max (for bare pre-LN: the cap, as d grows) is asymptotic to,
            in B and d; None where it is infinite.
        formulas: name -> closed form, for printing; names that occur in later formulas
            stand there as symbols.
        longest: dim -> the largest length possible at any bound; None if there is none.
    """

    name: str
    title: str
    layer: Layer
    origin: Origin
    build: Callable[[int, int, Fraction], Parameters]
    guaranteed_bound: Callable[[Real, Real], Expr]
    bound_rate: Expr | None
    length_rate: Expr | None
    sharp_bound: Expr | None
    sharp_length: Expr | None
    formulas: Callable[[], Mapping[str, Expr | Vector]]
    guaranteed_length: Callable[[Fraction, int], int] | None = None
    longest: Callable[[int], int] | None = None


def shortened(vector: Vector, bound: Fraction) -> Vector:
    """The vector itself if its norm is provably <= bound, else one in its direction.

    The other one has norm (1 - 2^-40) bound: short of the bound, so that the comparison
    is decided by enclosures.
    """
    square = vector.dot(vector)
    if compare(square, bound * bound) <= 0:
        return vector
    return vector.scaled(bound * _SHORTER / sqrt(square))


def zero(dim: Real) -> Vector:
    """The zero vector."""
    return Vector.leading(dim, 0)


def vertex_formulas(excess: Expr) -> tuple[dict[str, Expr], InteriorPoint]:
    """The rounding polytope's vertex and a point beyond it, for printing.

    Args:
        excess: the excess over a*, in L, d and the symbol a_min.

    Returns:
        the formulas of a_min (a*), A_min (A*), eps, a, alpha and A, and the last three as symbols.
    """
    weight, value, eps, a = (symbol(name) for name in ("a_min", "A_min", "eps", "a"))
    point = beyond_vertex(weight, value, eps)
    named = {
        "a_min": least_weight(LENGTH),
        "A_min": least_value(LENGTH),
        "eps": excess,
        "a": point.weight,
        "alpha": eps / (2 * a) - rational(1) / 2,
        "A": point.space,
    }
    return named, InteriorPoint(a, symbol("alpha"), symbol("A"))
