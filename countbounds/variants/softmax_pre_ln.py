"""Softmax attention, bare pre-LN: B_min is infinite beyond L_cap(d).

u = LN(x) lies on the sphere of radius sqrt d, so the boundary token's relative weight is
a = e^(sqrt(d) (1 - cos theta)) < e^(2 sqrt d), theta the angle between u_# and u_s. Since
rounding to L needs a >= a* = floor((L-1)^2/4), a finite bound exists for L >= 2 only if
a* < e^(2 sqrt d):

    L_cap(d) = max { L : floor((L-1)^2/4) < e^(2 sqrt d) }.

Derived construction for L <= L_cap(d): the interior point of the rounding polytope with
a = a* + min(2, (e^(2 sqrt d) - a*)/2), reached in the plane of f1, f2 by

    u_# = sqrt(d) f1,  u_s = sqrt(d) (cos theta f1 + sin theta f2),  u_l = -u_#,
    w = (alpha_# f1 + (A - alpha_# cos theta)/sin theta f2) / sqrt d.

The letter has alpha_l = -alpha_#, |alpha_l| <= 1/2 and a weight of at most a space's, so it
spoils nothing. The excess over a* is the slack above the optimum.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isqrt

from countbounds.compare import floor_of
from countbounds.expressions import Expr, Real, exp, log, minimum, rational, sqrt, symbol
from countbounds.layer import Layer, Parameters
from countbounds.polytope import InteriorPoint, interior_point, least_weight
from countbounds.variants.base import BOUND, DIM, Variant, shortened, vertex_formulas
from countbounds.variants.plane import in_plane
from countbounds.vectors import Vector


def length_cap(dim: int) -> int:
    """L_cap(d): the largest length that bare pre-LN softmax attention can count to.

    floor(x^2/4) <= k for integers exactly if x^2 <= 4 k + 3, with k the floor of e^(2 sqrt d).

    Args:
        dim: d, from 3 to 10^6.

    >>> length_cap(3), length_cap(16)
    (12, 110)
    """
    return 1 + isqrt(4 * floor_of(_largest_weight(dim)) + 3)


def _largest_weight(dim: Real) -> Expr:
    return exp(2 * sqrt(dim))


def _excess(weight: Expr, dim: Real) -> Expr:
    """min(2, (e^(2 sqrt d) - a*)/2)."""
    return minimum(2, (_largest_weight(dim) - weight) / 2)


def _point(length: Real, dim: Real) -> InteriorPoint:
    return interior_point(length, _excess(least_weight(length), dim))


def _cosine(weight: Expr, dim: Real) -> Expr:
    """cos theta."""
    return 1 - log(weight) / sqrt(dim)


def _readout(point: InteriorPoint, dim: Real, cosine: Expr) -> tuple[Expr, Expr]:
    """Coordinates of w along f1 and f2."""
    sine = sqrt(1 - cosine * cosine)
    root = sqrt(dim)
    return point.boundary / root, (point.space - point.boundary * cosine) / (sine * root)


def _norm(point: InteriorPoint, dim: Real, cosine: Expr) -> Expr:
    """|w| = sqrt((alpha_#^2 + A^2 - 2 alpha_# A cos theta) / (d sin^2 theta))."""
    along, across = _readout(point, dim, cosine)
    return sqrt(along * along + across * across)


def guaranteed_bound(length: Real, dim: Real) -> Expr:
    """The norm of w, the only vector whose size matters."""
    point = _point(length, dim)
    return _norm(point, dim, _cosine(point.weight, dim))


def _parameters(dim: Real, radius: Real, cosine: Expr, readout: tuple[Expr, Expr]) -> Parameters:
    return Parameters(
        boundary=in_plane(dim, radius, 0),
        space=in_plane(dim, radius * cosine, radius * sqrt(1 - cosine * cosine)),
        letter=in_plane(dim, -radius, 0),
        readout=in_plane(dim, *readout),
    )


def build(length: int, dim: int, bound: Fraction) -> Parameters:
    """The construction for length L; w is shortened where it is longer than B."""
    point = _point(length, dim)
    cosine = _cosine(point.weight, dim)
    short = shortened(Vector.leading(dim, *_readout(point, dim, cosine)), bound)
    (along, _), (across, _) = short.head
    return _parameters(dim, rational(bound / 2), cosine, (along, across))


def formulas() -> Mapping[str, Expr | Vector]:
    """The closed forms of the construction."""
    named, point = vertex_formulas(_excess(symbol("a_min"), DIM))
    theta, delta, n, m = (symbol(name) for name in ("cos_theta", "delta", "n", "m"))
    a, alpha, value = point
    return {
        **named,
        "cos_theta": _cosine(a, DIM),
        **_parameters(DIM, BOUND / 2, theta, _readout(point, DIM, theta)).vectors(),
        "delta": exp(-sqrt(DIM) * (1 + theta)),
        "y(n, m)": (a * alpha + value * n - delta * alpha * m) / (a + n + delta * m),
        "guaranteed B": _norm(point, DIM, theta),
    }


VARIANT = Variant(
    name="softmax-pre-ln",
    title="softmax attention, bare pre-LN",
    layer=Layer("softmax", "pre"),
    origin="derived",
    build=build,
    guaranteed_bound=guaranteed_bound,
    bound_rate=None,
    length_rate=exp(sqrt(DIM)),
    sharp_bound=None,
    sharp_length=2 * exp(sqrt(DIM)),
    formulas=formulas,
    longest=length_cap,
)
