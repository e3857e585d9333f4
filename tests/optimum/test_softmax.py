"""The optimum of softmax without LayerNorm: both sides through the kernel, and other numbers."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds.certificate import as_text
from countbounds.decimals import significant
from countbounds.kernel import verify
from countbounds.layer import Layer
from countbounds.optimum import softmax, softmax_pre_ln
from countbounds.optimum.result import Optimum, SearchFailedError
from tests.optimum.certificates import bracket, refused
from tests.tiers import by_tier
from tests.variants import strategies
from tests.variants.oracle import brute_force

NAME: Final = "softmax"
SEARCH: Final[dict[str, Callable[[int, int, int], Optimum]]] = {
    NAME: softmax.optimum,
    "softmax-pre-ln": softmax_pre_ln.optimum,
}
LONGEST, LARGEST_DIM = 10**18, 10**6
DIMS: Final = (3, 4, 5, 6, 9, 16, 64, 400, 10**4, LARGEST_DIM)
SPOILT: Final = ((1, 3), (2, 16), (3, 5), (4, 3), (5, 400), (12, LARGEST_DIM), (40, 16))


def references(name: str) -> list[dict[str, Any]]:
    """The independent values of a variant that are finite."""
    path = Path(__file__).parent.parent / "data" / "b_min.json"
    entries = json.loads(path.read_text("utf-8"))["values"]
    return [entry for entry in entries if entry["variant"] == name and entry["b_min"]]


def holds(found: Optimum, text: str) -> bool:
    """Whether a number rounded to the digits of the text may lie in the bracket."""
    mantissa, _, exponent = text.partition("e")
    unit = Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    value = Fraction(text)
    return found.lower <= value + unit / 2 and value - unit / 2 <= found.upper


def proven(name: str, length: int, dim: int, digits: int) -> Optimum:
    """The optimum: as narrow and as short as promised, and accepted by the kernel."""
    found = SEARCH[name](length, dim, digits)
    what = f"{name}, L = {length}, d = {dim}, {digits} digits"
    assert 0 < found.lower < found.upper, what
    assert (found.upper - found.lower) * 10**digits <= found.lower, what
    assert significant(found.upper, digits + 3, up=True) == found.upper, what
    # B_min(1) may be a rational number that is no decimal
    assert significant(found.lower, digits + 3, up=True) == found.lower or length == 1, what
    verify(as_text(bracket(name, length, dim, found)))
    return found


# --- values -----------------------------------------------------------------------------


def test_the_brackets_hold_the_reference_values() -> None:
    entries = references(NAME)
    assert len(entries) == 36
    for entry in entries:
        found = proven(NAME, entry["length"], entry["dim"], 18)
        assert holds(found, entry["b_min"]), entry
        assert found.regime == entry["regime"], entry


@pytest.mark.parametrize(
    ("length", "dim", "value"),
    [
        (2, 16, "1.39841998685985605"),
        (3, 3, "1.89497285061472533"),
        (3, 16, "1.88465318412417154"),
        (3, 400, "1.87435867120469672"),
    ],
)
def test_the_smallest_lengths(length: int, dim: int, value: str) -> None:
    found = proven(NAME, length, dim, 20)
    assert holds(found, value)
    assert found.regime == "small-score"


def test_the_norm_limited_values_are_square_roots() -> None:
    for length in (1, 4, 5, 17, 1000, LONGEST):
        found = proven(NAME, length, 3, 30)
        square = Fraction((length + 1) ** 2 // 4) - Fraction(1, 2)
        assert found.lower**2 < square < found.upper**2
        assert found.witness == {"theorem": "value"}


@pytest.mark.parametrize(
    ("bound", "length"), [(10, 19), (30, 59), (100, 199), (300, 599), (1000, 1999)]
)
def test_the_longest_lengths_at_a_bound(bound: int, length: int) -> None:
    assert proven(NAME, length, 16, 12).upper < bound
    assert proven(NAME, length + 1, 16, 12).lower >= bound * (1 - Fraction(1, 10**12))


@pytest.mark.parametrize("length", [4, 5, 6, 9, 30, 1000])
def test_the_score_limits_from_one_dimension_on(length: int) -> None:
    """The regime changes where sqrt(d) log a* passes A* + 1/2, and B_min is continuous there."""
    weight, square = (length - 1) ** 2 // 4, (length + 1) ** 2 // 4
    first = math.floor((square / math.log(weight)) ** 2) + 1
    if first < LARGEST_DIM:
        assert proven(NAME, length, first - 1, 12).regime == "norm"
        assert proven(NAME, length, first, 12).regime == "score"
    for dim in (first - 1, first, first + 1):
        if dim <= LARGEST_DIM:
            found = proven(NAME, length, dim, 3)
            assert float(found.lower) == pytest.approx(math.sqrt(square - 0.5), rel=0.2)


def test_the_small_lengths_tend_to_limits_in_the_dimension() -> None:
    """Where the score costs nothing: a = 1, so B_min^2 is 2 at L = 2 and 7/2 at L = 3."""
    assert float(proven(NAME, 2, LARGEST_DIM, 8).lower) ** 2 == pytest.approx(2, rel=1e-3)
    assert float(proven(NAME, 3, LARGEST_DIM, 8).lower) ** 2 == pytest.approx(3.5, rel=1e-3)


# --- both sides through the kernel ------------------------------------------------------


def test_the_kernel_accepts_short_lengths() -> None:
    for length in range(1, 61):
        for dim, digits in ((DIMS[length % 10], 3), (DIMS[(length + 4) % 10], 12)):
            proven(NAME, length, dim, digits)


def test_the_kernel_accepts_few_and_many_digits() -> None:
    for length, dim in product((1, 2, 3, 4, 7, 60), (3, LARGEST_DIM)):
        for digits in (1, 2, 50):
            proven(NAME, length, dim, digits)
    for length, dim in ((1, 3), (2, 16), (3, 16), (5, LARGEST_DIM), (60, 3), (LONGEST, 64)):
        proven(NAME, length, dim, 200)


def test_the_kernel_accepts_long_lengths() -> None:
    for length in (99, 1001, 10**9 + 7, LONGEST - 1, LONGEST):
        for dim, digits in ((3, 3), (LARGEST_DIM, 12), (100, 50)):
            proven(NAME, length, dim, digits)


@given(strategies.lengths, strategies.dims, st.integers(1, 60))
def test_the_kernel_accepts_everything(length: int, dim: int, digits: int) -> None:
    proven(NAME, length, dim, digits)


@pytest.mark.slow
@pytest.mark.parametrize("dim", DIMS)
def test_the_kernel_accepts_the_whole_grid(dim: int) -> None:
    lengths = by_tier(range(1, 61), sample=range(1, 61, 12))
    for length, digits in product([*lengths, 10**3, 10**9, LONGEST], (1, 3, 12, 50)):
        proven(NAME, length, dim, digits)
    for length in (1, 2, 3, 4, 5, 20, LONGEST):
        proven(NAME, length, dim, 200)


@pytest.mark.slow
@pytest.mark.parametrize("length", [2, 4, LONGEST])
def test_the_kernel_accepts_a_thousand_digits(length: int) -> None:
    proven(NAME, length, 400, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("length", range(1, 9))
def test_the_kernel_accepts_every_dimension_at_short_lengths(length: int) -> None:
    for dim in by_tier(range(3, 1000), sample=range(3, 1000, 50)):
        proven(NAME, length, dim, 1 + dim % 12)


# --- what the numbers mean --------------------------------------------------------------


@pytest.mark.parametrize("dim", [3, 4, 400])
def test_the_parameters_count_on_the_whole_domain(dim: int) -> None:
    """Every input one by one, letters too, without the kernel."""
    for length in (1, 2, 3, 4, 5, 8) if dim < 400 else (3, 5):
        found = SEARCH[NAME](length, dim, 8)
        assert brute_force(Layer("softmax"), found.parameters, length).counts, length


@pytest.mark.parametrize("dim", [3, 16, 400, LARGEST_DIM])
def test_b_min_increases_strictly(dim: int) -> None:
    lengths = [*range(1, 30), 100, 101, 10**9, 10**9 + 1, LONGEST - 1, LONGEST]
    found = [SEARCH[NAME](length, dim, 24) for length in lengths]
    assert all(one.upper < other.lower for one, other in pairwise(found))


def test_b_min_never_falls_with_the_dimension_from_four_spaces_on() -> None:
    for length in (4, 5, 12, 60):
        found = [SEARCH[NAME](length, dim, 12) for dim in DIMS]
        assert all(one.lower <= other.lower for one, other in pairwise(found))


def test_more_digits_narrow_the_same_bracket() -> None:
    for length, dim in ((1, 3), (2, 7), (3, 64), (4, 7), (5, 400), (10**12, 64)):
        found = [SEARCH[NAME](length, dim, digits) for digits in (3, 9, 30, 60)]
        for one, other in pairwise(found):
            assert one.lower <= other.lower < other.upper <= one.upper


# --- what must not pass -----------------------------------------------------------------


@pytest.mark.parametrize(("length", "dim"), SPOILT)
def test_the_sides_do_not_prove_more_than_they_claim(length: int, dim: int) -> None:
    the_sides_prove_no_more(NAME, length, dim)


def the_sides_prove_no_more(name: str, length: int, dim: int) -> None:
    """Refused: a higher lower end, a lower upper end, a longer length."""
    found = SEARCH[name](length, dim, 12)
    content = bracket(name, length, dim, found)
    assert not refused(content)
    shift = 1 + Fraction(1, 10**11)
    raised = copy.deepcopy(content)
    raised["claim"] |= {"lower": str(found.lower * shift), "upper": str(found.upper * 2)}
    assert refused(raised)
    lowered = copy.deepcopy(content)
    lowered["claim"] |= {"lower": str(found.lower / 2), "upper": str(found.upper / shift)}
    assert refused(lowered)
    longer = copy.deepcopy(content)
    longer["claim"]["length"] += 1
    assert refused(longer)


@pytest.mark.parametrize(("length", "dim"), SPOILT)
def test_another_theorem_does_not_do(length: int, dim: int) -> None:
    found = SEARCH[NAME](length, dim, 12)
    for theorem in ("value", "score", "small-score", "vertex"):
        if theorem != found.witness["theorem"]:
            content = bracket(NAME, length, dim, found)
            content["proof"]["lower"] = {"theorem": theorem}
            assert refused(content), theorem
    content = bracket(NAME, length, dim, found)
    content["proof"]["lower"] = found.witness | {"ratio": "0"}
    assert refused(content)


@pytest.mark.parametrize(("length", "dim"), SPOILT)
def test_a_spoilt_vector_is_refused(length: int, dim: int) -> None:
    found = SEARCH[NAME](length, dim, 12)
    content = bracket(NAME, length, dim, found)
    vectors = content["proof"]["upper"]
    for vector, index in product(("boundary", "space", "readout"), range(2)):
        value = Fraction(vectors[vector][index][0])
        # Up to L = 3 the first entry of x_# is of the order of the root of the room.
        factor = 1 + Fraction(1, 10**6) if length > 3 else 10**9
        spoilt = copy.deepcopy(content)
        spoilt["proof"]["upper"][vector][index][0] = str(value * factor or found.upper)
        assert refused(spoilt), (vector, index)
    spoilt = copy.deepcopy(content)
    spoilt["proof"]["upper"]["letter"] = vectors["space"]
    assert refused(spoilt)


def test_what_the_kernel_refuses_is_not_returned() -> None:
    found = SEARCH[NAME](4, 3, 6)
    with pytest.raises(SearchFailedError, match="L = 5, d = 3"):
        softmax.checked(NAME, 5, 3, found)
