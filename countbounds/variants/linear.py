"""Linear attention without LayerNorm: B_min = Theta(1), and L_max infinite once B suffices.

y = p0 + p1 n + p2 m with p0 = |x_#|^2 <w, x_#>/sqrt d, p1 = <x_#, x_s><w, x_s>/sqrt d and
p2 the same for letters. Derived construction, counting exactly at every L:

    x_# = r e1,  x_s = B (e1 + e2)/sqrt 2,  w = B e2,  x_l = 0,  r = 2 sqrt(d) / B^3,

so p0 = p2 = 0 and p1 = r B^3 / (2 sqrt d) = 1. It needs B >= (2 sqrt d)^(1/4), which is the
smallest bound for exact counting; rounding alone asks for (2d)^(1/8) (1 - 1/L)^(3/8), so the
slack above the optimum is 2^(1/8) (1 - 1/L)^(-3/8) for L >= 2. Below that bound r = B.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from countbounds.compare import compare
from countbounds.expressions import Expr, Real, as_formula, power, rational, sqrt, symbol
from countbounds.layer import Layer, Parameters
from countbounds.variants.base import BOUND, DIM, Variant, zero
from countbounds.vectors import Vector


def guaranteed_bound(length: Real, dim: Real) -> Expr:
    """(2 sqrt d)^(1/4), whatever the length."""
    return sqrt(sqrt(2 * sqrt(dim)))


def _radius(dim: Real, bound: Real) -> Expr:
    return 2 * sqrt(dim) / (as_formula(bound) * bound * bound)


def _parameters(dim: Real, bound: Real, radius: Real) -> Parameters:
    half = bound / sqrt(2)
    return Parameters(
        boundary=Vector.leading(dim, radius),
        space=Vector.leading(dim, half, half),
        letter=zero(dim),
        readout=Vector.leading(dim, 0, bound),
    )


def build(length: int, dim: int, bound: Fraction) -> Parameters:
    """The construction at norm bound B; it does not depend on L."""
    radius = _radius(dim, bound)
    if compare(radius, bound) > 0:
        radius = rational(bound)
    return _parameters(dim, rational(bound), radius)


def formulas() -> Mapping[str, Expr | Vector]:
    """The closed forms of the construction."""
    vectors = _parameters(DIM, BOUND, symbol("r")).vectors()
    return {"r": _radius(DIM, BOUND), **vectors, "y(n, m)": symbol("n")}


VARIANT = Variant(
    name="linear",
    title="linear attention, no LayerNorm",
    layer=Layer("linear"),
    origin="derived",
    build=build,
    guaranteed_bound=guaranteed_bound,
    bound_rate=rational(1),
    length_rate=None,
    sharp_bound=power(2 * DIM, Fraction(1, 8)),
    sharp_length=None,
    formulas=formulas,
)
