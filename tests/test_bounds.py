"""B_min and L_max: reference values, monotonicity, and that each inverts the other."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from countbounds import b_min, check, l_max
from countbounds.bounds import cap_certificate, search
from countbounds.certificate import as_text
from countbounds.decimals import significant
from countbounds.errors import InputError
from countbounds.kernel import verify
from countbounds.tables import table3, table_bmin
from tests.tiers import by_tier

REFERENCE = json.loads((Path(__file__).parent / "data" / "b_min.json").read_text(encoding="utf-8"))
EXACT = (
    "linear",
    "linear-pre-ln",
    "softmax",
    "softmax-post-ln",
    "softmax-post-ln-learned",
    "softmax-pre-ln",
)
VARIANTS = st.sampled_from(EXACT)
DIMS = st.sampled_from([3, 4, 16, 64, 1000])
FEW = settings(max_examples=by_tier(60, sample=15))


def finite(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [entry for entry in entries if entry["b_min"] is not None]


@pytest.mark.parametrize("variant", sorted({entry["variant"] for entry in REFERENCE["values"]}))
def test_reference_values_to_all_their_digits(variant: str) -> None:
    for entry in REFERENCE["values"]:
        if entry["variant"] != variant:
            continue
        result = b_min(variant, entry["length"], entry["dim"], 17)
        if entry["b_min"] is None:
            assert result.upper is None
            continue
        assert result.lower is not None
        assert result.upper is not None
        given_digits = Fraction(entry["b_min"])
        half = given_digits - significant(given_digits * (1 - Fraction(1, 10**15)), 15, up=False)
        assert result.lower - half <= given_digits <= result.upper + half, entry
        assert result.exact


def test_linear_attention_in_closed_form() -> None:
    assert b_min("linear-pre-ln", 10, 16).lower == Fraction(13, 160)
    assert b_min("linear-pre-ln", 1, 16).lower == Fraction(1, 64)


@pytest.mark.parametrize(
    ("bound", "length"), [(10, 19), (30, 59), (100, 199), (300, 599), (1000, 1999)]
)
def test_softmax_counts_to_twice_the_bound_less_one(bound: int, length: int) -> None:
    assert l_max("softmax", bound, 16).length == length


@pytest.mark.parametrize(("bound", "length"), [(300, 15723), (1000, 78296)])
def test_learned_post_ln_lengths(bound: int, length: int) -> None:
    assert l_max("softmax-post-ln-learned", bound, 16).length == length


def test_small_regimes() -> None:
    assert l_max("softmax", 3, 100).length == 4
    assert l_max("softmax", "1.3", 16).length == 1
    assert l_max("linear", 2, 16).unbounded
    assert l_max("linear-pre-ln", "1/1000", 16).length == 0


def test_training_reached_what_is_possible_in_thirteen_of_fifteen_cells() -> None:
    rows = list(table3())
    short = [row for row in rows if row.attained != row.longest_on_grid]
    assert len(rows) == 15
    assert [(row.variant, int(row.bound)) for row in short] == [
        ("softmax-post-ln-learned", 300),
        ("softmax-post-ln-learned", 1000),
    ]
    for row in short:
        assert row.attained is not None
        assert row.attained < row.longest_on_grid


@FEW
@given(VARIANTS, st.integers(1, 60), DIMS)
def test_b_min_does_not_decrease_in_the_length(variant: str, length: int, dim: int) -> None:
    here, after = b_min(variant, length, dim, 9), b_min(variant, length + 1, dim, 9)
    if after.upper is not None:
        assert here.lower is not None
        assert here.lower <= after.upper


@FEW
@given(VARIANTS, st.integers(1, 300), DIMS, st.sampled_from([1, -1]))
def test_l_max_inverts_b_min(variant: str, length: int, dim: int, side: int) -> None:
    result = b_min(variant, length, dim, 12)
    if result.lower is None or result.upper is None:
        return
    bound = result.upper if side > 0 else result.lower
    found = l_max(variant, bound, dim)
    if found.unbounded:
        return
    assert found.length is not None
    if side > 0:
        assert found.length >= length
    else:
        assert found.length < length


@FEW
@given(VARIANTS, DIMS, st.fractions(Fraction(1, 50), 40, max_denominator=100))
def test_l_max_is_certified_from_both_sides(variant: str, dim: int, bound: Fraction) -> None:
    found = l_max(variant, bound, dim)
    if found.certificate is not None:
        assert verify(as_text(found.certificate))
    if found.length is not None and found.length > 0:
        here = search(variant, found.length, dim, 20)
        assert here.lower < bound


@FEW
@given(VARIANTS, st.integers(1, 10**18), DIMS)
def test_the_optimum_counts_on_the_whole_domain(variant: str, length: int, dim: int) -> None:
    if variant == "softmax-pre-ln":
        length = length % 12 + 1
    result = check(variant, length, dim, construction="optimal")
    assert result.verdict == "counts"
    assert result.bound is not None
    found = b_min(variant, length, dim, 20)
    assert found.lower is not None
    assert found.lower < result.bound <= found.lower * (1 + Fraction(2, 10**11))


@FEW
@given(VARIANTS, st.integers(4, 10**6), DIMS)
def test_below_b_min_nothing_is_possible(variant: str, length: int, dim: int) -> None:
    if variant == "softmax-pre-ln":
        length = 4 + length % 9
    found = b_min(variant, length, dim, 9)
    assert found.lower is not None
    result = check(variant, length, dim, found.lower * Fraction(99, 100))
    assert result.verdict == "impossible"
    assert result.certificate is not None
    assert verify(as_text(result.certificate))


def test_the_cap_is_certified() -> None:
    for dim in (3, 16, 100):
        content = cap_certificate(dim)
        assert content is not None
        assert "is the longest length that any parameters count to" in verify(as_text(content))
    assert cap_certificate(10**6) is None


def test_the_table_covers_its_grid() -> None:
    rows = [row.as_dict() for row in table_bmin(["linear", "softmax"], [5, 50], [3, 16], 6)]
    assert [(row["variant"], row["length"], row["dim"]) for row in rows] == [
        (variant, length, dim)
        for variant in ("linear", "softmax")
        for length in (5, 50)
        for dim in (3, 16)
    ]


@pytest.mark.parametrize("digits", [0, -1, 1001, True, 2.5, "12"])
def test_the_number_of_digits_is_checked(digits: Any) -> None:
    with pytest.raises(InputError, match="number of digits"):
        b_min("linear", 10, 16, digits)


def test_a_length_beyond_the_largest() -> None:
    with pytest.raises(InputError, match="beyond 10\\^18"):
        l_max("softmax", "1e20", 16)


@pytest.mark.parametrize(
    ("variant", "bound", "dim"),
    [("softmax-pre-ln", "1/8", 16), ("softmax-pre-ln-learned", "1/4", 50)],
)
def test_a_rational_b_min_is_not_enough(variant: str, bound: str, dim: int) -> None:
    """B_min(1) is this bound, and is not attained."""
    found = l_max(variant, bound, dim)
    assert found.length == 0
    assert found.certificate is not None
    more = Fraction(bound) * (1 + Fraction(1, 10**40))
    assert l_max(variant, more, dim).length == 1


def test_a_bound_of_too_many_digits() -> None:
    for bound in ("1e-4000", "1e4001", "3." + "7" * 4100):
        with pytest.raises(InputError, match="4000 digits"):
            l_max("softmax", bound, 3)
    assert l_max("linear", "1e3999", 3).unbounded
    assert l_max("softmax", "1e-3999", 3).length == 0


def test_open_is_open_however_narrow() -> None:
    found = b_min("softmax-pre-ln-learned", 10**6, 12)
    assert (found.exact, found.regime) == (False, "open")
    assert b_min("softmax-pre-ln-learned", 1000, 20).exact


def test_certificates_of_results_that_had_none() -> None:
    beyond = b_min("softmax-pre-ln", 13, 3).certificate
    assert beyond is not None
    assert verify(as_text(beyond)).endswith("12 is the longest length that any parameters count to")
    at_the_cap = l_max("softmax-pre-ln", 10**9, 3)
    assert (at_the_cap.length, at_the_cap.certificate) == (12, beyond)
    optimal = check("softmax", 10, 16, construction="optimal").certificate
    assert optimal is not None
    assert "count to 10" in verify(as_text(optimal))
