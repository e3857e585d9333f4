"""The optimum of post-LN: both sides through the kernel, and against independent numbers."""

from __future__ import annotations

import copy
import decimal
import json
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds.certificate import as_text
from countbounds.decimals import significant
from countbounds.kernel import RejectedError, verify
from countbounds.layer import Layer
from countbounds.optimum import post_ln
from countbounds.optimum.result import Optimum, SearchFailedError
from tests.optimum.certificates import bracket, refused
from tests.tiers import by_tier
from tests.variants import strategies
from tests.variants.oracle import brute_force

SEARCH: Final[dict[str, Callable[[int, int, int], Optimum]]] = {
    "softmax-post-ln": post_ln.bare,
    "softmax-post-ln-learned": post_ln.learned,
}
BARE, LEARNED = SEARCH
LONGEST, LARGEST_DIM = 10**18, 10**6
HALF: Final = Fraction(1, 2)
DIMS: Final = (3, 4, 5, 6, 16, 64, 257, 1000, LARGEST_DIM)
REFERENCE: Final[list[dict[str, Any]]] = [
    entry
    for entry in json.loads(
        (Path(__file__).parent.parent / "data" / "b_min.json").read_text("utf-8")
    )["values"]
    if entry["variant"] in SEARCH
]
EDGES: Final = ((6, 3), (6, 4), (7, 5), (7, 6), (8, 18), (8, 19), (9, 256), (9, 257), (9, 258))
"""(L, d) on both sides of where the floor begins for the learned norm."""


def proven(name: str, length: int, dim: int, digits: int) -> Optimum:
    """The optimum: as narrow and as short as promised, and accepted by the kernel."""
    found = SEARCH[name](length, dim, digits)
    what = f"{name}, L = {length}, d = {dim}, {digits} digits"
    assert 0 < found.lower < found.upper, what
    assert (found.upper - found.lower) * 10**digits <= found.lower, what
    assert significant(found.upper, digits + 3, up=True) == found.upper, what
    try:
        verify(as_text(bracket(name, length, dim, found)))
    except RejectedError as error:
        raise AssertionError(what) from error
    return found


# --- values -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", SEARCH)
def test_the_brackets_hold_the_reference_values(name: str) -> None:
    entries = [entry for entry in REFERENCE if entry["variant"] == name]
    assert len(entries) == 36
    for entry in entries:
        found = proven(name, entry["length"], entry["dim"], 18)
        value = Fraction(entry["b_min"])
        unit = Fraction(10) ** (int(entry["b_min"].split("e")[1]) - 14)
        assert value - unit / 2 <= found.upper, entry
        assert found.lower <= value + unit / 2, entry
        regime = {"offset": ("offset", "floor"), "free": ("free",), None: ("free", "floor")}
        assert found.regime in regime[entry.get("regime")], entry


def test_the_floor_of_the_bare_norm() -> None:
    """B_min = (L - 1/2)/sqrt d up to L = 9; exactly that where it is rational."""
    for dim in (3, 4, 16, 1000, LARGEST_DIM):
        root = math.isqrt(dim)
        for length in range(1, 10):
            found = proven(BARE, length, dim, 12)
            value = Fraction(2 * length - 1, 2)
            assert found.regime == "floor"
            assert found.witness == {"theorem": "floor"}
            assert found.lower**2 * dim <= value**2 < found.upper**2 * dim
            if root * root == dim:
                assert found.lower == value / root
        assert proven(BARE, 10, dim, 12).regime == "free"


def test_the_floor_of_the_learned_norm() -> None:
    """B_min^2 (1 + sqrt(d - 1)) = L - 1/2; a rational B_min is given exactly."""
    assert proven(LEARNED, 5, 50, 12).lower == Fraction(3, 4)
    for length in range(1, 10):
        found = proven(LEARNED, length, 1000, 12)
        value = (length - 0.5) / (1 + math.sqrt(999))
        assert found.regime == "floor"
        assert float(found.lower) ** 2 == pytest.approx(value, rel=1e-11)
    assert proven(LEARNED, 10, 1000, 12).regime == "offset"


@pytest.mark.parametrize(("length", "dim"), EDGES)
def test_the_edge_of_the_floor(length: int, dim: int) -> None:
    """At L = 9, d = 257 the set 0, 3, 7, 9 has CR_t = CR_n just at the floor, where B^2 = 1/2."""
    expected = "floor" if dim in (4, 6, 19, 257, 258) else "offset"
    for digits in (1, 3, 8, 12, 50, 200):
        found = proven(LEARNED, length, dim, digits)
        assert found.regime == expected
        if dim == 257:
            assert found.lower**2 < HALF < found.upper**2


def test_the_closed_form_at_half_the_length() -> None:
    assert post_ln._centred(12) == (Fraction(77, 10) ** 2, (0, 3, 9, 12))


def test_the_closed_form_is_the_largest_of_its_kind() -> None:
    """p rises to its maximum and falls from there, which is what the bisection relies on."""
    for length in range(3, 150):
        outer = Fraction(length - 1) ** 2
        values = []
        for v in range(2 - length % 2, length - 1, 2):
            u = Fraction(v, 2)
            above = (u + HALF) ** 2 * u**2 - outer * u**2 / 4
            values.append(above / (outer * u**2 / length**2 - (u + HALF) ** 2))
        peak = values.index(max(values))
        assert all(x < y for x, y in pairwise(values[: peak + 1]))
        assert all(x > y for x, y in pairwise(values[peak:]))
        square = outer * (values[peak] + Fraction(length**2, 4)) / length**2
        assert post_ln._centred(length)[0] == square


def test_lengths_for_a_bound() -> None:
    for bound, length in ((300, 15723), (1000, 78296)):
        assert proven(LEARNED, length, 16, 12).upper < bound
        assert proven(LEARNED, length + 1, 16, 12).lower > bound


@pytest.mark.parametrize("power", [6, 9, 12, 18])
def test_the_asymptotics(power: int) -> None:
    """L^(3/2)/sqrt(32) times 1 + 27/(4L) for the bare norm, 1 + 3/(4L) for the learned one."""
    length, dim = 10**power, 5
    for name, second in ((BARE, Fraction(27, 4)), (LEARNED, Fraction(3, 4))):
        found = proven(name, length, dim, 2 * power)
        square = found.lower**2 * dim if name == BARE else found.lower**4 * (dim - 1)
        excess = (square * 32 / Fraction(length) ** 3 - 1) / 2
        assert abs(excess * length / second - 1) < Fraction(100, length)


def exceeds(points: tuple[int, ...], kappa: float, tau: float) -> bool:
    """Whether CR_t > CR_n at the four points, in floats."""
    n0, n1, n2, n3 = points
    sines = [(n + e - tau) / kappa for n, e in zip(points, (0.5, -0.5) * 2, strict=True)]
    t0, t1, t2, t3 = (x / math.sqrt(1 - x * x) for x in sines)
    if not t0 < t1 < t2 < t3:
        return False
    tangents = (t1 - t0) * (t3 - t2) / ((t3 - t1) * (t2 - t0))
    return tangents > (n1 - n0) * (n3 - n2) / ((n3 - n1) * (n2 - n0))


def largest_root(length: int, dim: int, *, learned: bool) -> float:
    """B_min from its definition: the largest root over all four points, by bisection."""
    slope = math.sqrt(dim - 1 if learned else dim)

    def arc(size: float) -> tuple[float, float]:
        return slope * size, min(size, length / 2) if learned else 0.0

    best = (length - 0.5) / (slope + learned)
    for points in combinations(range(length + 1), 4):
        if not exceeds(points, *arc(best * (1 + 1e-12))):
            continue
        low, high = best, 4 * best
        while high - low > 1e-13 * low:
            middle = (low + high) / 2
            low, high = (middle, high) if exceeds(points, *arc(middle)) else (low, middle)
        best = low
    return math.sqrt(best) if learned else best


@pytest.mark.parametrize("name", SEARCH)
def test_all_sets_of_points_agree(name: str) -> None:
    for length in (1, 2, 3, 5, 8, 10, 13):
        for dim in (3, 5, 16, 300):
            found = SEARCH[name](length, dim, 12)
            value = largest_root(length, dim, learned=name == LEARNED)
            assert float(found.lower) == pytest.approx(value, rel=1e-9), (length, dim)


# --- both sides through the kernel ------------------------------------------------------


def grid(
    lengths: tuple[int, ...] | range, dims: tuple[int, ...], digits: tuple[int, ...]
) -> Iterator[tuple[int, int, int]]:
    yield from ((length, dim, d) for dim in dims for length in lengths for d in digits)


@pytest.mark.parametrize("name", SEARCH)
def test_the_kernel_accepts_short_lengths(name: str) -> None:
    for length, dim, digits in grid(range(1, 61), (3, LARGEST_DIM), (3, 12)):
        proven(name, length, dim, digits)


@pytest.mark.parametrize("name", SEARCH)
def test_the_kernel_accepts_few_and_many_digits(name: str) -> None:
    for length, dim, digits in grid((1, 2, 7, 9, 10, 11, 31, 60), (3, 258), (1, 2, 50, 200)):
        proven(name, length, dim, digits)


@pytest.mark.parametrize("name", SEARCH)
def test_the_kernel_accepts_long_lengths(name: str) -> None:
    lengths = (99, 128, 1001, 123456, 10**9 + 7, LONGEST - 1, LONGEST)
    for length, dim, digits in grid(lengths, (3, 100, LARGEST_DIM), (3, 12, 50)):
        proven(name, length, dim, digits)


@pytest.mark.parametrize("name", SEARCH)
def test_the_kernel_accepts_a_thousand_digits(name: str) -> None:
    for length in (12, LONGEST):
        proven(name, length, 16, 1000)


@pytest.mark.parametrize("dim", [3, 4, 10, 100, 12345, LARGEST_DIM])
def test_where_the_offset_ceases_to_bind(dim: int) -> None:
    """The regime changes once, near L = 8(d - 1), and the brackets join there."""
    lengths = range(max(10, 8 * (dim - 1) - 20), 8 * (dim - 1) + 20, 1 if dim < 100 else 5)
    found = [proven(LEARNED, length, dim, 20) for length in lengths]
    changes = [(one.regime, other.regime) for one, other in pairwise(found)]
    assert changes.count(("offset", "free")) == 1
    assert ("free", "offset") not in changes
    assert all(one.upper < other.lower for one, other in pairwise(found))
    assert all(
        (one.regime == "free") == (2 * one.lower**2 >= length)
        for one, length in zip(found, lengths, strict=True)
    )


@given(st.sampled_from(list(SEARCH)), strategies.lengths, strategies.dims, st.integers(1, 120))
def test_the_kernel_accepts_everything(name: str, length: int, dim: int, digits: int) -> None:
    proven(name, length, dim, digits)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCH)
@pytest.mark.parametrize("dim", [3, 16, 1000])
def test_the_kernel_accepts_the_whole_grid(name: str, dim: int) -> None:
    lengths = by_tier(range(1, 200), sample=range(1, 200, 20))
    for length, _, digits in grid(lengths, (dim,), (1, 3, 12, 50)):
        proven(name, length, dim, digits)


@pytest.mark.slow
@pytest.mark.parametrize("length", range(3, 12))
def test_the_kernel_accepts_every_dimension_at_short_lengths(length: int) -> None:
    dims = by_tier(range(3, 500), sample=range(3, 500, 50))
    for dim in [*dims, *(3 * 10**k for k in range(3, 6))]:
        proven(LEARNED, length, dim, 10)


# --- what the numbers mean --------------------------------------------------------------


@pytest.mark.parametrize("name", SEARCH)
@pytest.mark.parametrize("dim", [3, 4, 7])
def test_the_parameters_count_on_the_whole_domain(name: str, dim: int) -> None:
    """Every input one by one, letters too, without the kernel."""
    layer = Layer("softmax", "post", learned=name == LEARNED)
    for length in (1, 2, 3, 6, 9, 10, 14):
        found = SEARCH[name](length, dim, 8)
        assert brute_force(layer, found.parameters, length).counts, length


@pytest.mark.parametrize("name", SEARCH)
def test_the_parameters_are_as_stated(name: str) -> None:
    for length, dim in ((1, 3), (7, 5), (12, 16), (40, 3), (10**6, 100), (LONGEST, LARGEST_DIM)):
        found = SEARCH[name](length, dim, 15)
        vectors = found.parameters.vectors()
        assert all(v.dot(v).value <= found.upper**2 for v in vectors.values())
        x, s = vectors["boundary"], vectors["space"]
        assert x.dot(x).value == x.dot(s).value
        assert vectors["letter"].dot(vectors["letter"]).value == 0
        readout = vectors["readout"]
        assert readout.dot(readout).value > found.lower**2


@pytest.mark.parametrize("name", SEARCH)
@pytest.mark.parametrize("dim", [3, 16, 100])
def test_b_min_increases_strictly(name: str, dim: int) -> None:
    lengths = [*range(1, 80), 100, 101, 10**9, 10**9 + 1, LONGEST - 1, LONGEST]
    found = [SEARCH[name](length, dim, 40) for length in lengths]
    assert all(one.upper < other.lower for one, other in pairwise(found))


@pytest.mark.parametrize("name", SEARCH)
def test_b_min_decreases_with_the_dimension(name: str) -> None:
    for length in (1, 5, 9, 12, 50, 10**6):
        found = [SEARCH[name](length, dim, 20) for dim in DIMS]
        assert all(one.lower > other.upper for one, other in pairwise(found))


@pytest.mark.parametrize("name", SEARCH)
def test_more_digits_narrow_the_same_bracket(name: str) -> None:
    for length, dim in ((4, 7), (9, 257), (10, 3), (33, 16), (10**12, 64)):
        found = [SEARCH[name](length, dim, digits) for digits in (3, 9, 30, 100)]
        for one, other in pairwise(found):
            assert one.lower <= other.lower < other.upper <= one.upper


# --- what must not pass -----------------------------------------------------------------

SPOILT: Final = ((7, 16), (12, 3), (40, 3), (50, 64), (10**6, 5))


@pytest.mark.parametrize("name", SEARCH)
@pytest.mark.parametrize(("length", "dim"), SPOILT)
def test_the_sides_do_not_prove_more_than_they_claim(name: str, length: int, dim: int) -> None:
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


@pytest.mark.parametrize("name", SEARCH)
@pytest.mark.parametrize(("length", "dim"), SPOILT[1:])
def test_a_moved_point_refutes_less(name: str, length: int, dim: int) -> None:
    found = SEARCH[name](length, dim, 30)
    for index in range(4):
        for step in (-1, 1):
            content = bracket(name, length, dim, found)
            content["proof"]["lower"] = copy.deepcopy(found.witness)
            content["proof"]["lower"]["points"][index] += step
            assert refused(content), (index, step)
    content = bracket(name, length, dim, found)
    content["proof"]["lower"] = {"theorem": "floor"}
    assert refused(content)


@pytest.mark.parametrize("name", SEARCH)
@pytest.mark.parametrize(("length", "dim"), SPOILT)
def test_a_spoilt_vector_is_refused(name: str, length: int, dim: int) -> None:
    found = SEARCH[name](length, dim, 12)
    content = bracket(name, length, dim, found)
    for vector, runs in content["proof"]["upper"].items():
        for index, (entry, _) in enumerate(runs):
            spoilt = copy.deepcopy(content)
            value = Fraction(entry) * (1 + Fraction(1, 10**6)) or Fraction(found.upper)
            spoilt["proof"]["upper"][vector][index][0] = str(value)
            assert refused(spoilt), (vector, index)


def test_a_search_that_does_not_settle_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(post_ln, "_ROUNDS", 0)
    with pytest.raises(SearchFailedError):
        post_ln.bare(20, 3, 12)
    with pytest.raises(SearchFailedError):
        post_ln.learned(20, 3, 12)


def test_the_decimal_context_is_left_alone() -> None:
    before = decimal.getcontext().copy()
    for name in SEARCH:
        SEARCH[name](50, 3, 40)
    after = decimal.getcontext()
    assert (after.prec, after.rounding, after.traps) == (before.prec, before.rounding, before.traps)


def test_the_caller_s_decimal_context_does_not_matter() -> None:
    def texts() -> list[str]:
        return [as_text(bracket(name, 50, 3, SEARCH[name](50, 3, 40))) for name in SEARCH]

    with decimal.localcontext(decimal.Context(prec=3, rounding=decimal.ROUND_UP)):
        coarse = texts()
    assert coarse == texts()
