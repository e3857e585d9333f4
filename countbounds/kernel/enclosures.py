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
    ends = _floor_ceiling(value.numerator << max(shift, 0), value.denominator << max(-shift, 0))
    return Fraction(ends[up] << max(-shift, 0), 1 << max(shift, 0))


def _floor_ceiling(top: int, bottom: int) -> tuple[int, int]:
    return top // bottom, -(-top // bottom)


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
    """Taylor's series at v/2^j <= 2^-8, squared j times; in integers at the scale 2^-work.

    The remainder after a term is at most twice that term, as the terms' ratio is below 1/2.
    """
    if value > 1 << 16:
        raise ValueError("the exponential of too large a number")
    if value < -1 << 16:  # e^v < 2^v
        return Interval(0, Fraction(1, 1 << (1 << 16)))
    if value < 0:
        return rounded(Interval(1) / _exp(-value, bits), bits + 16)
    halvings = value.__floor__().bit_length() + 9
    work = bits + 2 * halvings + 16
    low, high = _floor_ceiling(value.numerator << work, value.denominator << halvings)
    term, total, order = (1 << work, 1 << work), (1 << work, 1 << work), 0
    while term[1] > 1:
        order += 1
        term = (term[0] * low >> work) // order, -((-term[1] * high >> work) // order)
        total = total[0] + term[0], total[1] + term[1]
    power = Interval(Fraction(total[0], 1 << work), Fraction(total[1] + 2 * term[1], 1 << work))
    for _ in range(halvings):
        power = rounded(power * power, work)
    return power


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
    """log v = k log 2 + 2 atanh((r - 1)/(r + 1)) for v = 2^k r with 1 <= r < 4."""
    power = value.numerator.bit_length() - value.denominator.bit_length() - 1
    rest = value / Fraction(2) ** power
    work = bits + abs(power).bit_length() + 8
    half = power * _atanh(Fraction(1, 3), work) + _atanh((rest - 1) / (rest + 1), work)
    return rounded(2 * half, work)


def _atanh(ratio: Fraction, bits: int) -> Interval:
    """The series of atanh for 0 <= t <= 3/5, in integers at the scale 2^-work.

    The remainder is below the last power, since the terms fall by a factor of at least 5/2.
    """
    work = bits + 16
    power = low, high = _floor_ceiling(ratio.numerator << work, ratio.denominator)
    square, total, order = (low * low >> work, -(-high * high >> work)), power, 1
    while power[1] > 1:
        order += 2
        power = power[0] * square[0] >> work, -(-power[1] * square[1] >> work)
        total = total[0] + power[0] // order, total[1] - (-power[1] // order)
    return Interval(Fraction(total[0], 1 << work), Fraction(total[1] + power[1], 1 << work))
