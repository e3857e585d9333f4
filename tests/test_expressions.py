"""Closed forms: one formula, the same value on every ring, and a second opinion from MPFR."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import flint
import gmpy2
import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from countbounds.errors import InputError, NotExact, Undecided
from countbounds.expressions import (
    Expr,
    evaluate,
    exp,
    floor,
    log,
    maximum,
    minimum,
    power,
    rational,
    real,
    sqrt,
    symbol,
)
from countbounds.rings import Enclosure, ExactNumbers, Floating, HighPrecision, Symbolic

BITS = 128

leaves = st.one_of(
    st.integers(-6, 6).map(rational),
    st.fractions(-6, 6, max_denominator=7).map(rational),
    st.integers(2, 9).map(sqrt),
    st.integers(-3, 3).map(exp),
)
binary: list[Callable[[Any, Any], Expr]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    minimum,
    maximum,
]
unary: list[Callable[[Any], Expr]] = [operator.neg, sqrt, exp, log]


def _grow(children: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return st.one_of(
        st.tuples(st.sampled_from(unary), children).map(lambda t: (t[0], t[1])),
        st.tuples(st.sampled_from(binary), children, children),
    ).map(_build)


def _build(parts: tuple[Any, ...]) -> Expr:
    function, *arguments = parts
    try:
        result: Expr = function(*arguments)
    except ZeroDivisionError:
        return rational(1)
    return result


formulas = st.recursive(leaves, _grow, max_leaves=8)


def enclosed(formula: Expr, bits: int = BITS) -> Any:
    """The enclosure; examples that are undefined or huge are of no interest."""
    with Enclosure(bits) as ring:
        ball = evaluate(formula, ring)
        assume(ball.is_finite() and abs(ball) < 10**300)
    return ball


# --- MPFR with directed rounding --------------------------------------------------------

DOWN = gmpy2.context(precision=BITS, round=gmpy2.RoundDown)
UP = gmpy2.context(precision=BITS, round=gmpy2.RoundUp)
Interval = tuple[Any, Any]


class Directed:
    """Intervals of MPFR numbers, each end rounded its own way: as small a ring as will do."""

    def number(self, value: Fraction) -> Interval:
        exact = gmpy2.mpq(value.numerator, value.denominator)
        return self.each(lambda context: context.add(exact, 0))

    @staticmethod
    def each(function: Callable[[Any], Any]) -> Interval:
        return function(DOWN), function(UP)

    def evaluate(self, formula: Expr) -> Interval:
        name, args = formula.operation, formula.args
        if name == "rational":
            return self.number(args[0])
        values = [self.evaluate(arg) for arg in args]
        if name == "neg":
            ((low, high),) = values
            return DOWN.minus(high), UP.minus(low)
        if name in ("sqrt", "exp", "log"):
            ((low, high),) = values
            assume(name == "exp" or low > 0 or (name == "sqrt" and low == 0))
            return getattr(DOWN, name)(low), getattr(UP, name)(high)
        (a, b), (c, d) = values
        if name == "add":
            return DOWN.add(a, c), UP.add(b, d)
        if name == "sub":
            return DOWN.sub(a, d), UP.sub(b, c)
        if name in ("minimum", "maximum"):
            pick = min if name == "minimum" else max
            return pick(a, c), pick(b, d)
        assert name in ("mul", "div")
        assume(name == "mul" or c > 0 or d < 0)
        pairs = [(x, y) for x in (a, b) for y in (c, d)]
        return (
            min(getattr(DOWN, name)(x, y) for x, y in pairs),
            max(getattr(UP, name)(x, y) for x, y in pairs),
        )


def fraction(number: Any) -> Fraction:
    numerator, denominator = number.as_integer_ratio()
    return Fraction(int(numerator), int(denominator))


@given(formulas)
def test_mpfr_with_directed_rounding_agrees(formula: Expr) -> None:
    ball = enclosed(formula)
    low, high = Directed().evaluate(formula)
    assume(gmpy2.is_finite(low) and gmpy2.is_finite(high))
    assert low <= high
    with flint.ctx.workprec(4 * BITS):
        interval = _point(fraction(low)).union(_point(fraction(high)))
        assert ball.overlaps(interval)
        size = abs(ball).upper().max(flint.arb(1))
        if interval.rad() < size * flint.arb(2) ** -100:
            assert ball.rad() < size * flint.arb(2) ** -60


def _point(value: Fraction) -> Any:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


# --- the rings against each other -------------------------------------------------------


@given(formulas)
def test_enclosures_contain_high_precision_values(formula: Expr) -> None:
    ball = enclosed(formula)
    close = enclosed(formula, 8 * BITS)
    value = evaluate(formula, HighPrecision(300))
    with flint.ctx.workprec(2000):
        point = _point(Fraction(*map(int, mpmath.libmp.to_rational(value._mpf_))))
        size = abs(close).upper().max(flint.arb(1))
        assert abs(point - close) < size * flint.arb(10) ** -150
        if ball.rad() > size * flint.arb(10) ** -100:
            assert ball.contains(point)


@given(formulas)
def test_more_bits_give_a_narrower_enclosure_of_the_same(formula: Expr) -> None:
    coarse, fine = enclosed(formula, 64), enclosed(formula, 512)
    assert coarse.overlaps(fine)
    with flint.ctx.workprec(600):
        assert fine.rad() <= coarse.rad()


@given(formulas)
def test_exact_values_lie_in_the_enclosure(formula: Expr) -> None:
    ball = enclosed(formula)
    try:
        value = evaluate(formula, ExactNumbers())
    except (NotExact, ZeroDivisionError):
        return
    with Enclosure(1000) as ring:
        assert value.on(ring).overlaps(ball)
        assert value.is_zero() == enclosed(formula, 4000).contains(0)


@given(st.recursive(leaves, _grow, max_leaves=4))
def test_symbols_evaluate_to_the_same_number(formula: Expr) -> None:
    ball = enclosed(formula)
    try:
        value = evaluate(formula, Symbolic())
    except TypeError:  # sympy does not order what is not real
        return
    number = sympy.N(value, 60)
    assume(number.is_Float or number.is_Integer or number.is_Rational)
    numerator, denominator = sympy.Rational(number).as_numer_denom()
    with flint.ctx.workprec(1000):
        point = _point(Fraction(int(numerator), int(denominator)))
        size = abs(ball).upper().max(flint.arb(1))
        assert abs(point - ball) < size * flint.arb(10) ** -30


@given(st.recursive(leaves, _grow, max_leaves=4))
def test_floats_are_close(formula: Expr) -> None:
    ball = enclosed(formula)
    with np.errstate(all="ignore"):
        value = evaluate(formula, Floating())
    assume(np.isfinite(value))
    assume(abs(float(ball)) < 1e100 and ball.rad() < 1e-25)
    assert float(value) == pytest.approx(float(ball), rel=1e-6, abs=1e-6)


@given(st.fractions(-50, 50), st.fractions(-50, 50))
def test_rational_arithmetic_is_folded(x: Fraction, y: Fraction) -> None:
    p, q = rational(x), rational(y)
    assert (p + q).value == (x + q).value == (p + y).value == x + y
    assert (p - q).value == (x - q).value == (p - y).value == x - y
    assert (p * q).value == (x * q).value == (p * y).value == x * y
    assert (-p).value == -x
    assert minimum(p, y).value == min(x, y)
    assert maximum(x, q).value == max(x, y)
    assert floor(p).value == x.__floor__()
    assert sqrt(p * p).value == abs(x)
    if y:
        assert (p / q).value == (x / q).value == (p / y).value == x / y
    else:
        with pytest.raises(ZeroDivisionError):
            p / q


def test_neutral_elements_leave_a_formula_as_it_is() -> None:
    x = symbol("x")
    for same in (x + 0, 0 + x, x - 0, x * 1, 1 * x, x / 1):
        assert same is x
    assert (x * 0).value == (0 * x).value == (0 / x).value == 0
    assert evaluate(0 - x, Symbolic()) == -sympy.Symbol("x", positive=True)
    assert exp(0).value == 1
    assert log(1).value == 0
    assert sqrt(Fraction(9, 4)).value == Fraction(3, 2)
    assert sqrt(2).value is None


# --- symbols, sharing -------------------------------------------------------------------


def test_symbols_take_values_of_any_kind() -> None:
    x = symbol("x")
    formula = sqrt(x * x + 1) - x
    for value in (Fraction(3, 4), 3):
        expected = (value * value + 1) ** 0.5 - value
        assert float(evaluate(formula, Floating(), {"x": value})) == pytest.approx(expected)
    array = np.linspace(0, 3, 7)
    found = evaluate(formula, Floating(), {"x": array})
    assert found == pytest.approx(np.sqrt(array**2 + 1) - array)
    with Enclosure(90) as ring:
        assert evaluate(formula, ring, {"x": Fraction(3, 4)}).contains(flint.arb("0.5"))
    with pytest.raises(KeyError, match="x"):
        evaluate(formula, Floating())
    with pytest.raises(KeyError, match="x"):
        evaluate(formula, Floating(), {"y": 1})
    assert evaluate(formula, Symbolic()).free_symbols == {sympy.Symbol("x", positive=True)}


def test_zero_is_a_value() -> None:
    assert float(evaluate(symbol("x") + 1, Floating(), {"x": 0})) == 1


def test_shared_subformulas_are_evaluated_once() -> None:
    calls = 0

    class Counting(Floating):
        def sqrt(self, x: Any) -> Any:
            nonlocal calls
            calls += 1
            return super().sqrt(x)

    shared = sqrt(2)
    formula = shared
    for _ in range(40):
        formula = formula + formula * shared
    assert np.isfinite(evaluate(formula, Counting()))
    assert calls == 1
    memo: dict[int, Any] = {}
    ring = Counting()
    evaluate(formula, ring, None, memo)
    evaluate(formula * 2, ring, None, memo)
    assert calls == 2


def test_a_memo_keeps_no_stale_formula() -> None:
    memo: dict[int, Any] = {}
    ring = Floating()
    for k in range(2, 500):
        assert evaluate(sqrt(k), ring, None, memo) == pytest.approx(k**0.5, rel=1e-15)


@given(st.fractions(Fraction(1, 9), 9), st.fractions(-3, 3, max_denominator=5))
def test_powers(base: Fraction, exponent: Fraction) -> None:
    with Enclosure(200) as ring:
        ball = evaluate(power(base, exponent), ring)
        lifted = ball
        for _ in range(exponent.denominator - 1):
            lifted = lifted * ball
        numerator = exponent.numerator
        expected = ring.number(base ** abs(numerator))
        assert lifted.overlaps(expected if numerator >= 0 else 1 / expected)


def test_a_floor_of_something_irrational() -> None:
    formula = floor(sqrt(2) * 1000)
    with Enclosure(80) as ring:
        assert evaluate(formula, ring) == 1414
    with Enclosure(80) as ring, pytest.raises(Undecided):
        evaluate(floor(sqrt(2) * sqrt(2)), ring)
    assert evaluate(formula, HighPrecision(30)) == 1414
    assert evaluate(formula, Symbolic()) == 1414


def test_formulas_print_as_what_they_are() -> None:
    assert repr(sqrt(symbol("L")) / 2 + Fraction(1, 3)) == "add(div(sqrt(L), 2), 1/3)"


# --- numbers as callers have them -------------------------------------------------------


@pytest.mark.parametrize(
    ("given_value", "expected"),
    [
        (3, Fraction(3)),
        (True, Fraction(1)),
        (Fraction(1, 3), Fraction(1, 3)),
        (0.1, Fraction(3602879701896397, 36028797018963968)),
        (-0.0, Fraction(0)),
        (5e-324, Fraction(1, 2**1074)),
        ("0.1", Fraction(1, 10)),
        (" 1/3 ", Fraction(1, 3)),
        ("-2.5e-3", Fraction(-1, 400)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Decimal("1e-400"), Fraction(1, 10**400)),
        (np.float32(0.5), Fraction(1, 2)),
        (np.float32(0.1), Fraction(13421773, 134217728)),
        (np.float64(0.1), Fraction(0.1)),
        (np.int64(-7), Fraction(-7)),
        (np.uint8(200), Fraction(200)),
        (gmpy2.mpq(1, 3), Fraction(1, 3)),
        (gmpy2.mpz(10**30), Fraction(10**30)),
    ],
)
def test_numbers_are_read_exactly(given_value: object, expected: Fraction) -> None:
    assert real(given_value).value == expected


@pytest.mark.parametrize(
    "bad",
    [
        float("nan"),
        float("inf"),
        -float("inf"),
        np.float64("nan"),
        np.float32("inf"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("-Infinity"),
        None,
        1j,
        complex(1),
        b"1",
        bytearray(b"1"),
        [1],
        {},
        object(),
        "",
        "x",
        "nan",
        "1/0",
        np.array([1.0, 2.0]),
    ],
)
def test_what_is_not_a_finite_real_number_is_refused(bad: object) -> None:
    with pytest.raises(InputError):
        real(bad)


def test_numbers_wider_than_a_double_are_not_rounded() -> None:
    wide = np.longdouble(1) / 3
    try:
        value = real(wide).value
    except InputError:
        return
    assert value is not None
    assert np.longdouble(value.numerator) / np.longdouble(value.denominator) == wide


def test_a_number_of_mpmath_is_read_exactly_or_refused() -> None:
    assert real(mpmath.mpf("0.5")).value == Fraction(1, 2)
    with mpmath.workdps(50):
        third = mpmath.mpf(1) / 3
    with pytest.raises(InputError):
        real(third)


def test_a_formula_passes_through() -> None:
    formula = sqrt(2) + 1
    assert real(formula) is formula
