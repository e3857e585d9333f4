"""Where the error of a linear-fractional curve can be largest.

Let q be the denominator, of one sign on the triangle. For fixed n the curve is
monotone in m, so the edges m = 0 and m = L - n decide. On an edge the error is
e(t) = p(t)/q(t) - t with e' = (D - q^2)/q^2 for a constant D; q^2 is monotone there,
so e' changes sign at most once, at q = +-sqrt(D): the ends of the edge and the two
integers around that point are all that can be worst.

Where q changes sign, the curve is monotone in m on either side of its pole, and the
integers next to the pole join the candidates, for each n.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from countbounds.curve import LinearFractional
from countbounds.domain.decide import certain_sign
from countbounds.domain.lattice import least_solution
from countbounds.domain.search import Search, near
from countbounds.rings import Element

_MOST_POLES = 4096


def explore(search: Search) -> None:
    """Consider every input at which the error can be largest.

    Raises:
        Undecided: if the precision is too low to find them.
    """
    length, decider = search.length, search.decider
    corners = ((0, 0), (length, 0), (0, length))
    signs = {decider.sign(_denominator(*corner)) for corner in corners}
    if signs in ({1}, {-1}):
        (sign,) = signs
        for upper in (False, True):
            _explore_edge(search, sign, upper)
    else:
        _explore_poles(search)


def _denominator(n: int, m: int) -> Callable[[LinearFractional], Element]:
    return lambda curve: curve.parts(n, m)[1]


def _edge(curve: LinearFractional, length: int, upper: bool) -> tuple[Element, ...]:
    """(p0, p1, q0, q1) of the curve along m = 0, or along m = L - n."""
    (p0, p1, p2), (q0, q1, q2) = curve.numerator, curve.denominator
    if upper:
        return p0 + p2 * length, p1 - p2, q0 + q2 * length, q1 - q2
    return p0, p1, q0, q1


def _slope(curve: LinearFractional, length: int, upper: bool, t: int) -> Element:
    """D - q(t)^2, which has the sign of the error's derivative along an edge."""
    p0, p1, q0, q1 = _edge(curve, length, upper)
    q = q0 + q1 * t
    return p1 * q0 - p0 * q1 - q * q


def _explore_edge(search: Search, sign: int, upper: bool) -> None:
    length, decider = search.length, search.decider
    ends = (0, length)
    inputs = [(n, length - n if upper else 0) for n in ends]
    search.consider_all(inputs)
    p0, p1, q0, q1 = _edge(decider.curve, length, upper)
    slopes: list[int | None] = []
    for t in ends:
        formula = partial(_slope, length=length, upper=upper, t=t)
        slope = formula(decider.curve)
        known = certain_sign(slope)
        if known is None and decider.is_exactly_zero(formula):
            known = 0
        if known is None:
            # e' is monotone, so between this end and its zero it is at most what it is
            # here: the error cannot exceed that of the ends by more than this.
            q = q0 + q1 * t
            search.leave(search.largest(inputs) + abs(slope / (q * q)) * length)
        slopes.append(known)
    if slopes in ([1, -1], [-1, 1]):
        root = (p1 * q0 - p0 * q1).sqrt()
        for n in near((root * sign - q0) / q1, 0, length):
            search.consider_all([(n, length - n if upper else 0)])


def _explore_poles(search: Search) -> None:
    """The general case: candidates beside the pole for each n, as far as is affordable."""
    length, decider = search.length, search.decider
    twin = decider.exactly(lambda c: c.denominator)
    if twin is not None:
        point = least_solution([twin], length)
        if point is not None:
            search.undefined.append(point)
            return
    last = min(length, _MOST_POLES)
    for n in range(last + 1):
        search.consider_all([(n, 0), (n, length - n)])
        q0, q1, q2 = decider.curve.denominator
        if decider.sign(_denominator(n, 0)) != decider.sign(_denominator(n, length - n)):
            search.consider_all((n, m) for m in near(-(q0 + q1 * n) / q2, 0, length - n))
    if last < length:
        search.leave(decider.ring.infinity)
