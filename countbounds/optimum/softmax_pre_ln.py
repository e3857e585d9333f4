"""The exact optimum of softmax attention with bare pre-LN.

u_# and u_s lie on the sphere of radius sqrt d at the angle theta, with cos theta = c = 1 - t and
t = log(a)/sqrt d, where a = e^(s_# - s_s) is from 1 to e^(2 sqrt d). A read-out with the values
alpha and A on them has at least the norm

    |w|^2 = (alpha^2 + A^2 - 2 alpha A c)/(d (1 - c^2)),

by Cauchy-Schwarz with l u_# + u_s, whatever the multiplier l: it is the largest of
(l alpha + A)^2/(d (1 + l^2 + 2 l c)), attained at l = (alpha - c A)/(A - c alpha) > -1.
Rounding gives, with k = floor((L-1)/2), rho = 1 - k/L and eta = a (alpha + 1/2),

    A >= a + L - 1/2 - eta/L,    0 <= eta <= min((a - a*)/rho, a).

- l >= 0: alpha >= -1/2, A >= A* and a >= a* bound the norm at the vertex of S_L ("vertex").
- l <= 0: l alpha + A falls in eta, so eta is the largest, which leaves one variable a. The
  inequality that l proves is convex in a ("multiplier"), and at the best a it is sharp: the
  vertex a = a*, or a minimum along the edge (L = 2..6), or at L = 3 the corner a = 3 where
  alpha = 1/2.
- L = 1: alpha = A = 1/2 and theta -> 0; the infimum 1/(2 sqrt d) has l = 0.

The upper side moves into S_L as without LayerNorm. The letter is -u_#, with alpha_l = -alpha and
a weight of at most a space's.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from countbounds.errors import InputError
from countbounds.kernel.impossible import least_weight
from countbounds.layer import Parameters
from countbounds.optimum.rational import bracket, context, near, rational_root
from countbounds.optimum.result import Optimum
from countbounds.optimum.softmax import Point, checked, real, zero_between
from countbounds.vectors import Vector


def optimum(length: int, dim: int, digits: int) -> Optimum:
    """A bracket of B_min(L, d) of relative width <= 10^-digits, with its witnesses.

    Args:
        length: L, from 1 to min(10^18, L_cap(d)).
        dim: d, from 3 to 10^6.
        digits: from 1 to 1000.

    Raises:
        InputError: if L > L_cap(d).
        SearchFailedError: if the witnesses found are not accepted.
    """
    lost = _lost_digits(length, dim)
    work = context(2 * digits + 3 * len(str(length)) + 2 * lost + 30)
    weight, regime = _best_weight(work, length, dim, digits)
    point = _on_edge(length, weight)
    square = _square(work, point, dim) if length > 1 else work.mpf(0.25) / dim
    lower, upper = bracket(work.sqrt(square), digits)
    if length == 1:
        lower = rational_root(Fraction(1, 4 * dim), 2) or lower
    # How far a and A may move: a relative change of the norm by less than its room.
    free = weight * work.sqrt(dim) * (2 - _turn(work, weight, dim))
    slack = min(point.space, free) * work.mpf(10) ** -(digits + 5)
    places = digits + len(str(length)) + lost + 18
    parameters = _realised(work, point.inside(slack), dim, upper, places)
    witness = _witness(work, point, length, dim, lower, digits // 2 + lost + 8)
    found = Optimum(lower, witness, upper, parameters, regime)
    return checked("softmax-pre-ln", length, dim, found)


def _lost_digits(length: int, dim: int) -> int:
    """The digits that cancel in 1 + c at a*, next to the cap.

    Raises:
        InputError: beyond the cap.
    """
    work = context(100)
    rest = 2 - _turn(work, work.mpf(max(least_weight(length), 1)), dim)
    if rest <= 0:
        from countbounds.variants.softmax_pre_ln import length_cap

        raise InputError(
            f"No bound is enough for L = {length} at d = {dim}: "
            f"L is at most L_cap({dim}) = {length_cap(dim)}."
        )
    return max(0, int(work.ceil(-work.log10(rest))))


def _turn(work: Any, weight: Any, dim: int) -> Any:
    """1 - cos theta = t."""
    return work.log(weight) / work.sqrt(dim)


def _on_edge(length: int, weight: Any) -> Point:
    """The point of S_L with the largest eta and, for it, the smallest A, at the weight a."""
    k = (length - 1) // 2
    eta = min((weight - least_weight(length)) * length / (length - k), weight)
    return Point(weight, eta - weight / 2, weight + length - 0.5 - eta / length)


def _square(work: Any, point: Point, dim: int) -> Any:
    """|w|^2 at the point."""
    alpha, t = point.boundary / point.weight, _turn(work, point.weight, dim)
    apart = point.space - alpha
    return (apart * apart + 2 * alpha * point.space * t) / (dim * t * (2 - t))


def _multiplier(work: Any, point: Point, dim: int) -> Any:
    """l = (alpha - c A)/(A - c alpha), the multiplier that proves the norm at the point."""
    alpha, t = point.boundary / point.weight, _turn(work, point.weight, dim)
    apart = point.space - alpha
    return (t * point.space - apart) / (apart + t * alpha)


def _rate(length: int, weight: Any, ell: Any) -> Any:
    """The derivative of l alpha + A along the edge, for fixed l (a <= 3 at L = 3)."""
    span = length - (length - 1) // 2
    return (ell * least_weight(length) * length / weight**2 + span - 1) / span


def _slope(work: Any, length: int, dim: int, weight: Any) -> Any:
    """A number of the sign of the derivative of |w|^2 along the edge (a <= 3 at L = 3).

    |w|^2 = m^2/(d q) with m = l alpha + A and q = (1 + l)^2 - 2 l t is stationary in l.
    """
    point = _on_edge(length, weight)
    ell = _multiplier(work, point, dim)
    m = ell * point.boundary / weight + point.space
    q = (1 + ell) ** 2 - 2 * ell * _turn(work, weight, dim)
    return _rate(length, weight, ell) * work.sqrt(dim) * weight * q + ell * m


def _best_weight(work: Any, length: int, dim: int, digits: int) -> tuple[Any, str]:
    """The a of the smallest norm and its regime; at L = 1 an a close enough to the limit 1."""
    if length == 1:
        return 1 + work.mpf(10) ** -(digits + 2), "limit"

    def slope(weight: Any) -> Any:
        return _slope(work, length, dim, weight)

    least, most = _edge(work, length)
    if length > 3 and (_multiplier(work, _on_edge(length, least), dim) >= 0 or slope(least) >= 0):
        return least, "vertex"
    if length == 3 and slope(most) <= 0:
        return most, "corner"
    return zero_between(work, slope, least, most), "edge"


def _edge(work: Any, length: int) -> tuple[Any, Any]:
    """The smallest a, and one beyond the best: at L = 3 the corner, else far enough."""
    least = max(least_weight(length), 1)
    return work.mpf(least), work.mpf(3 if length == 3 else least + 3)


def _witness(
    work: Any, point: Point, length: int, dim: int, bound: Fraction, places: int
) -> dict[str, Any]:
    """The theorem that refutes the bound, a little below the norm at the point.

    Args:
        work: the mpmath context.
        point: of the smallest norm.
        length: L.
        dim: d.
        bound: below the norm by a quarter of 10^-digits, relatively.
        places: significant digits of l; half of all are enough, as the norm is stationary in l.
    """
    ell = near(_multiplier(work, point, dim), places) if length > 1 else Fraction(0)
    if ell > 0:
        return {"theorem": "vertex", "ratio": str(ell)}
    first, last = _tangents(work, length, dim, ell, bound, places)
    return {"theorem": "multiplier", "ratio": str(ell), "between": [str(first), str(last)]}


def _tangents(
    work: Any, length: int, dim: int, ell: Fraction, bound: Fraction, places: int
) -> tuple[Fraction, Fraction]:
    """Weights on both sides of the minimum of H(a) = m^2 - B^2 d q, which is positive.

    Their distance may be of the order of the root of the minimum, but at a corner, where the
    tangents meet at a finite angle, of the minimum itself.
    """
    multiplier, square = real(work, ell), real(work, bound**2)

    def rise(weight: Any) -> Any:
        point = _on_edge(length, weight)
        m = multiplier * point.boundary / weight + point.space
        rate = _rate(length, weight, multiplier)
        return rate * m * weight + multiplier * square * work.sqrt(dim)

    least, most = _edge(work, length)
    if length == 1 or rise(least) >= 0:
        return Fraction(int(least)), Fraction(int(least))
    if length == 3 and rise(most) <= 0:
        return Fraction(3), 3 + Fraction(1, 10 ** (2 * places))
    middle, reach = (
        near(zero_between(work, rise, least, most), places),
        Fraction(10) ** (4 - places),
    )
    return max(Fraction(int(least)), middle - reach), middle + reach


def _realised(work: Any, point: Point, dim: int, bound: Fraction, places: int) -> Parameters:
    """Rational vectors with these values, in the plane of (1, -1, 0, ...) and (1, 1, -2, 0, ...).

    x_# lies along the first of these; the norms of the x, which do not matter, are below B.
    """
    t = _turn(work, point.weight, dim)
    sine = work.sqrt(t * (2 - t))
    alpha = point.boundary / point.weight
    across = (point.space - alpha + alpha * t) / sine
    size = Fraction(10) ** int(work.floor(work.log10(real(work, bound) / 2)))

    def in_plane(first: Any, second: Any, scale: Fraction) -> Vector:
        f, g = (scale * near(x, places) if x else Fraction(0) for x in (first, second))
        return Vector.leading(dim, g + f, g - f, -2 * g)

    root = work.sqrt(2 * dim)
    return Parameters(
        boundary=in_plane(work.mpf(1), 0, size),
        space=in_plane(1 - t, sine / work.sqrt(3), size),
        letter=in_plane(work.mpf(-1), 0, size),
        readout=in_plane(alpha / root, across / (root * work.sqrt(3)), Fraction(1)),
    )
