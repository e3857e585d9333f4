"""The optimum of softmax with bare pre-LN: both sides through the kernel, and other numbers."""

from __future__ import annotations

import copy
import math
from fractions import Fraction
from itertools import pairwise, product
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds import length_cap
from countbounds.errors import InputError
from countbounds.layer import Layer
from countbounds.optimum import softmax_pre_ln
from tests.optimum.certificates import bracket, refused
from tests.optimum.test_softmax import (
    DIMS,
    LARGEST_DIM,
    LONGEST,
    holds,
    proven,
    references,
    the_sides_prove_no_more,
)
from tests.tiers import by_tier
from tests.variants import strategies
from tests.variants.oracle import brute_force

NAME: Final = "softmax-pre-ln"
SPOILT: Final = ((1, 3), (2, 16), (3, 5), (3, 400), (4, 3), (5, 3), (7, 3), (9, 10**4), (12, 3))
"""(L, d) of every regime: the limit, edges, the corner, and vertices with l < 0 and l > 0."""
LONGEST_CAP: Final = 1660
"""The largest d with L_cap(d) <= 10^18."""


def possible(length: int, dim: int) -> bool:
    return dim > LONGEST_CAP or length <= length_cap(dim)


# --- values -----------------------------------------------------------------------------


def test_the_brackets_hold_the_reference_values() -> None:
    entries = references(NAME)
    assert len(entries) == 27
    for entry in entries:
        found = proven(NAME, entry["length"], entry["dim"], 18)
        assert holds(found, entry["b_min"]), entry


def test_the_regimes() -> None:
    expected = {
        "limit": [(1, 3), (1, LARGEST_DIM)],
        "edge": [(2, 3), (2, LARGEST_DIM), (3, 3), (3, 7), (4, 3), (4, 16), (5, 6), (6, 400)],
        "corner": [(3, 8), (3, 16), (3, LARGEST_DIM)],
        "vertex": [(5, 3), (6, 3), (6, 16), (7, 3), (7, LARGEST_DIM), (12, 3), (LONGEST, 2000)],
    }
    for regime, places in expected.items():
        for length, dim in places:
            assert proven(NAME, length, dim, 12).regime == regime, (length, dim)


def test_one_space_costs_half_an_inverse_root() -> None:
    for dim in DIMS:
        found = proven(NAME, 1, dim, 15)
        assert found.lower**2 * 4 * dim <= 1 < found.upper**2 * 4 * dim
        is_square = math.isqrt(dim) ** 2 == dim
        assert (found.lower**2 * 4 * dim == 1) == is_square  # B_min itself, where it is rational


def test_the_corner_at_three() -> None:
    """a = 3, alpha = 1/2, A = 9/2 from d = 8 on."""
    for dim in (8, 16, 400, LARGEST_DIM):
        found = proven(NAME, 3, dim, 12)
        cosine = 1 - math.log(3) / math.sqrt(dim)
        square = (20.5 - 4.5 * cosine) / (dim * (1 - cosine**2))
        assert float(found.lower) == pytest.approx(math.sqrt(square), rel=1e-9)


def test_the_vertex() -> None:
    for length, dim in ((6, 3), (7, 3), (12, 3), (110, 16), (10**6, 400)):
        weight, value = (length - 1) ** 2 // 4, (length + 1) ** 2 // 4 - 0.5
        cosine = 1 - math.log(weight) / math.sqrt(dim)
        square = (0.25 + value**2 + value * cosine) / (dim * (1 - cosine**2))
        found = proven(NAME, length, dim, 9)
        assert float(found.lower) == pytest.approx(math.sqrt(square), rel=1e-8)


def smallest_norm(length: int, dim: int) -> float:
    """B_min by brute force in floats: at every a, the points of S_L(a) with one equality."""
    n = np.arange(length + 1.0)
    least = max((length - 1) ** 2 // 4, 1)
    best = math.inf
    for weight in least * np.exp(np.linspace(1e-9, math.log((least + 3) / least), 400)):
        cosine = 1 - math.log(weight) / math.sqrt(dim)
        low, high = (n - 0.5) * (weight + n) - 1e-9, (n + 0.5) * (weight + n) + 1e-9
        for side, i in product((-0.5, 0.5), range(length + 1)):
            if i:
                alphas = np.linspace(-0.5, 0.5, 101)
                values = ((i + side) * (weight + i) - weight * alphas) / i
            else:
                alphas, values = np.full(101, side), np.linspace(0, 2 * weight + 9, 101)
            y = weight * alphas[:, None] + values[:, None] * n
            kept = ((low <= y) & (y <= high)).all(axis=1)
            squares = alphas**2 + values**2 - 2 * alphas * values * cosine
            best = min(best, float(squares[kept].min(initial=math.inf)) / (1 - cosine**2))
    return math.sqrt(best / dim)


@pytest.mark.parametrize("length", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("dim", [3, 16, 10**4])
def test_the_whole_polytope_has_nothing_better(length: int, dim: int) -> None:
    """All inequalities of S_L, not the few that the bound rests on, have the same optimum."""
    found = proven(NAME, length, dim, 6)
    value = smallest_norm(length, dim)
    assert float(found.lower) * (1 - 1e-7) <= value < float(found.upper) * 1.01


# --- the cap ----------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [3, 4, 5, 16, 64, 400, 1000, LONGEST_CAP])
def test_up_to_the_cap_and_not_beyond(dim: int) -> None:
    cap = length_cap(dim)
    proven(NAME, cap, dim, 12)
    for length in (cap + 1, min(2 * cap, LONGEST)):
        with pytest.raises(InputError, match=rf"L_cap\({dim}\) = {cap}\."):
            softmax_pre_ln.optimum(length, dim, 12)


def test_where_the_cap_exceeds_all_lengths() -> None:
    assert length_cap(LONGEST_CAP) <= LONGEST < length_cap(LONGEST_CAP + 1)
    proven(NAME, LONGEST, LONGEST_CAP + 1, 12)


# --- both sides through the kernel ------------------------------------------------------


def test_the_kernel_accepts_short_lengths() -> None:
    for length in range(1, 61):
        for dim, digits in ((DIMS[length % 10], 3), (DIMS[(length + 4) % 10], 12)):
            if possible(length, dim):
                proven(NAME, length, dim, digits)


def test_the_kernel_accepts_few_and_many_digits() -> None:
    for length, dim in product((1, 2, 3, 4, 7, 12), (3, LARGEST_DIM)):
        for digits in (1, 2, 50):
            proven(NAME, length, dim, digits)
    for length, dim in ((1, 3), (3, 16), (4, 5), (LONGEST, 2000)):
        proven(NAME, length, dim, 200)


def test_the_kernel_accepts_long_lengths() -> None:
    for length in (99, 1001, 10**9 + 7, LONGEST - 1, LONGEST):
        for dim, digits in ((1700, 3), (LARGEST_DIM, 12), (10**4, 50)):
            proven(NAME, length, dim, digits)


@given(strategies.lengths, strategies.dims, st.integers(1, 40))
def test_the_kernel_accepts_everything(length: int, dim: int, digits: int) -> None:
    proven(NAME, length if possible(length, dim) else length_cap(dim), dim, digits)


@pytest.mark.slow
@pytest.mark.parametrize("dim", DIMS)
def test_the_kernel_accepts_the_whole_grid(dim: int) -> None:
    lengths = by_tier(range(1, 61), sample=range(1, 61, 12))
    for length, digits in product([*lengths, 10**3, 10**9, LONGEST], (1, 3, 12, 50)):
        if possible(length, dim):
            proven(NAME, length, dim, digits)
    for length in (1, 2, 3, 4, 5, 12):
        proven(NAME, length, dim, 200)


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 3, 4, 12])
def test_the_kernel_accepts_a_thousand_digits(length: int) -> None:
    proven(NAME, length, 16, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("length", range(1, 9))
def test_the_kernel_accepts_every_dimension_at_short_lengths(length: int) -> None:
    for dim in by_tier(range(3, 1000), sample=range(3, 1000, 50)):
        proven(NAME, length, dim, 1 + dim % 12)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(3, 3 + 8))
def test_the_kernel_accepts_every_cap(start: int) -> None:
    for dim in by_tier(range(start, LONGEST_CAP + 1, 8), sample=range(start, LONGEST_CAP, 400)):
        for length in (length_cap(dim), length_cap(dim) - 1):
            proven(NAME, length, dim, 1 + dim % 12)


# --- what the numbers mean --------------------------------------------------------------


@pytest.mark.parametrize("dim", [3, 4, 64])
def test_the_parameters_count_on_the_whole_domain(dim: int) -> None:
    """Every input one by one, letters too, without the kernel."""
    for length in (1, 2, 3, 4, 5, 8, 12) if dim < 64 else (3, 5):
        found = softmax_pre_ln.optimum(length, dim, 8)
        assert brute_force(Layer("softmax", "pre"), found.parameters, length).counts, length


@pytest.mark.parametrize("dim", [3, 16, 10**4, LARGEST_DIM])
def test_b_min_increases_strictly(dim: int) -> None:
    lengths = [*range(1, 30), 100, 101, 10**9, 10**9 + 1, LONGEST - 1, LONGEST]
    kept = [length for length in lengths if possible(length, dim)]
    found = [softmax_pre_ln.optimum(length, dim, 24) for length in kept]
    assert all(one.upper < other.lower for one, other in pairwise(found))


def test_b_min_decreases_with_the_dimension() -> None:
    for length in (1, 2, 3, 4, 5, 6, 12):
        found = [softmax_pre_ln.optimum(length, dim, 12) for dim in DIMS]
        assert all(one.lower > other.upper for one, other in pairwise(found))


def test_more_digits_narrow_the_same_bracket() -> None:
    for length, dim in ((1, 3), (2, 7), (3, 64), (4, 7), (7, 3), (10**12, 10**4)):
        found = [softmax_pre_ln.optimum(length, dim, digits) for digits in (3, 9, 30, 60)]
        for one, other in pairwise(found):
            assert one.lower <= other.lower < other.upper <= one.upper


# --- what must not pass -----------------------------------------------------------------


@pytest.mark.parametrize(("length", "dim"), SPOILT)
def test_the_sides_do_not_prove_more_than_they_claim(length: int, dim: int) -> None:
    the_sides_prove_no_more(NAME, length, dim)


@pytest.mark.parametrize(("length", "dim"), SPOILT)
def test_a_spoilt_witness_is_refused(length: int, dim: int) -> None:
    found = softmax_pre_ln.optimum(length, dim, 12)
    ratio = Fraction(found.witness["ratio"])
    for other in (ratio + Fraction(1, 1000), ratio - Fraction(1, 1000), -ratio - 2):
        content = bracket(NAME, length, dim, found)
        content["proof"]["lower"] = found.witness | {"ratio": str(other)}
        assert refused(content), other
    for other_theorem in ({"theorem": "value"}, {"theorem": "vertex", "ratio": "0"}):
        content = bracket(NAME, length, dim, found)
        content["proof"]["lower"] = other_theorem
        assert refused(content)


@pytest.mark.parametrize(("length", "dim"), [(2, 16), (3, 5), (3, 400), (4, 3), (6, 400)])
def test_tangents_elsewhere_are_refused(length: int, dim: int) -> None:
    found = softmax_pre_ln.optimum(length, dim, 12)
    first, last = (Fraction(text) for text in found.witness["between"])
    far = Fraction(1, 100)
    for between in (
        [last, first],
        [first - far, first - far],
        [first + far, last + far],
        [first - far, last + far],
        [Fraction(1, 2), last],
        [first],
    ):
        content = bracket(NAME, length, dim, found)
        content["proof"]["lower"] = found.witness | {"between": [str(a) for a in between]}
        assert refused(content), between


@pytest.mark.parametrize(("length", "dim"), SPOILT)
def test_a_spoilt_vector_is_refused(length: int, dim: int) -> None:
    found = softmax_pre_ln.optimum(length, dim, 12)
    content = bracket(NAME, length, dim, found)
    vectors = content["proof"]["upper"]
    for vector, index in product(("boundary", "space", "readout"), range(2)):
        value = Fraction(vectors[vector][index][0])
        spoilt = copy.deepcopy(content)
        spoilt["proof"]["upper"][vector][index][0] = str(value * Fraction(1001, 1000))
        assert refused(spoilt), (vector, index)
    for letter in (vectors["space"], [["0", dim]]):
        spoilt = copy.deepcopy(content)
        spoilt["proof"]["upper"]["letter"] = letter
        assert refused(spoilt)
