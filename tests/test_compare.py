"""Order and floors of closed forms."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any, Final

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from countbounds.compare import compare, enclose, exact_value, floor_of
from countbounds.errors import Undecided
from countbounds.expressions import (
    Expr,
    exp,
    floor,
    log,
    maximum,
    minimum,
    power,
    rational,
    sqrt,
    symbol,
)

NUMBERS: Final = st.fractions(min_value=-1000, max_value=1000, max_denominator=1000)
RADICANDS: Final = st.integers(0, 400)


def convergents(value: Fraction, count: int) -> list[Fraction]:
    """The first convergents of a number."""
    found = []
    p, q, r, s = 1, 0, 0, 1
    rest = value
    for _ in range(count):
        whole = rest.__floor__()
        p, q, r, s = whole * p + r, whole * q + s, p, q
        found.append(Fraction(p, q))
        if rest == whole:
            break
        rest = 1 / (rest - whole)
    return found


def root_of_two(digits: int) -> Fraction:
    return Fraction(isqrt(2 * 10 ** (2 * digits)), 10**digits)


def test_a_root_is_told_apart_from_its_convergents() -> None:
    for convergent in convergents(root_of_two(400), 300):
        expected = 1 if convergent * convergent < 2 else -1
        assert compare(sqrt(2), convergent) == expected
        assert compare(convergent, sqrt(2)) == -expected


@pytest.mark.parametrize("digits", [10, 100, 1000, 5000])
def test_numbers_that_agree_to_many_digits_are_told_apart(digits: int) -> None:
    hair = Fraction(1, 10**digits)
    for value in (sqrt(2), exp(1), log(7), exp(sqrt(3)) * sqrt(5)):
        assert compare(value + hair, value) == 1
        assert compare(value, value + hair) == -1
    assert compare(root_of_two(digits), sqrt(2)) == -1
    assert compare(root_of_two(digits) + hair, sqrt(2)) == 1


EQUAL: Final[list[tuple[Expr, Expr]]] = [
    (sqrt(2) * sqrt(8), rational(4)),
    (sqrt(2) + sqrt(18), sqrt(32)),
    ((sqrt(2) + sqrt(3)) * (sqrt(2) + sqrt(3)), 5 + 2 * sqrt(6)),
    (sqrt(Fraction(1, 3)) * 3, sqrt(3)),
    (exp(sqrt(2)) * exp(sqrt(2)), exp(sqrt(8))),
    (exp(3) / exp(1), exp(2)),
    (1 / sqrt(2), sqrt(2) / 2),
    (exp(sqrt(2)) * sqrt(3) - exp(sqrt(2)), exp(sqrt(2)) * (sqrt(3) - 1)),
    (maximum(sqrt(4), Fraction(3, 2)), rational(2)),
    (sqrt(10**40), rational(10**20)),
    (sqrt(5 + 2 * sqrt(6)), sqrt(2) + sqrt(3)),
    (power(rational(1), Fraction(2, 3)), rational(1)),
]


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_equality_is_recognised(left: Expr, right: Expr) -> None:
    assert compare(left, right) == 0
    assert compare(right, left) == 0
    assert compare(left + Fraction(1, 10**50), right) == 1
    assert compare(left, right + Fraction(1, 10**50)) == -1


UNDECIDED: Final[list[tuple[Expr, Expr]]] = [
    (log(4), 2 * log(2)),
    (exp(log(3)), rational(3)),
    (log(exp(2)), rational(2)),
    (power(rational(8), Fraction(1, 3)), rational(2)),
]


@pytest.mark.parametrize(("left", "right"), UNDECIDED)
def test_equality_that_cannot_be_proven_is_left_open(left: Expr, right: Expr) -> None:
    with pytest.raises(Undecided):
        compare(left, right)
    with pytest.raises(Undecided):
        floor_of(left - right)


def test_what_is_not_a_number_has_no_order() -> None:
    nothing = log(sqrt(2) - 2)
    with pytest.raises(Undecided):
        compare(nothing, 0)
    with pytest.raises(Undecided):
        floor_of(nothing)


def test_a_formula_with_an_unknown_is_not_compared() -> None:
    with pytest.raises(KeyError, match="L"):
        compare(symbol("L"), 1)


@given(NUMBERS, NUMBERS)
def test_fractions_are_ordered_as_fractions(x: Fraction, y: Fraction) -> None:
    assert compare(x, y) == (x > y) - (x < y)
    assert compare(rational(x), rational(y)) == (x > y) - (x < y)


@st.composite
def surds(draw: st.DrawFn) -> tuple[Expr, Callable[[], Any]]:
    """A sum of rational multiples of roots, and its value in mpmath."""
    terms = draw(st.lists(st.tuples(NUMBERS, RADICANDS), min_size=1, max_size=4))
    formula = rational(0)
    for q, k in terms:
        formula = formula + q * sqrt(k)
    return formula, lambda: mpmath.fsum(
        mpmath.mpf(q.numerator) / q.denominator * mpmath.sqrt(k) for q, k in terms
    )


@given(surds(), surds())
def test_sums_of_roots_are_ordered_as_in_mpmath(
    left: tuple[Expr, Callable[[], Any]], right: tuple[Expr, Callable[[], Any]]
) -> None:
    with mpmath.workdps(120):
        difference = left[1]() - right[1]()
        # So close, numbers this simple are equal.
        expected = 0 if abs(difference) < mpmath.mpf(10) ** -100 else mpmath.sign(difference)
    assert compare(left[0], right[0]) == expected
    assert compare(right[0], left[0]) == -expected


@given(surds(), st.fractions(min_value=-20, max_value=20, max_denominator=50), surds())
def test_exponentials_are_ordered_as_in_mpmath(
    factor: tuple[Expr, Callable[[], Any]],
    exponent: Fraction,
    other: tuple[Expr, Callable[[], Any]],
) -> None:
    assume(exponent != 0)
    with mpmath.workdps(120):
        value = factor[1]() * mpmath.exp(mpmath.mpf(exponent.numerator) / exponent.denominator)
        difference = value - other[1]()
        expected = 0 if abs(difference) < mpmath.mpf(10) ** -90 else mpmath.sign(difference)
    assert compare(factor[0] * exp(exponent), other[0]) == expected


# --- floors ---------------------------------------------------------------------------


@given(st.fractions())
def test_the_floor_of_a_fraction(value: Fraction) -> None:
    assert floor_of(value) == value.__floor__() == floor_of(rational(value))


@given(st.integers(0, 10**40), st.integers(1, 10**6))
def test_the_floor_of_a_root(square: int, denominator: int) -> None:
    low = floor_of(sqrt(Fraction(square, denominator)))
    assert low == isqrt(square // denominator)


@pytest.mark.parametrize("value", [0, 1, 2, 7, 10**30])
def test_a_floor_at_an_integer(value: int) -> None:
    one = sqrt(2) * sqrt(8) / 4
    assert floor_of(value * one) == value
    assert floor_of(-value * one) == -value
    hair = Fraction(1, 10**80)
    assert floor_of(value * one - hair) == value - 1
    assert floor_of(value * one + hair) == value
    assert floor_of(-value * one - hair) == -value - 1


def test_the_floor_of_what_is_no_root() -> None:
    assert floor_of(exp(8)) == 2980
    assert floor_of(-exp(8)) == -2981
    assert floor_of(log(10**9)) == 20
    with mpmath.workdps(1200):
        expected = int(mpmath.floor(mpmath.exp(2 * mpmath.sqrt(10**6))))
    assert floor_of(exp(2 * sqrt(10**6))) == expected


def test_a_floor_that_jumps_is_left_open() -> None:
    with pytest.raises(Undecided):
        floor_of(log(exp(3)))
    with pytest.raises(Undecided):
        compare(floor(log(exp(3))), 3)


# --- enclosures and exact values ------------------------------------------------------


@given(surds(), st.integers(53, 400))
def test_an_enclosure_contains_the_value(value: tuple[Expr, Callable[[], Any]], bits: int) -> None:
    bracket = enclose(value[0], bits)
    assert bracket.lower is not None
    assert bracket.upper is not None
    with mpmath.workprec(2000):
        exact = value[1]()
        low, high = (
            mpmath.mpf(end.numerator) / end.denominator for end in (bracket.lower, bracket.upper)
        )
        assert low <= exact + mpmath.mpf(2) ** -1900
        assert exact <= high + mpmath.mpf(2) ** -1900
    assert bracket.upper - bracket.lower <= Fraction(10**6, 2**bits)


def test_an_enclosure_of_a_rational_number_is_the_number() -> None:
    assert enclose(Fraction(1, 3)).lower == enclose(Fraction(1, 3)).upper == Fraction(1, 3)
    assert enclose(sqrt(Fraction(4, 9))).is_exact
    assert not enclose(sqrt(2)).is_exact


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (sqrt(2) * sqrt(8), Fraction(4)),
        (sqrt(Fraction(1, 2)) * sqrt(Fraction(9, 2)), Fraction(3, 2)),
        (exp(sqrt(2)) * exp(-sqrt(2)), Fraction(1)),
        (sqrt(2) - sqrt(2), Fraction(0)),
        (maximum(2, sqrt(9)), Fraction(3)),
        (minimum(2, sqrt(2) * sqrt(2)), Fraction(2)),
        (floor(sqrt(2) * sqrt(8)), Fraction(4)),
        (sqrt(2), None),
        (exp(1), None),
        (log(2), None),
        (exp(log(2)), None),
        (sqrt(2) + exp(3), None),
    ],
)
def test_exact_values(formula: Expr, value: Fraction | None) -> None:
    assert exact_value(formula) == value
