"""Softmax attention without LayerNorm: B_min = Theta(max(L, d^(1/4) sqrt(log L))).

Published construction (arXiv 2610.16653, Table 3): on two orthogonal axes,

    w = x_s = c e2,  x_# = r e1,  x_l = -r e1,  r^2 = sqrt(d) log a,  c = sqrt(a) + 1/sqrt 2,

so that y = c^2 n / (a + n + m/a). It counts to L whenever sqrt(a) >= (2 - sqrt 2) L:
y - n <= 1/2 is (n - sqrt(a/2))^2 >= 0, and y - n > -1/2 at n = L and m = L - n follows
from the choice of a. At a bound B the weight a is the largest that the norms allow:

    sqrt(a) = min(B - 1/sqrt 2, e^(B^2 / (2 sqrt d))),

hence the guarantee B >= (2 - sqrt 2) L + 1/sqrt 2 and B >= d^(1/4) sqrt(2 log((2 - sqrt 2) L)).
Below a = 1 (B < 1 + 1/sqrt 2) the construction is continued by a = 1, c = B, r = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from countbounds.compare import compare, floor_of
from countbounds.expressions import Expr, Real, exp, log, maximum, minimum, rational, sqrt, symbol
from countbounds.layer import Layer, Parameters
from countbounds.variants.base import BOUND, DIM, LENGTH, Variant
from countbounds.vectors import Vector

_STEP = 2 - sqrt(2)
_HALF_DIAGONAL = 1 / sqrt(2)


def guaranteed_bound(length: Real, dim: Real) -> Expr:
    """max((2 - sqrt 2) L + 1/sqrt 2, d^(1/4) sqrt(2 log((2 - sqrt 2) L)))."""
    norm = _STEP * length + _HALF_DIAGONAL
    score = sqrt(2 * sqrt(dim) * maximum(0, log(_STEP * length)))
    return maximum(norm, score)


def guaranteed_length(bound: Fraction, dim: int) -> int:
    """The largest L with (2 - sqrt 2) L <= min(B - 1/sqrt 2, e^(B^2/(2 sqrt d)))."""
    by_norm = rational(bound) - _HALF_DIAGONAL
    if compare(by_norm, _STEP) < 0:
        return 0
    if _score_limited(bound, dim):
        return floor_of(exp(_largest_log(bound, dim)) / _STEP)
    return floor_of(by_norm / _STEP)


def _largest_log(bound: Real, dim: Real) -> Expr:
    """log sqrt(a) at the largest score that norms <= B allow, B^2 / (2 sqrt d)."""
    return rational(1) / 2 * bound * bound / sqrt(dim)


def _score_limited(bound: Fraction, dim: int) -> bool:
    """Whether e^(B^2/(2 sqrt d)) < B - 1/sqrt 2, compared by logarithms."""
    by_norm = rational(bound) - _HALF_DIAGONAL
    return compare(by_norm, 1) > 0 and compare(_largest_log(bound, dim), log(by_norm)) < 0


def _parameters(dim: Real, value: Real, radius: Real) -> Parameters:
    return Parameters(
        boundary=Vector.leading(dim, radius),
        space=Vector.leading(dim, 0, value),
        letter=Vector.leading(dim, -radius),
        readout=Vector.leading(dim, 0, value),
    )


def build(length: int, dim: int, bound: Fraction) -> Parameters:
    """The construction at norm bound B; it does not depend on L."""
    if _score_limited(bound, dim):
        return _parameters(dim, exp(_largest_log(bound, dim)) + _HALF_DIAGONAL, rational(bound))
    root = rational(bound) - _HALF_DIAGONAL
    if compare(root, 1) <= 0:
        return _parameters(dim, rational(bound), rational(0))
    return _parameters(dim, rational(bound), sqrt(2 * sqrt(dim) * log(root)))


def formulas() -> Mapping[str, Expr | Vector]:
    """The closed forms of the construction."""
    a, c, r, n, m = (symbol(name) for name in ("a", "c", "r", "n", "m"))
    root = minimum(BOUND - _HALF_DIAGONAL, exp(_largest_log(BOUND, DIM)))
    return {
        "a": maximum(1, root * root),
        "c": minimum(BOUND, sqrt(a) + _HALF_DIAGONAL),
        "r": sqrt(sqrt(DIM) * log(a)),
        **_parameters(DIM, c, r).vectors(),
        "y(n, m)": c * c * n / (a + n + m / a),
    }


VARIANT = Variant(
    name="softmax",
    title="softmax attention, no LayerNorm",
    layer=Layer("softmax"),
    origin="published",
    build=build,
    guaranteed_bound=guaranteed_bound,
    guaranteed_length=guaranteed_length,
    bound_rate=maximum(LENGTH, sqrt(sqrt(DIM) * log(LENGTH))),
    length_rate=BOUND,
    sharp_bound=LENGTH / 2,
    sharp_length=2 * BOUND,
    formulas=formulas,
)
