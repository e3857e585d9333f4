"""Softmax attention, learned pre-LN: B_min = Theta(L / d^(1/4)).

v = g*LN(x) + b. Every solution has |v_# + v_s| + |v_# - v_s| <= 2 K B, K = 1 + sqrt(d - 1),
hence B^2 >= A*/K. Derived construction: with r = sqrt(d - 1) and the orthonormal vectors
f1 = (r, -1/r, ..., -1/r)/sqrt d, f2 = (0, 1, -1, 0, ...)/sqrt 2 of the complement of the
all-ones vector,

    u_s = sqrt(d) f1,  u_# , u_l = sqrt(d) (cos phi f1 +- sin phi f2),
    w = B e1,  g = (G, h, h, 0, ...),  b = (G, h cos phi / r, h cos phi / r, 0, ...).

First coordinates carry the values: G = A/(K B) makes <w, v_s> = A, and
cos phi = (alpha K/A - 1)/r makes <w, v_#> = <w, v_l> = alpha. The other two carry the
scores: v_# and v_l are opposite there and v_s vanishes, so log a fixes
2 h^2 sigma^2 = sqrt(d) log a - E/B^2 with sigma^2 = d sin^2(phi)/2, E = alpha^2 - alpha A.

|g| <= B is X^2 - C S X + C E - A^2/K^2 >= 0 in X = B^2, with S = sqrt(d) log a and
C = 2/(d sin^2 phi); |b| <= |g|. The letter's weight is at most a space's if S X >= 2 E. Both
hold from the guaranteed bound on. (a, alpha, A) is the interior point of the rounding
polytope with a = max(a* + 1/2, 5); the letter's value is alpha, |alpha| <= 1/2, so it spoils
nothing. The slack above the optimum is of relative order log(L)/L^2 for fixed d.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from countbounds.expressions import (
    Expr,
    Real,
    as_formula,
    exp,
    log,
    maximum,
    rational,
    sqrt,
    symbol,
)
from countbounds.layer import Layer, Parameters
from countbounds.polytope import InteriorPoint, interior_point, least_weight
from countbounds.variants.base import BOUND, DIM, LENGTH, Variant, shortened, vertex_formulas
from countbounds.vectors import Vector


def _excess_weight(weight: Expr) -> Expr:
    """max(1/2, 5 - a*)."""
    return maximum(rational(1) / 2, 5 - weight)


def _point(length: Real) -> InteriorPoint:
    return interior_point(length, _excess_weight(least_weight(length)))


def _root(dim: Real) -> Expr:
    """r = sqrt(d - 1)."""
    return sqrt(as_formula(dim) - 1)


def _cosine(point: InteriorPoint, dim: Real) -> Expr:
    """cos phi."""
    root = _root(dim)
    return (point.boundary * (1 + root) / point.space - 1) / root


def _score(point: InteriorPoint, dim: Real) -> Expr:
    """S = sqrt(d) log a."""
    return sqrt(dim) * log(point.weight)


def _excess(point: InteriorPoint) -> Expr:
    """E = alpha^2 - alpha A."""
    return point.boundary * point.boundary - point.boundary * point.space


def _bound(point: InteriorPoint, dim: Real, cosine: Expr) -> Expr:
    """The square root of the larger root of the quadratic in X, or of 2 E/S if larger."""
    score, excess = _score(point, dim), _excess(point)
    c = 2 / (dim * (1 - cosine * cosine))
    ratio = point.space / (1 + _root(dim))
    spread = c * score
    root = (spread + sqrt(spread * spread - 4 * (c * excess - ratio * ratio))) / 2
    return sqrt(maximum(root, 2 * excess / score))


def guaranteed_bound(length: Real, dim: Real) -> Expr:
    """The bound from which on both conditions of the construction hold."""
    point = _point(length)
    return _bound(point, dim, _cosine(point, dim))


def _affine(
    point: InteriorPoint, dim: Real, bound: Real, cosine: Expr, height: Expr
) -> tuple[Vector, Vector]:
    """The gain and the bias."""
    root = _root(dim)
    gain = point.space / ((1 + root) * bound)
    shift = height * cosine / root
    return Vector.leading(dim, gain, height, height), Vector.leading(dim, gain, shift, shift)


def _height(point: InteriorPoint, dim: Real, bound: Real, cosine: Expr) -> Expr:
    """h, the gain of the second and third coordinates; 0 where no score is left to add."""
    left = maximum(0, _score(point, dim) - _excess(point) / (as_formula(bound) * bound))
    return sqrt(left / (dim * (1 - cosine * cosine)))


def _embedding(dim: Real, size: Real, cosine: Real, sine: Real) -> Vector:
    """size (cosine f1 + sine f2)."""
    root = _root(dim)
    first = cosine * size / sqrt(dim)
    second = sine * size / sqrt(2)
    rest = -first / root
    return Vector.leading(dim, first * root, rest + second, rest - second, tail=rest)


def build(length: int, dim: int, bound: Fraction) -> Parameters:
    """The construction for length L; gain and bias are shortened where longer than B."""
    point = _point(length)
    cosine = _cosine(point, dim)
    sine = sqrt(1 - cosine * cosine)
    gain, bias = _affine(point, dim, bound, cosine, _height(point, dim, bound, cosine))
    size = rational(bound / 2)
    return Parameters(
        boundary=_embedding(dim, size, cosine, sine),
        space=_embedding(dim, size, rational(1), rational(0)),
        letter=_embedding(dim, size, cosine, -sine),
        readout=Vector.leading(dim, bound),
        gain=shortened(gain, bound),
        bias=shortened(bias, bound),
    )


def formulas() -> Mapping[str, Expr | Vector]:
    """The closed forms of the construction."""
    named, point = vertex_formulas(_excess_weight(symbol("a_min")))
    phi, h, delta, n, m = (symbol(name) for name in ("cos_phi", "h", "delta", "n", "m"))
    a, alpha, value = point
    gain, bias = _affine(point, DIM, BOUND, phi, h)
    sine = sqrt(1 - phi * phi)
    opposite = h * h * DIM * (1 - phi * phi)
    return {
        **named,
        "cos_phi": _cosine(point, DIM),
        "h": _height(point, DIM, BOUND, phi),
        "boundary": _embedding(DIM, BOUND / 2, phi, sine),
        "space": _embedding(DIM, BOUND / 2, rational(1), rational(0)),
        "letter": _embedding(DIM, BOUND / 2, phi, -sine),
        "readout": Vector.leading(DIM, BOUND),
        "gain": gain,
        "bias": bias,
        "delta": exp((_excess(point) / (BOUND * BOUND) - opposite) / sqrt(DIM)),
        "y(n, m)": (a * alpha + value * n + delta * alpha * m) / (a + n + delta * m),
        "guaranteed B": _bound(point, DIM, phi),
    }


VARIANT = Variant(
    name="softmax-pre-ln-learned",
    title="softmax attention, learned pre-LN",
    layer=Layer("softmax", "pre", learned=True),
    origin="derived",
    build=build,
    guaranteed_bound=guaranteed_bound,
    bound_rate=LENGTH / sqrt(sqrt(DIM)),
    length_rate=BOUND,
    sharp_bound=LENGTH / (2 * sqrt(1 + _root(DIM))),
    sharp_length=2 * sqrt(1 + _root(DIM)) * BOUND,
    formulas=formulas,
)
