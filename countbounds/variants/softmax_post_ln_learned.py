"""Softmax attention, learned post-LN: B_min = Theta(L^(3/4) / d^(1/4)).

Published condition (arXiv 2610.16653, Table 3): sqrt(d/2) B^2 >= L^(3/2). It is reached by

    w = B (e1 - e2)/sqrt 2,  g = B (e1 + e2)/sqrt 2,  b = 0,

for which w*g = B^2 (e1 - e2)/2 lies in the complement of the all-ones vector, on the arc
y = c n / sqrt(c^2 + n^2) of `countbounds.variants.arc` with c = sqrt(d/2) B^2.

B_min ~ L^(3/4) / (32 (d - 1))^(1/4).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from countbounds.expressions import Expr, Real, power, rational, sqrt, symbol
from countbounds.layer import Layer, Parameters
from countbounds.variants.arc import arc_embeddings, arc_formulas, cube_root_floor
from countbounds.variants.base import BOUND, DIM, LENGTH, Variant, zero
from countbounds.vectors import Vector


def guaranteed_bound(length: Real, dim: Real) -> Expr:
    """(2 L^3 / d)^(1/4)."""
    return sqrt(sqrt(rational(2) * length * length * length / dim))


def guaranteed_length(bound: Fraction, dim: int) -> int:
    """The largest L with 2 L^3 <= d B^4, in integers."""
    return cube_root_floor(Fraction(dim, 2) * bound**4)


def _trained(dim: Real, bound: Real) -> dict[str, Vector]:
    side = bound / sqrt(2)
    return {
        "readout": Vector.leading(dim, side, -side),
        "gain": Vector.leading(dim, side, side),
        "bias": zero(dim),
    }


def build(length: int, dim: int, bound: Fraction) -> Parameters:
    """The construction at norm bound B; it does not depend on L."""
    arc = arc_embeddings(dim, bound, Fraction(dim, 2) * bound**4)
    return Parameters(**arc, **_trained(dim, rational(bound)))


def formulas() -> Mapping[str, Expr | Vector]:
    """The closed forms of the construction."""
    c, n = symbol("c"), symbol("n")
    return {
        "c": sqrt(DIM / 2) * BOUND * BOUND,
        **arc_formulas(c),
        "y(n, m)": c * n / sqrt(c * c + n * n),
        **_trained(DIM, BOUND),
    }


VARIANT = Variant(
    name="softmax-post-ln-learned",
    title="softmax attention, learned post-LN",
    layer=Layer("softmax", "post", learned=True),
    origin="published",
    build=build,
    guaranteed_bound=guaranteed_bound,
    guaranteed_length=guaranteed_length,
    bound_rate=power(LENGTH, Fraction(3, 4)) / power(DIM, Fraction(1, 4)),
    length_rate=power(BOUND, Fraction(4, 3)),
    sharp_bound=power(LENGTH, Fraction(3, 4)) / power(32 * (DIM - 1), Fraction(1, 4)),
    sharp_length=power(32 * (DIM - 1), Fraction(1, 3)) * power(BOUND, Fraction(4, 3)),
    formulas=formulas,
)
