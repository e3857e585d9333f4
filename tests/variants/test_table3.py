"""The construction column of Table 3, and the same for any other bound."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import mpmath
import pytest
from hypothesis import given

from countbounds import Model, check, table3, worst_error
from countbounds.checking import guarantees
from countbounds.compare import compare
from countbounds.variants import variant
from tests.variants import strategies

TABLE: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "data" / "table3.json").read_text("utf-8")
)
PUBLISHED: Final = ("softmax", "softmax-post-ln", "softmax-post-ln-learned")
ENTRIES: Final = [
    (name, bound, length)
    for name in PUBLISHED
    for bound, length in zip(TABLE["bounds"], TABLE[name]["construction"], strict=True)
]


def guaranteed_length(name: str, bound: Fraction, dim: int) -> int:
    found = variant(name).guaranteed_length
    assert found is not None
    return found(bound, dim)


@pytest.mark.parametrize(("name", "bound", "length"), ENTRIES)
def test_the_published_entry_comes_out_and_counts(name: str, bound: int, length: int) -> None:
    dim = TABLE["dim"]
    assert guaranteed_length(name, Fraction(bound), dim) == length
    assert guarantees(variant(name), length, dim, Fraction(bound))
    assert not guarantees(variant(name), length + 1, dim, Fraction(bound))
    result = check(name, length, dim, bound)
    assert result.verdict == "counts"
    assert result.bound == bound
    assert result.domain_size == (length + 1) * (length + 2) // 2


def test_the_table_holds_every_entry() -> None:
    found = {(row.variant, int(row.bound)): row for row in table3()}
    assert len(found) == len(ENTRIES) == 15
    for name, bound, length in ENTRIES:
        row = found[name, bound]
        place = TABLE["bounds"].index(bound)
        assert row.construction == row.construction_published == length
        assert row.attained == TABLE[name]["attained"][place]
        assert row.verdict == "counts"
        assert row.next_guaranteed is False
        assert row.dim == TABLE["dim"]


def test_learned_post_ln_stands_exactly_on_the_boundary_at_20000() -> None:
    formula = variant("softmax-post-ln-learned").guaranteed_bound(20000, 16)
    assert compare(formula, 1000) == 0
    assert 2 * 20000**3 == 16 * 1000**4
    hair = Fraction(1, 10**40)
    assert guaranteed_length("softmax-post-ln-learned", 1000 - hair, 16) == 19999
    assert guaranteed_length("softmax-post-ln-learned", 1000 + hair, 16) == 20000


@pytest.mark.parametrize("root", [1, 2, 5, 10, 10**4, 10**6])
def test_bare_post_ln_stands_exactly_on_the_boundary_at_squares(root: int) -> None:
    # L = q^2 asks for B = q^3/sqrt(d).
    length, bound, hair = root**2, Fraction(root**3, 4), Fraction(1, 10**60)
    assert compare(variant("softmax-post-ln").guaranteed_bound(length, 16), bound) == 0
    assert guaranteed_length("softmax-post-ln", bound, 16) == length
    assert guaranteed_length("softmax-post-ln", bound - hair, 16) == length - 1
    assert check("softmax-post-ln", length, 16).bound == bound


def certify(name: str, bound: Fraction, dim: int) -> int:
    """The guaranteed length, after every check of it."""
    length = guaranteed_length(name, bound, dim)
    chosen = variant(name)
    what = f"{name}, B = {bound}, d = {dim}, L = {length}"
    assert not guarantees(chosen, length + 1, dim, bound), what
    if length > 0:
        assert guarantees(chosen, length, dim, bound), what
        assert worst_error(
            Model(chosen.layer, chosen.build(length, dim, bound)), length
        ).verdict == ("counts"), what
    return length


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_guaranteed_length_is_the_largest(name: str) -> None:
    found = set()
    for dim in (3, 16, 81, 10**4, 10**6):
        for text in ("1/3", "1", "1.2928", "1.293", "1.7071", "2", "7/3", "10", "33.3", "1e9"):
            found.add(certify(name, Fraction(text), dim))
    assert {0, 1} <= found
    assert max(found) > 10**6


@given(strategies.fractions, strategies.dims)
def test_the_guaranteed_length_is_the_largest_anywhere(bound: Fraction, dim: int) -> None:
    for name in PUBLISHED:
        certify(name, bound, dim)


@pytest.mark.slow
@given(strategies.fractions, strategies.dims)
def test_the_guaranteed_length_is_the_largest_anywhere_and_often(bound: Fraction, dim: int) -> None:
    for name in PUBLISHED:
        certify(name, bound, dim)


@given(strategies.fractions, strategies.dims)
def test_the_post_ln_lengths_are_roots_of_integers(bound: Fraction, dim: int) -> None:
    bare = guaranteed_length("softmax-post-ln", bound, dim)
    assert bare**3 <= dim * bound**2 < (bare + 1) ** 3
    learned = guaranteed_length("softmax-post-ln-learned", bound, dim)
    assert 2 * learned**3 <= dim * bound**4 < 2 * (learned + 1) ** 3


@given(strategies.fractions, strategies.dims)
def test_the_softmax_length_follows_from_both_conditions(bound: Fraction, dim: int) -> None:
    length = guaranteed_length("softmax", bound, dim)
    with mpmath.workdps(80):
        exact = mpmath.mpf(bound.numerator) / bound.denominator
        step = 2 - mpmath.sqrt(2)

        def admitted(candidate: int) -> bool:
            norm = step * candidate <= exact - 1 / mpmath.sqrt(2)
            score = 2 * mpmath.sqrt(dim) * mpmath.log(step * candidate) <= exact * exact
            return bool(norm and score)

        assert not admitted(length + 1)
        assert length == 0 or admitted(length)


def test_the_softmax_length_is_limited_by_norms_or_by_scores() -> None:
    assert guaranteed_length("softmax", Fraction(10), 16) == 15
    # d = 10^6: B^2 >= 2000 log((2 - sqrt 2) L) binds up to B of about 160.
    assert guaranteed_length("softmax", Fraction(10), 10**6) == 1
    assert guaranteed_length("softmax", Fraction(45), 10**6) == 4
    assert guaranteed_length("softmax", Fraction(450), 10**6) == 766
