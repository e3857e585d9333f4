"""The rounding polytope S_L against exact linear programming and every input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds.compare import compare
from countbounds.expressions import Expr, exp, rational, sqrt
from countbounds.polytope import beyond_vertex, interior_point, least_value, least_weight
from tests.variants import strategies

HALF: Final = Fraction(1, 2)
Row = tuple[Fraction, Fraction, Fraction, Fraction]
Point = tuple[Fraction, Fraction, Fraction]


def number(formula: Expr) -> Fraction:
    assert formula.value is not None
    return formula.value


def rows(length: int) -> Iterator[Row]:
    """The inequalities u a + v beta + w A >= c of S_L, two for every n."""
    for n in range(length + 1):
        low, high = n - HALF, n + HALF
        yield -low, Fraction(1), Fraction(n), low * n
        yield high, Fraction(-1), Fraction(-n), -high * n


def slack(row: Row, point: Point) -> Fraction:
    return sum((u * x for u, x in zip(row, point, strict=False)), Fraction(0)) - row[3]


def vertex(length: int) -> Point:
    """The closed polytope's vertex (a*, -a*/2, A*)."""
    weight = number(least_weight(length))
    return weight, -weight / 2, number(least_value(length))


def determinant(columns: Sequence[Sequence[Fraction]]) -> Fraction:
    (a, b, c), (d, e, f), (g, h, i) = columns
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def is_minimal(objective: Sequence[Fraction], active: Sequence[Row]) -> bool:
    """Whether the objective is a combination of active normals, weights >= 0.

    Then no point of the polytope has a smaller objective than the one where they are active
    (linear programming duality).
    """
    normals = [row[:3] for row in active]
    for chosen in combinations(normals, 3):
        whole = determinant(chosen)
        if whole == 0:
            continue
        weights = [
            determinant([objective if k == i else chosen[k] for k in range(3)]) / whole
            for i in range(3)
        ]
        if min(weights) >= 0:
            return True
    return any(
        one[i] * other[j] != one[j] * other[i] and _in_cone(objective, one, other, i, j)
        for one, other in combinations(normals, 2)
        for i, j in ((0, 1), (0, 2), (1, 2))
    )


def _in_cone(
    objective: Sequence[Fraction],
    one: Sequence[Fraction],
    other: Sequence[Fraction],
    i: int,
    j: int,
) -> bool:
    whole = one[i] * other[j] - one[j] * other[i]
    x = (objective[i] * other[j] - objective[j] * other[i]) / whole
    y = (one[i] * objective[j] - one[j] * objective[i]) / whole
    exact = all(x * p + y * q == c for p, q, c in zip(one, other, objective, strict=True))
    return x >= 0 and y >= 0 and exact


@pytest.mark.parametrize("length", range(1, 61))
def test_the_vertex_minimises_the_weight_and_the_value(length: int) -> None:
    point = vertex(length)
    system = list(rows(length))
    assert min(slack(row, point) for row in system) == 0
    active = [row for row in system if slack(row, point) == 0]
    if length > 1:
        assert is_minimal((Fraction(1), Fraction(0), Fraction(0)), active)
    assert is_minimal((Fraction(0), Fraction(0), Fraction(1)), [*active, _WEIGHT_IS_POSITIVE])


_WEIGHT_IS_POSITIVE: Final[Row] = (Fraction(1), Fraction(0), Fraction(0), Fraction(0))


def test_the_certificate_of_minimality_refuses_a_wrong_vertex() -> None:
    for length in range(4, 20):
        a, _, value = vertex(length)
        # Feasible, but not least: a point of the same edge, further up.
        other = (a + 2, -(a + 2) / 2 + 1, value + 2)
        system = list(rows(length))
        assert min(slack(row, other) for row in system) >= 0
        active = [row for row in system if slack(row, other) == 0]
        assert not is_minimal((Fraction(1), Fraction(0), Fraction(0)), active)
        # Smaller, and infeasible.
        assert min(slack(row, (a - 1, -(a - 1) / 2, value)) for row in system) < 0


def test_the_least_weight_and_value_in_numbers() -> None:
    weights = [number(least_weight(length)) for length in range(1, 11)]
    values = [number(least_value(length)) for length in range(1, 11)]
    assert weights == [0, 0, 1, 2, 4, 6, 9, 12, 16, 20]
    assert [value + HALF for value in values] == [1, 2, 4, 6, 9, 12, 16, 20, 25, 30]


@given(strategies.lengths)
def test_the_value_exceeds_the_weight_by_about_the_length(length: int) -> None:
    weight, value = number(least_weight(length)), number(least_value(length))
    assert weight.denominator == 1
    assert weight == (length - 1) ** 2 // 4
    assert value == weight + length - HALF


# --- interior points ------------------------------------------------------------------

EXCESSES: Final = (
    Fraction(1, 10**40),
    Fraction(1, 10**6),
    Fraction(1, 3),
    Fraction(1),
    Fraction(2),
    Fraction(1000, 7),
    Fraction(10**40),
)


def interior(length: int, excess: Fraction) -> Point:
    """(a, beta, A) of the interior point."""
    point = interior_point(length, excess)
    weight, boundary, space = (number(part) for part in point)
    return weight, weight * boundary, space


@pytest.mark.parametrize("excess", EXCESSES)
def test_interior_points_are_strict(excess: Fraction) -> None:
    for length in range(1, 61):
        point = interior(length, excess)
        assert point[0] == vertex(length)[0] + excess
        assert point[2] == vertex(length)[2] + excess
        assert min(slack(row, point) for row in rows(length)) > 0


@given(strategies.lengths, st.fractions(min_value=0).filter(bool), st.data())
def test_interior_points_are_strict_at_any_length(
    length: int, excess: Fraction, data: st.DataObject
) -> None:
    weight, beta, value = interior(length, excess)
    middle = (length - 1) // 2
    special = (0, 1, middle, middle + 1, length - 1, length)
    drawn = data.draw(st.lists(st.integers(0, length), max_size=10))
    for n in {min(max(n, 0), length) for n in (*special, *drawn)}:
        y = (beta + value * n) / (weight + n)
        assert abs(y - n) < HALF


@given(st.integers(1, 60), st.sampled_from(EXCESSES))
def test_the_boundary_s_value_stays_within_a_half(length: int, excess: Fraction) -> None:
    boundary = number(interior_point(length, excess).boundary)
    assert -HALF < boundary <= 0


def test_interior_points_of_closed_forms() -> None:
    for excess in (sqrt(2), exp(-5), 1 / sqrt(10**30)):
        for length in (1, 2, 7, 40):
            point = interior_point(length, excess)
            for n in range(length + 1):
                top = point.weight * point.boundary + point.space * n
                assert compare(top, (n - HALF) * (point.weight + n)) > 0
                assert compare(top, (n + HALF) * (point.weight + n)) < 0


def test_an_interior_point_is_the_one_beyond_the_vertex() -> None:
    one = interior_point(10, Fraction(3, 2))
    other = beyond_vertex(rational(20), rational(Fraction(59, 2)), Fraction(3, 2))
    assert [number(part) for part in one] == [number(part) for part in other]


def test_the_vertex_itself_is_not_strict() -> None:
    for length in range(2, 30):
        assert min(slack(row, vertex(length)) for row in rows(length)) == 0


# --- letters --------------------------------------------------------------------------


def rounds(point: Point, length: int, delta: Fraction, letter: Fraction) -> bool:
    """Whether the curve with these letters is strict on the whole domain."""
    weight, beta, value = point
    for n in range(length + 1):
        for m in range(length - n + 1):
            bottom = weight + n + delta * m
            if not abs(beta + value * n + delta * letter * m - n * bottom) < HALF * bottom:
                return False
    return True


@pytest.mark.parametrize("letter", [-HALF, Fraction(-1, 3), Fraction(0), HALF])
@pytest.mark.parametrize("delta", [Fraction(1, 10**9), HALF, Fraction(99, 100), Fraction(1)])
def test_light_letters_with_small_values_are_free(delta: Fraction, letter: Fraction) -> None:
    for length in (*range(1, 14), 25):
        for excess in (Fraction(1, 10**9), Fraction(2), Fraction(10**6)):
            assert rounds(interior(length, excess), length, delta, letter)


@given(
    st.integers(1, 15),
    st.fractions(min_value=0, max_value=10**6, max_denominator=10**6).filter(bool),
    st.fractions(min_value=0, max_value=1, max_denominator=1000).filter(bool),
    st.fractions(min_value=-HALF, max_value=HALF, max_denominator=1000),
)
def test_light_letters_with_small_values_are_free_anywhere(
    length: int, excess: Fraction, delta: Fraction, letter: Fraction
) -> None:
    assert rounds(interior(length, excess), length, delta, letter)


def test_other_letters_are_not_free() -> None:
    point = interior(12, Fraction(1, 100))
    assert not rounds(point, 12, Fraction(1), Fraction(4))
    assert not rounds(point, 12, Fraction(1), Fraction(-4))
    assert not rounds(point, 12, Fraction(50), HALF)
