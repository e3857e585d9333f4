"""The optimum of softmax attention with post-LN: an exchange on four points, and its curve.

With equal scores y(n) = tau + kappa sin(phi(n)), tan(phi) a Moebius function of n, where kappa
and tau come from one size: kappa = sqrt(d) B and tau = 0 for the bare norm, kappa =
sqrt(d - 1) B^2 and tau = min(B^2, L/2) for the learned one. With T(x) = x/sqrt(1 - x^2) and
n0 < n1 < n2 < n3 let t_i = T((n_i + e_i - tau)/kappa), e = (E, -E, E, -E), and

    CR_t = (t1 - t0)(t3 - t2) / ((t3 - t1)(t2 - t0)),  CR_n likewise from the n_i.

A curve passes through the four points if CR_t = CR_n; CR_t falls as kappa or E grows. The
smallest kappa is the largest, over all sets of points, at which CR_t = CR_n with E = 1/2, or
else the floor L - 1/2 - tau, where y(L) gets far enough at phi(L) = 90 degrees. Proofs:
docs/exact-bounds.md.

Numbers are `decimal.Decimal` in a local context, which is quick and leaves nothing changed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    localcontext,
)
from fractions import Fraction
from itertools import combinations
from math import isqrt, sqrt
from typing import Any

from countbounds.decimals import significant
from countbounds.layer import Parameters
from countbounds.optimum.result import Optimum, SearchFailedError
from countbounds.variants.base import zero
from countbounds.vectors import Vector

Points = tuple[int, int, int, int]
Direction = tuple[int, int, int, int]

HALF = Decimal("0.5")
# The signs of the errors at the four points, and CR as pairs of points with their powers.
_SIGNS = (1, -1, 1, -1)
_PAIRS = ((1, 0, 1), (3, 2, 1), (3, 1, -1), (2, 0, -1))
# From 10 on every length is above the floor.
_LONGEST_FLOOR = 9
# The parameters are those of at least so many digits: with fewer, they would have to be of
# another kind than at the optimum.
_LEAST = 8
# Up to this length every integer is looked at; beyond, the asymptotics are a good start.
_SHORT = 12
_ROUNDS = 60


def bare(length: int, dim: int, digits: int) -> Optimum:
    """B_min of bare post-LN within 10^-digits, relatively.

    Args:
        length: L, from 1 to 10^18.
        dim: d, from 3 to 10^6.
        digits: from 1 to 1000.

    Raises:
        SearchFailedError: if the search does not settle; nothing is claimed then.
    """
    with _precision(length, digits):
        return _optimum(_Model(length, dim, learned=False), digits)


def learned(length: int, dim: int, digits: int) -> Optimum:
    """B_min of learned post-LN within 10^-digits, relatively.

    Args:
        length: L, from 1 to 10^18.
        dim: d, from 3 to 10^6.
        digits: from 1 to 1000.

    Raises:
        SearchFailedError: if the search does not settle; nothing is claimed then.
    """
    with _precision(length, digits):
        return _optimum(_Model(length, dim, learned=True), digits)


@contextmanager
def _precision(length: int, digits: int) -> Iterator[None]:
    """Enough for y up to L with an error of 10^-digits, when as many digits cancel in CR."""
    context = Context(
        prec=digits + 2 * len(str(length)) + 25,
        rounding=ROUND_HALF_EVEN,
        Emin=MIN_EMIN,
        Emax=MAX_EMAX,
        traps=[DivisionByZero, InvalidOperation],
    )
    with localcontext(context):
        try:
            yield
        except (DivisionByZero, InvalidOperation) as error:
            raise SearchFailedError("The search left the domain of the arc.") from error


class _Model:
    """How kappa and tau come from a size: B for the bare norm, B^2 for the learned one."""

    def __init__(self, length: int, dim: int, *, learned: bool) -> None:
        self.length, self.dim, self.learned = length, dim, learned
        self.square = dim - 1 if learned else dim
        self.slope = Decimal(self.square).sqrt()
        self.most_offset = Decimal(length) / 2 if learned else Decimal(0)
        self.floor = (length - HALF) / (self.slope + (1 if learned else 0))

    def arc(self, size: Decimal) -> tuple[Decimal, Decimal]:
        """Kappa and tau."""
        return self.slope * size, min(size, self.most_offset)

    def bound(self, size: Decimal) -> Decimal:
        """B."""
        return size.sqrt() if self.learned else size

    def exact_floor(self) -> Fraction | None:
        """B at the floor, if that is a rational number."""
        slope = _exact_root(Fraction(self.square))
        if slope is None:
            return None
        height = self.length - Fraction(1, 2)
        return _exact_root(height / (slope + 1)) if self.learned else height / slope

    def up_to_floor(self, bound: Fraction) -> bool:
        """Whether kappa <= L - 1/2 - tau at a bound, exactly."""
        size = bound * bound if self.learned else bound
        tau = min(size, Fraction(self.length, 2)) if self.learned else 0
        room = self.length - Fraction(1, 2) - tau
        return room >= 0 and self.square * size * size <= room * room


def _optimum(model: _Model, digits: int) -> Optimum:
    """Solve to _LEAST digits at least, prove both sides there, and round outward."""
    solved = max(digits, _LEAST)
    size, points, regime = _solve(model, solved)
    exact, margin = Fraction(model.bound(size)), Fraction(1, 10**solved)
    lower = significant(exact * (1 - margin / 50), digits + 3, up=False)
    reached = significant(exact * (1 + margin / 2), solved + 3, up=True)
    if regime == "floor":
        lower = model.exact_floor() or lower
    witness: dict[str, Any] = {"theorem": "floor"}
    if points is not None and not model.up_to_floor(lower):
        witness = {"theorem": "cross-ratio", "points": list(points)}
    return Optimum(
        lower,
        witness,
        significant(reached, digits + 3, up=True),
        _parameters(model, reached, points, solved),
        regime,
    )


def _solve(model: _Model, digits: int) -> tuple[Decimal, Points | None, str]:
    """The size of the optimum, the points that its curve goes through, and the regime.

    No points at the floor, unless (as for L = 9 and d = 257) its curve is a limit of others.
    """
    if model.length <= _LONGEST_FLOOR and _step(model, model.floor) is not None:
        return model.floor, None, "floor"
    if model.learned and model.length > 2:
        square, points = _centred(model.length)
        size = _decimal(square / model.square).sqrt()
        if 4 * square >= model.square * model.length**2:
            return size, points, "free"
    size, points = _exchange(model, digits)
    if size == model.floor:
        return size, points, "floor"
    return size, points, "offset" if model.learned else "free"


# --- the floor --------------------------------------------------------------------------


def _step(model: _Model, size: Decimal) -> tuple[float, float] | None:
    """Scale and shift of tan(phi) = scale/(L - n) - shift that count to L - 1, 90 degrees at L.

    For each scale the shifts form an interval, and its width is concave in the scale. None
    if it is never positive, that is if more than the floor is needed.
    """
    length, (kappa, tau) = model.length, map(float, model.arc(size))

    def tangent(y: float) -> float:
        sine = (y - tau) / kappa
        return sine / sqrt(1 - sine * sine) if abs(sine) < 0.99999 else 200 * sine

    limits = [(1 / (length - n), tangent(n - 0.5), tangent(n + 0.5)) for n in range(length)]

    def shifts(scale: float) -> tuple[float, float]:
        return (
            max(scale * pole - above for pole, _, above in limits),
            min(scale * pole - below for pole, below, _ in limits),
        )

    def width(scale: float) -> float:
        low, high = shifts(scale)
        return high - low

    left, right = 0.01, 100.0
    for _ in range(100):
        third = (right - left) / 3
        if width(left + third) < width(right - third):
            left += third
        else:
            right -= third
    low, high = shifts(left)
    return (left, (low + high) / 2) if high - low > 1e-9 else None


# --- the exchange -----------------------------------------------------------------------


def _centred(length: int) -> tuple[Fraction, Points]:
    """The smallest kappa^2 at tau = L/2 and its points, in closed form, for L >= 3.

    With v = n2 - n1 the points are 0, (L - v)/2, (L + v)/2, L, and kappa^2 =
    (L - 1)^2 (1/4 + p(v)) at the largest p(v), which rise up to it and fall beyond.
    """
    outer = (length - 1) ** 2

    def p(v: int) -> Fraction:
        inner = (v + 1) ** 2
        return Fraction(v * v * (outer - inner), 4 * (length * length * inner - outer * v * v))

    choices = range(2 - length % 2, length - 1, 2)
    v = choices[bisect_left(choices[:-1], True, key=lambda v: p(v + 2) <= p(v))]
    return outer * (Fraction(1, 4) + p(v)), (0, (length - v) // 2, (length + v) // 2, length)


def _exchange(model: _Model, digits: int) -> tuple[Decimal, Points]:
    """Size and points of the optimum: solve on four points, move them, repeat."""
    tolerance = Decimal(10) ** -(digits + 4)
    size, points = _start(model, digits)
    if model.length <= _SHORT and _imbalance(model, size, points, HALF)[0] <= 0:
        return model.floor, points
    for _ in range(_ROUNDS):
        size = _size(model, points, size, digits)
        moved = _extremes(_through(model, size, points, HALF), points, tolerance)
        if moved == points:
            return size, points
        points = moved
    raise SearchFailedError("The exchange does not settle on four points.")


def _start(model: _Model, digits: int) -> tuple[Decimal, Points]:
    """A first guess: asymptotics, or for short lengths the set that fails most at the floor."""
    length = model.length
    if length > _SHORT:
        kappa = (Decimal(length) ** 3 / 32).sqrt() * (1 + 4 / Decimal(length))
        size = max(kappa / model.slope, model.floor * Decimal("1.001"))
        return size, (0, length // 4 + 1, length - length // 4, length)
    sets = [(0, n1, n2, length) for n1, n2 in combinations(range(2, length - 1), 2)]
    with localcontext(prec=40):
        near = model.floor * (1 + Decimal("1e-9"))
        points = max(sets, key=lambda points: _imbalance(model, near, points, HALF)[0])
    return model.floor * (1 + Decimal(10) ** -(digits + 1)), points


def _imbalance(
    model: _Model, size: Decimal, points: Points, level: Decimal
) -> tuple[Decimal, Decimal, Decimal]:
    """About log(CR_t/CR_n), and its derivatives in log(size) and in E."""
    kappa, tau = model.arc(size)
    drift = tau / kappa if tau < model.most_offset else 0
    sines = [(n + sign * level - tau) / kappa for n, sign in zip(points, _SIGNS, strict=True)]
    secants = [1 / (1 - x * x).sqrt() for x in sines]
    t = [x * c for x, c in zip(sines, secants, strict=True)]
    by_size = [-(x + drift) * c * c * c for x, c in zip(sines, secants, strict=True)]
    by_level = [sign * c * c * c / kappa for sign, c in zip(_SIGNS, secants, strict=True)]
    ratio, rate, slope = Decimal(1), Decimal(0), Decimal(0)
    for i, j, power in _PAIRS:
        gap = t[i] - t[j]
        factor = gap / (points[i] - points[j])
        ratio = ratio * factor if power > 0 else ratio / factor
        rate += power * (by_size[i] - by_size[j]) / gap
        slope += power * (by_level[i] - by_level[j]) / gap
    return 2 * (ratio - 1) / (ratio + 1), rate, slope


def _size(model: _Model, points: Points, size: Decimal, digits: int) -> Decimal:
    """The size at which the four points balance at E = 1/2, by Newton's method in 1/size^2."""
    near = Decimal(10) ** -(digits + 8)
    for _ in range(_ROUNDS):
        value, rate, _ = _imbalance(model, size, points, HALF)
        following = size / max(1 + 2 * value / rate, Decimal("0.1")).sqrt()
        if following <= model.floor:
            following = (size + model.floor) / 2
        if abs(following - size) < near * size:
            return following
        size = following
    raise SearchFailedError("No arc balances the four points.")


def _level(model: _Model, size: Decimal, points: Points, digits: int) -> Decimal:
    """The least E at a size, by Newton's method; below 1/2 for a size above the optimum."""
    kappa, tau = model.arc(size)
    least = max(Decimal(0), model.length - tau - kappa)
    level, near = HALF, Decimal(10) ** -(digits + 6)
    for _ in range(_ROUNDS):
        value, _, slope = _imbalance(model, size, points, level)
        following = level - value / slope
        if following <= least:
            following = (level + least) / 2
        if abs(following - level) < near:
            return following
        level = following
    raise SearchFailedError("No error level balances the four points.")


# --- the curve --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Curve:
    """y = tau + kappa A/sqrt(A^2 + B^2), with A = a0 + a1 n and B = b0 + b1 n."""

    kappa: Decimal
    tau: Decimal
    a0: Decimal
    a1: Decimal
    b0: Decimal
    b1: Decimal

    @property
    def turn(self) -> Decimal:
        """A' B - A B', the same at every n."""
        return self.a1 * self.b0 - self.a0 * self.b1

    def error(self, n: int) -> Decimal:
        """Y - n."""
        a, b = self.a0 + self.a1 * n, self.b0 + self.b1 * n
        return self.tau + self.kappa * a / (a * a + b * b).sqrt() - n

    def rises(self, n: int) -> bool:
        """Whether y' > 1, where y' = kappa B (A' B - A B') / (A^2 + B^2)^(3/2)."""
        a, b = self.a0 + self.a1 * n, self.b0 + self.b1 * n
        speed = self.kappa * b * self.turn
        return speed > 0 and speed * speed > (a * a + b * b) ** 3


def _through(model: _Model, size: Decimal, points: Points, level: Decimal) -> _Curve:
    """The curve with errors E, -E, E at the first three points (-E at the last, if balanced)."""
    kappa, tau = model.arc(size)
    sines = [(n + sign * level - tau) / kappa for n, sign in zip(points, _SIGNS, strict=True)]
    t0, t1, t2, _ = (x / (1 - x * x).sqrt() for x in sines)
    n0, n1, n2, _ = points
    # (t - t0)/(t - t1) = c (n - n0)/(n - n1)
    c = (t2 - t0) * (n2 - n1) / ((t2 - t1) * (n2 - n0))
    return _Curve(kappa, tau, t0 * n1 - c * t1 * n0, c * t1 - t0, n1 - c * n0, c - 1)


def _extremes(curve: _Curve, points: Points, tolerance: Decimal) -> Points:
    """The points with the inner two moved to the extreme errors, if those are larger."""
    _, n1, n2, length = points
    if length <= _SHORT:
        below: Iterable[int] = range(n2)
        above: Iterable[int] = range(n1 + 1, length)
    else:
        # Between the points y' exceeds 1; it does not outside of some interval.
        middle = (n1 + n2) // 2
        turn = bisect_left(range(middle), True, key=curve.rises)
        below = (turn - 1, turn)
        turn = middle + bisect_left(range(middle, length), True, key=lambda n: not curve.rises(n))
        above = (turn - 1, turn)
    low, high = min(below, key=curve.error), max(above, key=curve.error)
    if curve.error(n1) - curve.error(low) > tolerance:
        n1 = low
    if curve.error(high) - curve.error(n2) > tolerance:
        n2 = high
    return 0, n1, n2, length


# --- rational parameters ----------------------------------------------------------------


@dataclass(frozen=True)
class _Readout:
    """Rational w, g and b, and the arc that they make, exactly.

    Attributes:
        vectors: by name.
        size: the size (see `_Model`) that they reach.
        square: kappa^2.
        tau: the offset.
        along: the direction of P(w*g), of sum 0: its first three entries, then all others.
        across: a direction orthogonal to it, also of sum 0.
    """

    vectors: dict[str, Vector]
    size: Decimal
    square: Fraction
    tau: Fraction
    along: Direction
    across: Direction

    @property
    def squares(self) -> tuple[int, int]:
        """|along|^2 and |across|^2."""
        rest = self.vectors["readout"].dim - 3
        x, y = (sum(a * a for a in v[:3]) + rest * v[3] ** 2 for v in (self.along, self.across))
        return x, y

    @property
    def stretch(self) -> Decimal:
        """|along| / |across|: tan(phi) is that times p/q."""
        along, across = self.squares
        return (Decimal(along) / across).sqrt()


@dataclass(frozen=True)
class _Line:
    """P x_# = p0 along + q0 across and P x_s = p1 along + q1 across."""

    p0: int
    p1: int
    q0: int
    q1: int


def _readout(model: _Model, bound: Fraction, digits: int) -> _Readout:
    """The read-out of the largest kappa, all norms at most the bound.

    Bare: w along (1, -1, 0, ...). Learned: w = g = B e1 and b = tau/B e1, so that P(w*g) is
    B^2 (e1 - 1/d), of norm B^2 sqrt(1 - 1/d).
    """
    dim = model.dim
    if not model.learned:
        side = _root_below(bound * bound / 2, digits + 12)
        vectors = {"readout": Vector.leading(dim, side, -side)}
        size, square = _decimal(side) * Decimal(2).sqrt(), 2 * dim * side * side
        return _Readout(vectors, size, square, Fraction(0), (1, -1, 0, 0), (1, 1, -2, 0))
    most = bound * bound
    tau = min(most, Fraction(model.length, 2))
    entries = {"readout": bound, "gain": bound, "bias": tau / bound}
    vectors = {name: Vector.leading(dim, entry) for name, entry in entries.items()}
    along, across = (dim - 1, -1, -1, -1), (0, 1, -1, 0)
    return _Readout(vectors, _decimal(most), (dim - 1) * most * most, tau, along, across)


def _step_line(model: _Model, readout: _Readout) -> _Line:
    """The line of the floor's curve, at 90 degrees for n = L exactly."""
    step = _step(model, readout.size)
    if step is None:
        raise SearchFailedError("No curve was found at the floor.")
    scale, shift = map(Decimal, step)
    fineness = 2**40 * readout.stretch.__ceil__()
    p0, p1 = (round(fineness * a / readout.stretch) for a in (scale - shift * model.length, shift))
    return _Line(p0, p1, fineness * model.length, -fineness)


def _on_grid(curve: _Curve, points: Points, level: Decimal, stretch: Decimal) -> _Line:
    """The curve's line in integers, so fine that y moves by little of the slack 1/2 - E.

    N(n) is off by at most (1 + n)(1 + stretch)/2, and no closer to 0 than the line is: its
    speed times that distance is `turn`.
    """
    speed = (curve.a1 * curve.a1 + curve.b1 * curve.b1).sqrt()
    slack = (HALF - level) * curve.turn / speed
    fineness = 8 * curve.kappa * (1 + points[3]) * (1 + stretch) / slack
    p0, p1 = (round(fineness * a / stretch) for a in (curve.a0, curve.a1))
    q0, q1 = (round(fineness * b) for b in (curve.b0, curve.b1))
    return _Line(p0, p1, q0, q1)


def _parameters(model: _Model, bound: Fraction, points: Points | None, digits: int) -> Parameters:
    """Vectors of norm <= bound that count, after an exact look at the worst inputs."""
    readout = _readout(model, bound, digits)
    if points is None:
        line, numbers = _step_line(model, readout), set(range(model.length + 1))
    else:
        level = _level(model, readout.size, points, digits)
        line = _on_grid(
            _through(model, readout.size, points, level), points, level, readout.stretch
        )
        numbers = {min(max(n + step, 0), points[3]) for n in points for step in (-1, 0, 1)}
    if not all(_right(readout, line, n) for n in numbers):
        raise SearchFailedError("The curve that was found does not count.")
    boundary, space = _embeddings(model.dim, readout, line, bound)
    return Parameters(boundary, space, zero(model.dim), **readout.vectors)


def _right(readout: _Readout, line: _Line, n: int) -> bool:
    """Whether |y(n) - n| < 1/2, exactly: signs and squares of kappa p |along| < T |N|."""
    p, q = line.p0 + line.p1 * n, line.q0 + line.q1 * n
    along, across = readout.squares
    size = p * p * along + q * q * across

    def below(left: int, right: Fraction) -> bool:
        return left * abs(left) * along * readout.square < right * abs(right) * size

    above = n - readout.tau
    return below(p, Fraction(1, 2) + above) and below(-p, Fraction(1, 2) - above)


def _embeddings(dim: int, readout: _Readout, line: _Line, bound: Fraction) -> tuple[Vector, Vector]:
    """Boundary and space with equal scores, by means t and t', and norms below the bound.

    |P x_#|^2 + d t^2 = <P x_#, P x_s> + d t t'. A common factor does not matter.
    """
    along, across = readout.squares
    square = line.p0 * line.p0 * along + line.q0 * line.q0 * across
    product = line.p0 * line.p1 * along + line.q0 * line.q1 * across
    other = line.p1 * line.p1 * along + line.q1 * line.q1 * across
    mean = Fraction(1 << ((square // dim).bit_length() // 2))
    space_mean = mean + (square - product) / (dim * mean)
    largest = max(square + dim * mean * mean, other + dim * space_mean * space_mean)
    ratio = largest / (bound * bound)
    bits = ratio.numerator.bit_length() - ratio.denominator.bit_length() + 1
    factor = Fraction(2) ** -((bits + 1) // 2)

    def vector(p: int, q: int, mean: Fraction) -> Vector:
        entries = [
            factor * (p * x + q * y + mean)
            for x, y in zip(readout.along, readout.across, strict=True)
        ]
        return Vector.leading(dim, *entries[:3], tail=entries[3])

    return vector(line.p0, line.q0, mean), vector(line.p1, line.q1, space_mean)


# --- numbers ----------------------------------------------------------------------------


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / value.denominator


def _exact_root(value: Fraction) -> Fraction | None:
    """The square root, if it is rational."""
    root = Fraction(isqrt(value.numerator), isqrt(value.denominator))
    return root if root * root == value else None


def _root_below(square: Fraction, places: int) -> Fraction:
    """The square root rounded down to so many decimal places."""
    scale = 10**places
    return Fraction(isqrt(square.numerator * scale * scale // square.denominator), scale)
