"""The optimum of linear attention, rounding sense: closed forms with their parameters.

Without LayerNorm put X = B^4/sqrt(d), r = |x_#|/B <= 1 and psi the angle of x_# and w. Then
p0 = r^3 X cos(psi) and p1 <= r X (1 + cos(psi))/2; counting to L means |p0| < 1/2 and
p1 > 1 - (p0 + 1/2)/L. As cos(psi) runs over [p0/X, 1] the bound on p1 is largest at an end:
p1 <= max(p0^(1/3) X^(2/3), (X + p0)/2), and <= X/2 for p0 <= 0. All of these increase in p0,
and at p0 = 1/2 they ask for X >= sqrt(2) (1 - 1/L)^(3/2) or X >= 3/2 - 2/L, the first of which
is smaller for L >= 2. At L = 1, p0 + p1 <= 2 X asks for X >= 1/4.

In bare pre-LN r = 1 and X = d B: p1 <= (X + p0)/2, so X >= 3/2 - 2/L (X >= 1/4 at L = 1).

Exact counting, p0 = 0 and p1 = 1, has w at right angles to x_# and x_s half-way: X = 2.
"""

from __future__ import annotations

from fractions import Fraction

from countbounds.layer import Parameters
from countbounds.optimum.rational import bracket, context, near, rational_root
from countbounds.optimum.result import Optimum
from countbounds.variants.base import zero
from countbounds.vectors import Vector


def without_norm(length: int, dim: int, digits: int) -> Optimum:
    """B_min = (2d)^(1/8) (1 - 1/L)^(3/8) for L >= 2, (sqrt(d)/4)^(1/4) at L = 1.

    All vectors lie on one line, x_# shorter than the others by r (r = 1 at L = 1).
    """
    mp = context(digits + 2 * len(str(length)) + 20)
    power = Fraction(dim, 16) if length == 1 else 2 * dim * (1 - Fraction(1, length)) ** 3
    value = mp.root(mp.mpf(power.numerator) / power.denominator, 8)
    lower, upper = bracket(value, digits)
    lower = rational_root(power, 8) or lower
    places = digits + 2 * len(str(length)) + 12
    slack = min(mp.mpf(10) ** -digits, mp.mpf(1) / length) / 8
    used = near(value * (1 + slack), places)
    radius = used
    if length > 1:
        # p0 = r^3 B/sqrt(d) is below 1/2 by less than what the slack adds to p1.
        bound = mp.mpf(used.numerator) / used.denominator
        radius = near(mp.root(mp.sqrt(dim) * (1 - slack) / (2 * bound), 3), places)
    parameters = Parameters(
        boundary=Vector.leading(dim, radius),
        space=Vector.leading(dim, used),
        letter=zero(dim),
        readout=Vector.leading(dim, used),
    )
    return Optimum(lower, {"theorem": "linear"}, upper, parameters, "line")


def sphere(length: int, dim: int, digits: int) -> Optimum:
    """B_min = (3/2 - 2/L)/d for L >= 2, 1/(4d) at L = 1; a rational number.

    In the plane of f = (1, -1, 0, ...) and g = (1, 1, -2, 0, ...), w lies along f, u_# at
    the angle psi from it, u_s half-way between, and u_l at right angles to u_#.
    """
    mp = context(digits + 2 * len(str(length)) + 20)
    scaled = Fraction(3, 2) - Fraction(2, length) if length > 1 else Fraction(1, 4)
    lower = scaled / dim
    upper = lower * (1 + Fraction(1, 2 * 10**digits))
    places = digits + 2 * len(str(length)) + 12
    slack = min(mp.mpf(10) ** -digits, mp.mpf(1) / length) / 4
    limit = mp.mpf(lower.numerator) / lower.denominator
    side = near(limit * (1 + slack) / mp.sqrt(2), places)
    # p0 = d |w| cos(psi) is below 1/2 (and cos(psi) below 1) by less than the slack adds.
    share = mp.mpf(1) / (2 * dim * limit) if length > 1 else mp.mpf(1)
    psi = mp.acos(share * (1 - 5 * slack / 4))
    p, q = Fraction(1), near(mp.tan(psi) / mp.sqrt(3), places)
    half = near(mp.tan(psi / 2) / mp.sqrt(3), places)
    size = upper / (8 * (1 + q + half))
    return Optimum(
        lower,
        {"theorem": "linear-sphere"},
        upper,
        Parameters(
            boundary=_in_plane(dim, p * size, q * size),
            space=_in_plane(dim, size, half * size),
            letter=_in_plane(dim, -3 * q * size, p * size),
            readout=_in_plane(dim, side, Fraction(0)),
        ),
        "sphere",
    )


def exact_without_norm(dim: int, digits: int) -> Optimum:
    """The smallest bound for y = n: (4d)^(1/8), for every L.

    The read-out among the parameters is the layer's over sqrt(d), which is rational.
    """
    mp = context(digits + 20)
    lower, upper = bracket(mp.root(mp.mpf(4 * dim), 8), digits)
    side = near(mp.mpf(upper.numerator) / upper.denominator / mp.sqrt(2), digits + 10)
    parameters = Parameters(
        boundary=Vector.leading(dim, upper),
        space=Vector.leading(dim, side, side),
        letter=zero(dim),
        readout=Vector.leading(dim, Fraction(0), 1 / (upper * side * side)),
    )
    return Optimum(lower, {}, upper, parameters, "exact counting")


def exact_sphere(dim: int, digits: int) -> Optimum:
    """The smallest bound for y = n in bare pre-LN: 2/d, for every L.

    The read-out among the parameters is the layer's times |P x_#|, which is rational.
    """
    mp = context(digits + 20)
    lower, upper = bracket(mp.mpf(2) / dim, digits)
    slope = near(mp.sqrt(3), digits + 10)
    size = upper / 8
    parameters = Parameters(
        boundary=_in_plane(dim, Fraction(0), size),
        space=_in_plane(dim, slope * size, size),
        letter=_in_plane(dim, Fraction(0), size),
        readout=_in_plane(dim, size * (slope * slope + 3) / (dim * slope), Fraction(0)),
    )
    return Optimum(lower, {}, upper, parameters, "exact counting")


def _in_plane(dim: int, f: Fraction, g: Fraction) -> Vector:
    return Vector.leading(dim, f + g, g - f, -2 * g)
