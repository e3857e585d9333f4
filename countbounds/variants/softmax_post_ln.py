"""Softmax attention, bare post-LN: B_min = Theta(L^(3/2) / sqrt d).

Published construction (arXiv 2610.16653, Table 3): y = c n / sqrt(c^2 + n^2) with
c = sqrt(d) B (`countbounds.variants.arc`), w = B (e1 - e2)/sqrt 2. It counts to L
whenever sqrt(d) B >= L^(3/2).

B_min ~ L^(3/2) / sqrt(32 d): the construction asks for sqrt(32) times the optimum.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from countbounds.expressions import Expr, Real, as_formula, power, rational, sqrt, symbol
from countbounds.layer import Layer, Parameters
from countbounds.variants.arc import arc_embeddings, arc_formulas, cube_root_floor
from countbounds.variants.base import BOUND, DIM, LENGTH, Variant
from countbounds.vectors import Vector


def guaranteed_bound(length: Real, dim: Real) -> Expr:
    """sqrt(L^3 / d)."""
    return sqrt(as_formula(length) * length * length / dim)


def guaranteed_length(bound: Fraction, dim: int) -> int:
    """The largest L with L^3 <= d B^2, in integers."""
    return cube_root_floor(dim * bound * bound)


def _readout(dim: Real, bound: Real) -> Vector:
    side = bound / sqrt(2)
    return Vector.leading(dim, side, -side)


def build(length: int, dim: int, bound: Fraction) -> Parameters:
    """The construction at norm bound B; it does not depend on L."""
    return Parameters(
        **arc_embeddings(dim, bound, dim * bound * bound), readout=_readout(dim, rational(bound))
    )


def formulas() -> Mapping[str, Expr | Vector]:
    """The closed forms of the construction."""
    c, n = symbol("c"), symbol("n")
    return {
        "c": sqrt(DIM) * BOUND,
        **arc_formulas(c),
        "y(n, m)": c * n / sqrt(c * c + n * n),
        "readout": _readout(DIM, BOUND),
    }


VARIANT = Variant(
    name="softmax-post-ln",
    title="softmax attention, bare post-LN",
    layer=Layer("softmax", "post"),
    origin="published",
    build=build,
    guaranteed_bound=guaranteed_bound,
    guaranteed_length=guaranteed_length,
    bound_rate=sqrt(LENGTH * LENGTH * LENGTH / DIM),
    length_rate=power(BOUND, Fraction(2, 3)),
    sharp_bound=sqrt(LENGTH * LENGTH * LENGTH / (32 * DIM)),
    sharp_length=power(32 * DIM, Fraction(1, 3)) * power(BOUND, Fraction(2, 3)),
    formulas=formulas,
)
