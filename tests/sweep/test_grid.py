"""Grids as they are written on the command line."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds.errors import InputError
from countbounds.sweeping.grid import Cell, Grid, geometric
from countbounds.variants import NAMES


def test_cells_are_ordered_by_variant_length_and_dimension() -> None:
    grid = Grid.parse("softmax-post-ln, softmax", "1e3,10", "64,3")
    assert grid.lengths == (1000, 10)
    found = list(grid.cells())
    assert len(found) == len(grid) == 8
    assert found[:3] == [
        Cell("softmax-post-ln", 1000, 64),
        Cell("softmax-post-ln", 1000, 3),
        Cell("softmax-post-ln", 10, 64),
    ]
    assert found[4] == Cell("softmax", 1000, 64)


def test_all_variants_and_ranges() -> None:
    grid = Grid.parse("all", "10..1e12:60", "3..100:2,16,3")
    assert grid.variants == NAMES
    assert grid.dims == (3, 100, 16)
    assert len(grid.lengths) == len(set(grid.lengths)) == 60
    assert (grid.lengths[0], grid.lengths[-1]) == (10, 10**12)
    assert len(grid) == 7 * 60 * 3


def test_powers_are_met_exactly() -> None:
    assert geometric(1, 10**18, 19) == [10**power for power in range(19)]
    assert geometric(1, 2**40, 41) == [2**power for power in range(41)]


@given(st.data())
def test_geometric_numbers_are_distinct_and_near_their_places(data: st.DataObject) -> None:
    first = data.draw(st.integers(1, 10**18))
    last = data.draw(st.integers(first, min(10**18, first * 10**6 + 50)))
    count = data.draw(st.integers(min(2, last - first + 1), min(60, last - first + 1)))
    found = geometric(first, last, count)
    assert len(found) == count
    assert found[0] == first
    assert found[-1] == last
    assert all(a < b for a, b in pairwise(found))
    for index, number in enumerate(found):
        place = first * (last / first) ** (index / max(1, count - 1))
        assert abs(number - place) <= count + 1e-9 * place


@pytest.mark.parametrize(
    ("variants", "lengths", "dims", "digits", "says"),
    [
        ("sofmax", "10", "16", 12, "sofmax"),
        ("softmax,", "10", "16", 12, "empty entry"),
        ("", "10", "16", 12, "empty entry"),
        ("softmax", "", "16", 12, "empty entry"),
        ("softmax", "10,,20", "16", 12, "empty entry"),
        ("softmax", "ten", "16", 12, "length L of a sweep is an integer"),
        ("softmax", "2.5", "16", 12, "not 2.5"),
        ("softmax", "10", "x" * 5000, 12, "dimension d of a sweep is an integer"),
        ("softmax", "10..5:3", "16", 12, "from A >= 1 to B >= A"),
        ("softmax", "0..5:3", "16", 12, "from A >= 1 to B >= A"),
        ("softmax", "1..5:6", "16", 12, "from 2 to 5 distinct integers"),
        ("softmax", "1..5:1", "16", 12, "from 2 to 5 distinct integers"),
        ("softmax", "1..1e18:1e9", "16", 12, "from 2 to 1,000,000 distinct"),
        ("softmax", "1..5", "16", 12, "such as 10..1e12:60"),
        ("softmax", "1e19", "16", 12, "10^18"),
        ("softmax", "1e9999", "16", 12, "10^18"),
        ("softmax", "10", "16", 0, "number of digits"),
        ("softmax", "10", "16", 1001, "number of digits"),
        ("all", "1..1e6:1000", "3..1e6:1000", 12, "7,000,000 cells"),
    ],
)
def test_what_is_no_grid(variants: str, lengths: str, dims: str, digits: int, says: str) -> None:
    with pytest.raises(InputError) as raised:
        Grid.parse(variants, lengths, dims, digits)
    assert says in str(raised.value)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize(
    "lists", [((), (10,), (16,)), (("softmax",), (10, 10), (16,)), (("softmax",), (10,), ())]
)
def test_lists_of_a_grid_have_no_repetition(
    lists: tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]],
) -> None:
    with pytest.raises(InputError, match="a list without repetition"):
        Grid(*lists)
