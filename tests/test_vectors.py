"""Vectors stored as runs against plain lists."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from countbounds import Vector
from countbounds.errors import InputError
from countbounds.expressions import Expr, rational, sqrt, symbol
from countbounds.rings import Enclosure, Symbolic

fractions = st.fractions(-4, 4, max_denominator=3)
Pair = tuple[Vector, list[Fraction]]


@st.composite
def pairs(draw: st.DrawFn, dim: int) -> Pair:
    """A vector cut into arbitrary runs, with or without a tail, and the same as a list."""
    head: list[tuple[Expr, int]] = []
    dense: list[Fraction] = []
    while len(dense) < dim and draw(st.booleans()):
        value, count = draw(fractions), draw(st.integers(1, dim - len(dense)))
        head.append((rational(value), count))
        dense += [value] * count
    tail = draw(fractions)
    return Vector(dim, tuple(head), rational(tail)), dense + [tail] * (dim - len(dense))


two = st.integers(1, 12).flatmap(lambda dim: st.tuples(pairs(dim), pairs(dim)))
one = st.integers(1, 12).flatmap(pairs)


def dense(vector: Vector) -> list[Fraction | None]:
    return [entry.value for entry in vector.entries()]


@given(one)
def test_entries(pair: Pair) -> None:
    vector, entries = pair
    assert dense(vector) == entries
    assert dense(Vector.of(entries)) == entries
    assert Vector.of(entries).dim == vector.dim == len(entries)


@given(two)
def test_arithmetic_is_entrywise(both: tuple[Pair, Pair]) -> None:
    (x, p), (y, q) = both
    assert dense(x + y) == [a + b for a, b in zip(p, q, strict=True)]
    assert dense(x * y) == [a * b for a, b in zip(p, q, strict=True)]
    assert dense(x.combine(y, lambda a, b: a - 2 * b)) == [
        a - 2 * b for a, b in zip(p, q, strict=True)
    ]
    assert x.dot(y).value == sum(a * b for a, b in zip(p, q, strict=True))


@given(one, fractions)
def test_a_single_vector(pair: Pair, factor: Fraction) -> None:
    x, p = pair
    mean = sum(p) / len(p)
    assert x.total().value == sum(p)
    assert dense(x.scaled(factor)) == [factor * a for a in p]
    assert dense(x.map(lambda a: a * a + 1)) == [a * a + 1 for a in p]
    assert dense(x.centred()) == [a - mean for a in p]
    assert x.centred().total().value == 0


@given(one)
def test_runs_are_the_same_on_another_ring(pair: Pair) -> None:
    x, p = pair
    with Enclosure(80) as ring:
        y = x.on(ring, {})
        assert y.dim == x.dim
        for ball, value in zip(y.entries(), p, strict=True):
            assert abs(ball - ring.number(value)) < 1e-20
        assert abs(y.dot(y) - ring.number(sum((a * a for a in p), Fraction(0)))) < 1e-20


@given(st.lists(fractions, min_size=1, max_size=12))
def test_equal_neighbours_share_a_run(entries: list[Fraction]) -> None:
    vector = Vector.of(entries)
    values = [value.value for value, _ in vector.head]
    assert all(x != y for x, y in pairwise(values))
    assert sum(count for _, count in vector.head) == len(entries)


def test_a_million_entries_cost_no_more_than_three() -> None:
    long = Vector.leading(10**6, 1, "1/2", tail=Fraction(1, 1000))
    assert len(long.head) == 2
    assert long.total().value == Fraction(3, 2) + Fraction(10**6 - 2, 1000)
    assert long.dot(long).value == Fraction(5, 4) + Fraction(10**6 - 2, 10**6)
    product = long * Vector(10**6, ((rational(2), 10**5), (rational(0), 9 * 10**5)), rational(0))
    assert product.total().value == 3 + 2 * Fraction(10**5 - 2, 1000)
    assert len(product.head) == 4


def test_leading_entries_of_every_kind() -> None:
    root = sqrt(2)
    vector = Vector.leading(5, root, 0.5, "1/3", tail=2)
    entries = list(vector.entries())
    assert entries[0] is root
    assert [entry.value for entry in entries[1:]] == [Fraction(1, 2), Fraction(1, 3), 2, 2]


def test_equal_irrational_entries() -> None:
    vector = Vector.of([sqrt(2), sqrt(2), 1, 1])
    assert vector.dim == 4
    with Enclosure(80) as ring:
        square = vector.on(ring, {}).dot(vector.on(ring, {}))
        assert square.contains(6)
        assert square.rad() < 1e-20


def test_a_symbolic_dimension() -> None:
    d, ring = symbol("d"), Symbolic()
    vector = Vector.leading(d, 1, -1).on(ring, {})
    assert vector.dot(vector) == 2
    ones = Vector.leading(d, tail=1).on(ring, {})
    assert sympy.simplify(ones.total() - sympy.Symbol("d", positive=True)) == 0
    assert sympy.simplify(ones.centred().total()) == 0


@pytest.mark.parametrize("bad", [[], ["x"], [None], [float("nan")], [1, 2, "1/0"], [1e999]])
def test_what_is_not_a_vector_is_refused(bad: Any) -> None:
    with pytest.raises(InputError):
        Vector.of(bad)


def test_more_entries_than_the_dimension_are_refused() -> None:
    with pytest.raises(InputError):
        Vector.leading(3, 1, 2, 3, 4)
