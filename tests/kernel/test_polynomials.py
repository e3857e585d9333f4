"""Positivity at integers against evaluation at each of them."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from countbounds.kernel.polynomials import breakpoints, positive, times, value

SMALL = st.fractions(-30, 30, max_denominator=12)
POLYNOMIALS = st.lists(SMALL, min_size=1, max_size=6)
ROOTS = st.lists(st.fractions(-5, 45, max_denominator=4), min_size=1, max_size=4)


@given(POLYNOMIALS, st.integers(-5, 40), st.integers(0, 40))
def test_positive_is_positive_at_every_integer(p: list[Fraction], low: int, span: int) -> None:
    expected = all(value(p, n) > 0 for n in range(low, low + span + 1))
    assert positive(p, low, low + span) == expected


@given(ROOTS, st.fractions(-1, 1, max_denominator=50))
def test_near_misses(roots: list[Fraction], shift: Fraction) -> None:
    """Products of linear factors, shifted: dips between two integers must not be misread."""
    p = [Fraction(1)]
    for root in roots:
        p = times(p, [-root, Fraction(1)])
    p[0] += shift
    expected = all(value(p, n) > 0 for n in range(41))
    assert positive(p, 0, 40) == expected


@given(ROOTS)
def test_every_root_lies_between_neighbouring_breakpoints(roots: list[Fraction]) -> None:
    p = [Fraction(1)]
    for root in roots:
        p = times(p, [-root, Fraction(1)])
    points = breakpoints(p, 0, 40)
    for root in roots:
        if 0 <= root <= 40:
            floor = root.__floor__()
            pairs = ((floor - 1, floor), (floor, floor), (floor, floor + 1))
            holders = [pair for pair in pairs if pair[0] <= root <= pair[1]]
            assert any(a in points and b in points for a, b in holders)


def test_a_long_range_costs_few_evaluations() -> None:
    far = 10**18
    square = times(
        [Fraction(-(far // 3)) - Fraction(1, 3), Fraction(1)],
        [Fraction(-(far // 3)) - Fraction(1, 3), Fraction(1)],
    )
    assert positive(square, 0, far)
    square[0] -= Fraction(1, 9)
    assert not positive(square, 0, far)


def test_empty_ranges_and_constants() -> None:
    assert positive([Fraction(-1)], 3, 2)
    assert not positive([Fraction(0)], 0, 0)
    assert positive([Fraction(1, 7)], 0, 10**18)
