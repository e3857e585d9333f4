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

Edge = tuple[tuple[int, int], tuple[int, int]]
"""The inputs at n = 0 and at n = L."""


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
        for start in ((0, 0), (0, length)):
            _explore_edge(search, sign, (start, (length, 0)))
    else:
        _explore_poles(search)


def _denominator(n: int, m: int) -> Callable[[LinearFractional], Element]:
    return lambda curve: curve.parts(n, m)[1]


def _determinant(curve: LinearFractional, edge: Edge, length: int) -> Element:
    """D = p1 q0 - p0 q1 along an edge, from the parts at its ends (which do not cancel)."""
    (p, q), (r, s) = (curve.parts(*end) for end in edge)
    return (r * q - p * s) / length


def _slope(curve: LinearFractional, edge: Edge, length: int, end: int) -> Element:
    """D - q^2 at one end, which has the sign of the error's derivative along the edge."""
    q = curve.parts(*edge[end])[1]
    return _determinant(curve, edge, length) - q * q


def _explore_edge(search: Search, sign: int, edge: Edge) -> None:
    length, decider = search.length, search.decider
    search.consider_all(edge)
    slopes: list[int | None] = []
    for end in (0, 1):
        formula = partial(_slope, edge=edge, length=length, end=end)
        slope = formula(decider.curve)
        known = certain_sign(slope)
        if known is None and decider.is_exactly_zero(formula):
            known = 0
        if known is None:
            # e' is monotone, so between this end and its zero it is at most what it is
            # here: the error cannot exceed that of the ends by more than this.
            q = decider.curve.parts(*edge[end])[1]
            search.leave(search.largest(edge) + abs(slope / (q * q)) * length)
        slopes.append(known)
    if slopes in ([1, -1], [-1, 1]):
        first, last = (decider.curve.parts(*end)[1] for end in edge)
        root = _determinant(decider.curve, edge, length).sqrt()
        step = -1 if edge[0][1] else 0
        for n in near((root * sign - first) * length / (last - first), 0, length):
            search.consider(n, edge[0][1] + step * n)


def _explore_poles(search: Search) -> None:
    """The general case: candidates beside the pole for each n, as far as is affordable."""
    length, decider = search.length, search.decider
    twin = decider.exactly(lambda c: c.denominator)
    if twin is not None and all(value.is_plain for value in twin):
        point = least_solution([twin], length)
        if point is not None:
            search.undefined.append(point)
            return
    for start in ((0, 0), (0, length)):
        _explore_edge_with_pole(search, (start, (length, 0)))
    last = min(length, _MOST_POLES)
    for n in range(last + 1):
        search.consider_all([(n, 0), (n, length - n)])
        q0, q1, q2 = decider.curve.denominator
        if decider.sign(_denominator(n, 0)) != decider.sign(_denominator(n, length - n)):
            search.consider_all((n, m) for m in near(-(q0 + q1 * n) / q2, 0, length - n))
    if last < length:
        search.leave(decider.ring.infinity)


def _explore_edge_with_pole(search: Search, edge: Edge) -> None:
    """The ends of an edge and the integers beside its pole and its stationary points."""
    length, curve = search.length, search.decider.curve
    search.consider_all(edge)
    first, last = (curve.parts(*end)[1] for end in edge)
    if certain_sign(last - first) in (None, 0):
        return
    points = [-first * length / (last - first)]
    determinant = _determinant(curve, edge, length)
    if determinant > 0:
        root = determinant.sqrt()
        points += [(sign * root - first) * length / (last - first) for sign in (1, -1)]
    step = -1 if edge[0][1] else 0
    for point in points:
        search.consider_all((n, edge[0][1] + step * n) for n in near(point, 0, length))
