"""The kernel's own arithmetic against MPFR and arb."""

from __future__ import annotations

from fractions import Fraction

import flint
import gmpy2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds.kernel.enclosures import Interval, exp, log, rounded, sqrt

BITS = st.sampled_from([32, 64, 128, 400])
POSITIVE = st.fractions(Fraction(1, 10**12), 10**12, max_denominator=10**12)
EXPONENTS = st.fractions(-300, 300, max_denominator=10**9)


def mpfr(function: str, value: Fraction, direction: int) -> Fraction:
    """A function value rounded down or up by MPFR at 500 bits, as a fraction."""
    with gmpy2.context(precision=500, round=direction):
        x = gmpy2.mpfr(gmpy2.mpq(value.numerator, value.denominator))
        result = getattr(gmpy2, function)(x)
        return Fraction(*(int(part) for part in result.as_integer_ratio()))


def contains(interval: Interval, function: str, value: Fraction) -> bool:
    # The argument is rounded too, in the direction of the result: all three functions rise.
    below = mpfr(function, value, gmpy2.RoundDown)
    above = mpfr(function, value, gmpy2.RoundUp)
    return interval.low <= above and below <= interval.high


@given(POSITIVE, BITS)
def test_roots_contain_the_true_value(value: Fraction, bits: int) -> None:
    root = sqrt(value, bits)
    assert root.low**2 <= value <= root.high**2
    assert root.high - root.low <= root.high / 2**bits


@given(POSITIVE)
def test_roots_of_squares_are_exact(value: Fraction) -> None:
    root = sqrt(value * value, 8 * value.denominator.bit_length() + 200)
    assert root.low <= value <= root.high


@given(EXPONENTS, BITS)
def test_exponentials_contain_the_true_value(value: Fraction, bits: int) -> None:
    result = exp(value, bits)
    assert contains(result, "exp", value)
    assert result.high - result.low <= result.high / 2 ** (bits - 8)


@given(POSITIVE, BITS)
def test_logarithms_contain_the_true_value(value: Fraction, bits: int) -> None:
    result = log(value, bits)
    assert contains(result, "log", value)
    assert result.high - result.low <= Fraction(64, 2**bits)


@given(EXPONENTS)
def test_log_inverts_exp(value: Fraction) -> None:
    result = log(exp(value, 300), 300)
    assert result.low <= value <= result.high


def test_far_out_exponentials() -> None:
    tiny = exp(Fraction(-(10**30)), 64)
    assert tiny.low == 0
    assert 0 < tiny.high < Fraction(1, 2**4000)
    with pytest.raises(ValueError, match="too large"):
        exp(Fraction(10**6), 64)


@pytest.mark.parametrize("value", [Fraction(0), Fraction(-1)])
def test_logarithms_of_what_is_not_positive(value: Fraction) -> None:
    with pytest.raises(ValueError, match="not positive"):
        log(value, 64)


def test_roots_of_negative_numbers() -> None:
    assert sqrt(Fraction(0), 64).high == 0
    with pytest.raises(ValueError, match="nonnegative"):
        sqrt(Fraction(-1), 64)


@given(*[st.fractions(max_denominator=10**6, min_value=-1000, max_value=1000)] * 4)
def test_arithmetic_contains_every_point(
    a: Fraction, b: Fraction, c: Fraction, d: Fraction
) -> None:
    x, y = Interval(min(a, b), max(a, b)), Interval(min(c, d), max(c, d))
    for p in (a, b, (a + b) / 2):
        for q in (c, d, (c + d) / 2):
            for result, exact in ((x + y, p + q), (x - y, p - q), (x * y, p * q)):
                assert result.low <= exact <= result.high
            if not y.low <= 0 <= y.high:
                assert (x / y).low <= p / q <= (x / y).high
    short = rounded(x, 20)
    assert short.low <= x.low <= x.high <= short.high


def test_division_by_an_interval_with_zero() -> None:
    with pytest.raises(ZeroDivisionError):
        Interval(1) / Interval(-1, 1)


@given(EXPONENTS)
def test_arb_agrees(value: Fraction) -> None:
    old = flint.ctx.prec
    flint.ctx.prec = 400
    try:
        ball = flint.arb(flint.fmpq(value.numerator, value.denominator)).exp()
        mine = exp(value, 200)
        ends = [flint.arb(flint.fmpq(e.numerator, e.denominator)) for e in (mine.low, mine.high)]
        assert not ends[0] > ball
        assert not ends[1] < ball
    finally:
        flint.ctx.prec = old
