"""Enclosures by integer arithmetic: closed intervals with rational ends.

Every operation returns an interval that contains the exact result for all points of its
arguments. `rounded` keeps numbers short by moving the ends outward to multiples of a power
of two; the functions sqrt, exp and log do so themselves, with the error stated at each.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt


class Interval:
    """A closed interval [low, high] of real numbers."""

    __slots__ = ("high", "low")

    def __init__(self, low: Fraction | int, high: Fraction | int | None = None) -> None:
        self.low = Fraction(low)
        self.high = self.low if high is None else Fraction(high)

    def __add__(self, other: Number) -> Interval:
        o = _interval(other)
        return Interval(self.low + o.low, self.high + o.high)

    __radd__ = __add__

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Number) -> Interval:
        return self + (-_interval(other))

    def __rsub__(self, other: Number) -> Interval:
        return (-self) + other

    def __mul__(self, other: Number) -> Interval:
        o = _interval(other)
        ends = (self.low * o.low, self.low * o.high, self.high * o.low, self.high * o.high)
        return Interval(min(ends), max(ends))

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> Interval:
        o = _interval(other)
        if o.low <= 0 <= o.high:
            raise ZeroDivisionError("division by an interval that contains zero")
        return self * Interval(1 / o.high, 1 / o.low)


Number = Interval | Fraction | int


def _interval(value: Number) -> Interval:
    return value if isinstance(value, Interval) else Interval(value)


def rounded(x: Interval, bits: int) -> Interval:
    """A containing interval with ends of about that many significant bits."""
    return Interval(_cut(x.low, bits, up=False), _cut(x.high, bits, up=True))


def _cut(value: Fraction, bits: int, *, up: bool) -> Fraction:
    """The nearest multiple of 2^-s at or above (below) value, s chosen by its size."""
    shift = bits - (abs(value.numerator).bit_length() - value.denominator.bit_length())
    scaled = value * Fraction(2) ** shift
    return (scaled.__ceil__() if up else scaled.__floor__()) / Fraction(2) ** shift


def sqrt(x: Number, bits: int) -> Interval:
    """Square root of an interval; the ends are off by at most 2^-bits relatively.

    Raises:
        ValueError: if an end is negative.
    """
    interval = _interval(x)
    return Interval(_root(interval.low, bits, up=False), _root(interval.high, bits, up=True))


def _root(value: Fraction, bits: int, *, up: bool) -> Fraction:
    """Floor (or ceiling) of the root at a scale with more than `bits` bits; isqrt is exact."""
    shift = max(0, bits + 2 - (value.numerator.bit_length() - value.denominator.bit_length()) // 2)
    scaled = (value.numerator << (2 * shift)) // value.denominator
    root = isqrt(scaled)
    exact = root * root * value.denominator == value.numerator << (2 * shift)
    return Fraction(root + (1 if up and not exact else 0), 1 << shift)


def exp(x: Number, bits: int) -> Interval:
    """Exponential of an interval, each end by Taylor's series after halving.

    Raises:
        ValueError: if an end is above 2^16.
    """
    interval = _interval(x)
    return Interval(_exp(interval.low, bits).low, _exp(interval.high, bits).high)


def _exp(value: Fraction, bits: int) -> Interval:
    """Taylor's series at v/2^j, |v/2^j| <= 2^-8, squared j times.

    The remainder after a term is at most twice that term, as the terms' ratio is below 1/2.
    """
    if value > 1 << 16:
        raise ValueError("the exponential of too large a number")
    if value < -64 * bits:  # e^v < 2^v
        return Interval(0, Fraction(1, 1 << (64 * bits)))
    halvings = max(0, value.__floor__().bit_length() + 9)
    work = bits + 2 * halvings + 16
    small = rounded(Interval(value / (1 << halvings)), work)
    term, total, order = Interval(1), Interval(1), 0
    while abs(term.low) > Fraction(1, 1 << work) or abs(term.high) > Fraction(1, 1 << work):
        order += 1
        term = rounded(term * small / order, work)
        total = total + term
    rest = 2 * max(abs(term.low), abs(term.high))
    total = rounded(total + Interval(-rest, rest), work)
    for _ in range(halvings):
        total = rounded(total * total, work)
    return total


def log(x: Number, bits: int) -> Interval:
    """Natural logarithm of an interval.

    Raises:
        ValueError: if an end is not positive.
    """
    interval = _interval(x)
    if interval.low <= 0:
        raise ValueError("the logarithm of a number that is not positive")
    return Interval(_log(interval.low, bits).low, _log(interval.high, bits).high)


def _log(value: Fraction, bits: int) -> Interval:
    """log v = k log 2 + 2 atanh((r - 1)/(r + 1)) for v = 2^k r with 1/2 < r < 2."""
    power = value.numerator.bit_length() - value.denominator.bit_length()
    rest = value / Fraction(2) ** power
    work = bits + power.bit_length() + 8
    two = _atanh(Interval(Fraction(1, 3)), work)
    ratio = rounded(Interval((rest - 1) / (rest + 1)), work)
    return rounded(2 * (power * two + _atanh(ratio, work)), work)


def _atanh(ratio: Interval, bits: int) -> Interval:
    """The series of atanh for |t| <= 1/3.

    The remainder is below the last power, since the terms fall by a factor of at least 9.
    """
    square, power, total, order = rounded(ratio * ratio, bits), ratio, ratio, 1
    while max(abs(power.low), abs(power.high)) > Fraction(1, 1 << (bits + 4)):
        order += 2
        power = rounded(power * square, bits + 8)
        total = total + rounded(power / order, bits + 8)
    rest = max(abs(power.low), abs(power.high))
    return total + Interval(-rest, rest)
