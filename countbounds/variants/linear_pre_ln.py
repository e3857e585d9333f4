"""Linear attention, bare pre-LN: B_min = Theta(1), and L_max infinite once B suffices.

With u = LN(x) on the sphere of radius sqrt d, y = p0 + p1 n + p2 m, p0 = sqrt(d) <w, u_#>,
p1 = <u_#, u_s><w, u_s>/sqrt d. Derived construction, counting exactly at every L: in the plane
of two orthonormal f1, f2 of the complement of the all-ones vector,

    u_# = sqrt(d) f1,  u_s = sqrt(d) (f1 + f2)/sqrt 2,  u_l = sqrt(d) f2,  w = (2/d) f2,

so p0 = 0, p1 = d |w| / 2 = 1 and p2 = 0. It needs B >= 2/d, the smallest bound for exact
counting; rounding alone asks for (3/2 - 2/L)/d, so the slack above the optimum is
4/(3 - 4/L) for L >= 2. Below that bound |w| = B.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from countbounds.expressions import Expr, Real, rational, sqrt, symbol
from countbounds.layer import Layer, Parameters
from countbounds.variants.base import BOUND, DIM, Variant
from countbounds.variants.plane import in_plane
from countbounds.vectors import Vector


def guaranteed_bound(length: Real, dim: Real) -> Expr:
    """2 / d, whatever the length."""
    return rational(2) / dim


def _parameters(dim: Real, bound: Real, readout: Real) -> Parameters:
    radius = bound / sqrt(4)
    diagonal = radius / sqrt(2)
    return Parameters(
        boundary=in_plane(dim, radius, 0),
        space=in_plane(dim, diagonal, diagonal),
        letter=in_plane(dim, 0, radius),
        readout=in_plane(dim, 0, readout),
    )


def build(length: int, dim: int, bound: Fraction) -> Parameters:
    """The construction at norm bound B; it does not depend on L."""
    return _parameters(dim, rational(bound), min(Fraction(2, dim), bound))


def formulas() -> Mapping[str, Expr | Vector]:
    """The closed forms of the construction."""
    vectors = _parameters(DIM, BOUND, rational(2) / DIM).vectors()
    return {**vectors, "y(n, m)": symbol("n")}


VARIANT = Variant(
    name="linear-pre-ln",
    title="linear attention, bare pre-LN",
    layer=Layer("linear", "pre"),
    origin="derived",
    build=build,
    guaranteed_bound=guaranteed_bound,
    bound_rate=rational(1),
    length_rate=None,
    sharp_bound=rational(3) / (2 * DIM),
    sharp_length=None,
    formulas=formulas,
)
