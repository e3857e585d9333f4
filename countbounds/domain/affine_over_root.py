"""Where the error of an affine-over-root curve can be largest.

Let y = tau + A/sqrt(Q). For fixed n the numerator of dy/dm is d0(n) + d1(n) m: linear in
m, so y has at most one critical point in m. Inputs that can be worst therefore lie

- on the edges m = 0 and m = L - n (`explore_line`): along a line y'' has a quadratic
  numerator, so the error is convex or concave on at most three pieces, and on each its
  extremes are at the ends or beside one stationary point; or
- next to the interior critical curve m = -d0/d1, for those n at which it lies inside
  (`_explore_ridge`): there y = tau +- sqrt(R/G) with quadratics R and G, whatever m may
  be, so that a quartic excludes ranges of n at once; what it does not exclude is cut
  smaller, down to single columns.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from countbounds.curve import AffineOverRoot
from countbounds.domain.decide import certain_sign
from countbounds.domain.lattice import least_solution
from countbounds.domain.polynomial import (
    Polynomial,
    sign_on,
    sign_ranges,
    span,
    split_point,
    value,
)
from countbounds.domain.search import Search, near
from countbounds.errors import Undecided
from countbounds.rings import Element

_MOST_PIECES = 600
_MOST_RIDGE_PIECES = 3000
_EXHAUSTIBLE = 64
_FEW = 3
_HALF = Fraction(1, 2)


def explore(search: Search) -> None:
    """Consider every input at which the error can be largest.

    Raises:
        Undecided: if the precision is too low to find them.
    """
    length, decider = search.length, search.decider
    letters = decider.enclose(lambda c: (c.numerator[2], *c.gram[3:]))
    explore_line(search, 0, 0, 0, length)
    if all(value.is_zero() for value in letters):
        return
    explore_line(search, length, -1, 0, length)
    conic = Conic(*decider.enclose(_conic))
    if conic.vanishes():
        _find_undefined(search)
    else:
        _explore_ridge(search, conic)


# --- one line -------------------------------------------------------------------------


def _along(c: AffineOverRoot, m0: int, m1: int) -> tuple[Element, ...]:
    """The curve along m = m0 + m1 n, as quadratics and numerators of its derivatives.

    Returns:
        a0, a1 with A = a0 + a1 n; q0, q1, q2 with Q = q0 + q1 n + q2 n^2;
        k0, k1 with y' = (k0 + k1 n) / (2 Q^(3/2)); s0, s1, s2, which has the sign of y''.
    """
    (b0, b1, b2), (q00, q01, q11, q02, q12, q22) = c.numerator, c.gram
    a0, a1 = b0 + b2 * m0, b1 + b2 * m1
    q0 = q00 + 2 * m0 * q02 + m0 * m0 * q22
    q1 = 2 * (q01 + m1 * q02 + m0 * q12 + m0 * m1 * q22)
    q2 = q11 + 2 * m1 * q12 + m1 * m1 * q22
    k0, k1 = 2 * a1 * q0 - a0 * q1, a1 * q1 - 2 * a0 * q2
    s0, s1, s2 = 2 * k1 * q0 - 3 * k0 * q1, -(k1 * q1 + 6 * k0 * q2), -4 * k1 * q2
    return a0, a1, q0, q1, q2, k0, k1, s0, s1, s2


@dataclass(frozen=True, slots=True)
class Line:
    """The curve along m = m0 + m1 n (coefficients as `_along` names them)."""

    m0: int
    m1: int
    root: Polynomial
    slope: tuple[Element, Element]
    bend: Polynomial

    def derivative(self, t: Any) -> Element:
        """The derivative of the error, y' - 1, at a real n."""
        root = self.root[0] + t * (self.root[1] + t * self.root[2])
        return (self.slope[0] + self.slope[1] * t) / (2 * root * root.sqrt()) - 1

    def input(self, n: int) -> tuple[int, int]:
        """The input with n spaces."""
        return n, self.m0 + self.m1 * n


def explore_line(search: Search, m0: int, m1: int, low: int, high: int) -> None:
    """Consider every input that can be worst among low <= n <= high on m = m0 + m1 n.

    Raises:
        Undecided: if the pieces of the line cannot be told at this precision.
    """
    v = search.decider.enclose(lambda c: _along(c, m0, m1))
    line = Line(m0, m1, (v[2], v[3], v[4]), (v[5], v[6]), (v[7], v[8], v[9]))
    pending = [(low, high)]
    budget = _MOST_PIECES
    while pending:
        first, last = pending.pop()
        if last - first < _FEW:
            search.consider_all(line.input(n) for n in range(first, last + 1))
            continue
        budget -= 1
        if budget < 0:
            raise Undecided("The pieces of a line are not told apart at this precision.")
        cut = None
        if sign_on(line.root, first, last) != 1:
            cut = split_point(line.root, first, last)
        else:
            bend = sign_on(line.bend, first, last)
            if bend is not None and bend != 0:
                search.consider_all((line.input(first), line.input(last)))
                _turning_point(search, line, first, last, bend)
            elif _monotone(line, first, last):
                search.consider_all((line.input(first), line.input(last)))
            else:
                cut = split_point(line.bend, first, last)
        if cut is not None:
            pending.append((cut + 1, last))
            pending.append((first, cut))


def _monotone(line: Line, first: int, last: int) -> bool:
    """Whether the error's derivative provably keeps one sign on [first, last]."""
    k0, k1 = line.slope
    slope = (k0 + k1 * first).union(k0 + k1 * last)
    root = span(line.root, first, last)
    return certain_sign(slope * _steepness(root) / 2 - 1) is not None


def _steepness(root: Element) -> Element:
    """Q^(-3/2) for a ball of positive Q, from its two ends (a wide ball's own powers blur)."""
    low, high = (end * end.sqrt() for end in (root.lower(), root.upper()))
    return (1 / low).union(1 / high)


def _turning_point(search: Search, line: Line, first: int, last: int, bend: int) -> None:
    """Consider the integers beside the stationary point of a convex or concave piece.

    The forward differences of the error, times `bend`, increase strictly: the turning
    point lies after every negative and before every positive one.
    """

    def step(n: int) -> int | None:
        search.consider_all((line.input(n), line.input(n + 1)))
        before, after = search.seen[line.input(n)], search.seen[line.input(n + 1)]
        sign = certain_sign(after.error - before.error)
        return sign if sign is None else sign * bend

    if step(first) == 1 or step(last - 1) == -1:
        return
    low, high = first, last  # the turning point lies in low..high
    guess, reach = _stationary(line, first, last, bend), 2
    while high - low > _FEW:
        probes = ((low + high) // 2,) if guess is None else (guess - reach, guess + reach)
        before = (low, high)
        for probe in probes:
            known = step(probe) if low <= probe < high else None
            if known is not None and known > 0:
                high = probe
            elif known is not None:
                low = probe + 1
        if (low, high) == before:
            if guess is None:
                _leave_piece(search, line, low, high, bend)
                return
            reach *= 8
            guess = None if reach > last - first else guess
    search.consider_all(line.input(n) for n in range(low, high + 1))


def _leave_piece(search: Search, line: Line, low: int, high: int, bend: int) -> None:
    """Bound a piece whose turning point is not located, by the tangent at one end.

    Raises:
        Undecided: if more bits may still locate it.
    """
    if not search.final:
        raise Undecided("A turning point is not located at this precision.")
    search.consider_all((line.input(low), line.input(high)))
    start = search.decider.ring.number(Fraction(low))
    rise = (-bend * line.derivative(start)).upper().max(start * 0)
    search.leave(-bend * search.seen[line.input(low)].error + rise * (high - low))


def _stationary(line: Line, first: int, last: int, bend: int) -> int | None:
    """A guess at the zero of the derivative between two ends, by the Illinois method."""
    zero = line.root[0] * 0
    left, right = (zero + first).mid(), (zero + last).mid()
    f_left = (line.derivative(left) * bend).mid()
    f_right = (line.derivative(right) * bend).mid()
    side = 0
    for _ in range(80):
        if not (f_left < 0 < f_right) or right - left < 1:
            break
        point = ((left * f_right - right * f_left) / (f_right - f_left)).mid()
        f_point = (line.derivative(point) * bend).mid()
        if f_point < 0:
            left, f_left = point, f_point
            f_right = f_right / 2 if side == -1 else f_right
            side = -1
        else:
            right, f_right = point, f_point
            f_left = f_left / 2 if side == 1 else f_left
            side = 1
    middle = left if abs(f_left) < abs(f_right) else right
    located = middle.floor().mid().unique_fmpz() if middle.is_finite() else None
    return None if located is None else int(located)


# --- the interior critical curve ------------------------------------------------------


def _conic(c: AffineOverRoot) -> tuple[Element, ...]:
    """d0 (quadratic) and d1 (linear) with dy/dm of the sign of d0(n) + d1(n) m."""
    (a0, a1, a2), (q00, q01, q11, q02, q12, q22) = c.numerator, c.gram
    return (
        a2 * q00 - a0 * q02,
        2 * a2 * q01 - a0 * q12 - a1 * q02,
        a2 * q11 - a1 * q12,
        a2 * q02 - a0 * q22,
        a2 * q12 - a1 * q22,
    )


def _edge_conic(c: AffineOverRoot, length: int) -> tuple[Element, ...]:
    """d0(n) + d1(n) (L - n), the sign of dy/dm on the edge m = L - n."""
    u0, u1, u2, v0, v1 = _conic(c)
    return u0 + length * v0, u1 + length * v1 - v0, u2 - v1


def _ridge(c: AffineOverRoot) -> tuple[Element, ...]:
    """R and G, both quadratic in n: on the critical curve (y - tau)^2 = R / G."""
    (a0, a1, a2), (q00, q01, q11, q02, q12, q22) = c.numerator, c.gram
    r0 = a0 * a0 * q22 - 2 * a0 * a2 * q02 + a2 * a2 * q00
    r1 = 2 * (a0 * a1 * q22 - a2 * (a0 * q12 + a1 * q02) + a2 * a2 * q01)
    r2 = a1 * a1 * q22 - 2 * a1 * a2 * q12 + a2 * a2 * q11
    g0, g1, g2 = q00 * q22 - q02 * q02, 2 * (q01 * q22 - q02 * q12), q11 * q22 - q12 * q12
    return r0, r1, r2, g0, g1, g2


@dataclass(frozen=True, slots=True)
class Conic:
    """dy/dm has the sign of u0 + u1 n + u2 n^2 + (v0 + v1 n) m."""

    u0: Element
    u1: Element
    u2: Element
    v0: Element
    v1: Element

    def vanishes(self) -> bool:
        """Whether y does not depend on m anywhere."""
        return all(c.is_zero() for c in (self.u0, self.u1, self.u2, self.v0, self.v1))

    def critical(self, n: int) -> Element:
        """The critical m for one n."""
        return -(self.u0 + n * (self.u1 + n * self.u2)) / (self.v0 + n * self.v1)

    def critical_on(self, low: int, high: int) -> Element:
        """A ball that contains the critical m for all real n in [low, high].

        Mean value form: dm/dn has the numerator u v' - u' v, quadratic in n.
        """
        u0, u1, u2, v0, v1 = self.u0, self.u1, self.u2, self.v0, self.v1
        below = (v0 + low * v1).union(v0 + high * v1)
        slope = -span((u1 * v0 - u0 * v1, 2 * u2 * v0, u2 * v1), low, high) / (below * below)
        middle = (low + high) // 2
        reach = (slope * (low - middle)).union(slope * (high - middle))
        return self.critical(middle) + reach


def _explore_ridge(search: Search, conic: Conic) -> None:
    length, decider = search.length, search.decider
    if length < 2:
        return
    last = length - 2
    foot = (conic.u0, conic.u1, conic.u2)
    top = decider.enclose(lambda c: _edge_conic(c, length))
    ridge = decider.enclose(_ridge)
    for low, high, at_foot in sign_ranges(foot, 0, last):
        for first, end, at_top in sign_ranges((top[0], top[1], top[2]), low, high):
            if at_foot is None or at_top is None or at_foot == at_top == 0:
                if end - first > 2 * _FEW:
                    raise Undecided("Monotone columns are not told at this precision.")
                for n in range(first, end + 1):
                    _explore_column(search, conic, n)
            elif at_foot * at_top < 0:
                _bound_ridge(search, conic, ridge, at_foot, first, end)


def _bound_ridge(
    search: Search, conic: Conic, ridge: tuple[Element, ...], kind: int, first: int, end: int
) -> None:
    """Exclude or resolve the columns first..end.

    Their interior critical point is a maximum of y (kind 1) or a minimum (kind -1).
    """
    pending = deque([(first, end)])
    budget = _MOST_RIDGE_PIECES
    while pending:
        low, high = pending.popleft()
        if _excluded(search, ridge, kind, low, high):
            continue
        if high - low < _FEW:
            for n in range(low, high + 1):
                _explore_column(search, conic, n)
            continue
        budget -= 1
        if budget < 0:
            search.spent = True
            between = (search.floor + search.decider.ring.number(_HALF)) / 2
            if search.floor < between and _excluded(search, ridge, kind, low, high, between):
                search.leave(between)
            else:
                search.leave(_ridge_bound(search, ridge, kind, low, high))
            continue
        if high - low > _EXHAUSTIBLE and _explore_rows(search, conic, low, high):
            continue
        middle = (low + high) // 2
        _explore_column(search, conic, middle)
        pending.append((low, middle))
        pending.append((middle + 1, high))


def _excluded(
    search: Search,
    ridge: tuple[Element, ...],
    kind: int,
    low: int,
    high: int,
    level: Element | None = None,
) -> bool:
    """Whether the critical curve stays strictly below a level F, by default the worst so far.

    sqrt(R/G) + kind (tau - n) < F is F + kind (n - tau) > 0 and a quartic in n, the square
    of that times G less R, being positive.
    """
    (r0, r1, r2), (g0, g1, g2) = ridge[:3], ridge[3:]
    level = search.floor if level is None else level
    h0, h1 = level - kind * search.decider.curve.offset, kind
    s0, s1 = h0 * h0, 2 * h1 * h0
    quartic = (
        s0 * g0 - r0,
        s0 * g1 + s1 * g0 - r1,
        s0 * g2 + s1 * g1 + g0 - r2,
        s1 * g2 + g1,
        g2,
    )
    positive = h0 + h1 * low > 0 and h0 + h1 * high > 0
    return positive and all(sign_on(c, low, high) == 1 for c in ((g0, g1, g2), quartic))


def _ridge_bound(
    search: Search, ridge: tuple[Element, ...], kind: int, low: int, high: int
) -> Element:
    """An upper bound (exact arb) of the error on the critical curve for n in [low, high].

    The error there is g(n) = sqrt(R/G) + kind (tau - n); the bound is the better of its
    plain range and, where R and G are positive, of the mean value form.
    """
    r, g = (ridge[0], ridge[1], ridge[2]), (ridge[3], ridge[4], ridge[5])
    offset = search.decider.curve.offset
    g_span = span(g, low, high)
    if not g_span > 0:
        return search.decider.ring.infinity
    r_span = span(r, low, high)
    distance = (kind * (offset - low)).union(kind * (offset - high))
    plain = (r_span.nonnegative_part() / g_span).sqrt() + distance
    bound = plain.upper()
    if not r_span > 0:
        return bound
    wronskian = (
        r[1] * g[0] - r[0] * g[1],
        2 * (r[2] * g[0] - r[0] * g[2]),
        r[2] * g[1] - r[1] * g[2],
    )
    slope = span(wronskian, low, high) / (2 * g_span * (g_span * r_span).sqrt()) - kind
    sign = certain_sign(slope)
    n = {1: high, -1: low}.get(sign or 0, (low + high) // 2)
    at = (value(r, n) / value(g, n)).sqrt() + kind * (offset - n)
    if not at.is_finite():
        return bound
    if sign is None:
        at = at + slope.abs_upper() * max(n - low, high - n)
    return bound.min(at.upper())


def _explore_rows(search: Search, conic: Conic, low: int, high: int) -> bool:
    """Where the critical curve stays between a few integers m, look along those rows."""
    critical = conic.critical_on(low, high)
    try:
        rows = near(critical, 0, search.length, _FEW)
    except Undecided:
        return False
    if rows and rows[-1] > search.length - high:
        return False
    for m in rows:
        explore_line(search, m, 0, low, high)
    return True


def _explore_column(search: Search, conic: Conic, n: int) -> None:
    """Consider every input that can be worst among those with n spaces."""
    height = search.length - n
    search.consider_all(((n, 0), (n, height)))
    if height <= 1:
        return
    if height <= _FEW:
        search.consider_all((n, m) for m in range(1, height))
        return
    decider = search.decider

    def foot(c: AffineOverRoot) -> Element:
        u0, u1, u2, _, _ = _conic(c)
        return u0 + n * (u1 + n * u2)

    def top(c: AffineOverRoot) -> Element:
        _, _, _, v0, v1 = _conic(c)
        return foot(c) + height * (v0 + n * v1)

    try:
        signs = (decider.sign(foot), decider.sign(top))
    except Undecided:
        if height <= _EXHAUSTIBLE:
            search.consider_all((n, m) for m in range(1, height))
            return
        if decider.has_twin and not search.final:
            raise
        _leave_column(search, n, foot(decider.curve).union(top(decider.curve)))
        return
    if signs == (0, 0):
        # y is constant in m on either side of the one m, if any, at which Q vanishes.
        *_, q02, q12, q22 = decider.curve.gram
        if decider.sign(lambda c: c.gram[5]) != 0:
            search.consider_all((n, m) for m in near(-(q02 + q12 * n) / q22, 0, height))
    elif signs[0] * signs[1] < 0:
        search.consider_all((n, m) for m in near(conic.critical(n), 0, height))


def _leave_column(search: Search, n: int, slope: Element) -> None:
    """Bound a column whose slope is only known to be small: |dy/dm| <= |slope| / Q^(3/2).

    Raises:
        Undecided: if the root is not bounded away from zero there.
    """
    q00, q01, q11, q02, q12, q22 = search.decider.curve.gram
    column = (q00 + n * (2 * q01 + n * q11), 2 * (q02 + n * q12), q22)
    height = search.length - n
    root = span(column, 0, height)
    if not root > 0:
        raise Undecided("A column's slope is not decided at this precision.")
    variation = (abs(slope) * _steepness(root)).upper() * height
    search.leave(search.largest([(n, 0)]) + variation)


def _find_undefined(search: Search) -> None:
    """Where y does not depend on m, find the inputs at which Q vanishes nevertheless."""
    decider, length = search.decider, search.length
    if decider.sign(lambda c: c.gram[5]) == 0:
        return
    *_, q02, q12, q22 = decider.curve.gram

    def beside(n: int) -> range:
        """The integers next to the m at which Q is least, where y may jump."""
        return near(-(q02 + q12 * n) / q22, 0, length - n)

    search.pieces = lambda n: (0, *beside(n))
    gap = decider.enclose(lambda c: _ridge(c)[3:])
    if all(c.is_zero() for c in gap):
        # Q is the square of one affine form, so it vanishes where that form does.
        form = decider.exactly(lambda c: c.gram[3:])
        if form is None or not all(value.is_plain for value in form):
            raise Undecided("A degenerate curve is resolved only for exact parameters.")
        point = least_solution([form], length)
        if point is not None:
            search.undefined.append(point)
        return
    for low, high, sign in sign_ranges((gap[0], gap[1], gap[2]), 0, length):
        if sign is None or sign == 0:
            if high - low > 2 * _FEW:
                raise Undecided("A vanishing vector is not located at this precision.")
            for n in range(low, high + 1):
                search.consider_all((n, m) for m in beside(n))
