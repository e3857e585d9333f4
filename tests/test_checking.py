"""The Python interface: `check` and `length_cap`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given

import countbounds
from countbounds import Vector, check, length_cap
from countbounds.checking import exact_bracket, largest_norm, read_bound, smallest_decimal
from countbounds.compare import compare
from countbounds.decimals import Bracket
from countbounds.errors import CountboundsError, InputError, Undecided
from countbounds.expressions import exp, rational, sqrt
from countbounds.layer import Parameters
from countbounds.variants import NAMES, variant
from tests.variants import strategies

HALF: Final = Fraction(1, 2)


@pytest.fixture(autouse=True)
def _digits_are_limited() -> Iterator[None]:
    """Whatever a test before this one did, the interpreter's own limit holds."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(4300)
    yield
    sys.set_int_max_str_digits(before)


# --- results --------------------------------------------------------------------------


def test_every_field_of_a_result() -> None:
    result = check("softmax-post-ln", 10, 16, "8")
    assert result.variant == "softmax-post-ln"
    assert (result.length, result.dim) == (10, 16)
    assert result.bound == 8
    assert result.construction == "published"
    assert result.verdict == "counts"
    assert result.domain_size == 66
    assert result.longest is None
    assert result.worst_input == (10, 0)
    # sqrt(1000/16) = 7.905694150420948..., and c = 32: 10 - 320/sqrt(1124)
    for bracket, text in (
        (result.guaranteed_bound, "7.9056941504209483"),
        (result.worst_error, "0.4552002196497024"),
    ):
        assert bracket is not None
        assert bracket.lower is not None
        assert bracket.upper is not None
        step = Fraction(1, 10 ** len(text.partition(".")[2]))
        assert Fraction(text) <= bracket.lower <= bracket.upper <= Fraction(text) + step
        assert bracket.upper - bracket.lower < Fraction(1, 10**15)
    assert result.max_norm == Bracket.exactly(8)


def test_a_result_cannot_be_changed() -> None:
    result = check("linear", 3, 4)
    with pytest.raises(FrozenInstanceError):
        result.verdict = "fails"  # type: ignore[misc]


@pytest.mark.parametrize("name", NAMES)
def test_the_dictionary_holds_the_result_as_text(name: str) -> None:
    result = check(name, 5, 7)
    content = json.loads(json.dumps(result.as_dict()))
    assert set(content) >= {
        "variant", "length", "dim", "bound", "guaranteed_bound", "construction", "verdict",
        "worst_error", "worst_input", "max_norm", "domain_size",
    }  # fmt: skip
    assert content["bound"] == _text(result.bound)
    assert content["worst_input"] == {"n": result.worst_input[0], "m": result.worst_input[1]}  # type: ignore[index]
    for key in ("guaranteed_bound", "worst_error", "max_norm"):
        bracket = getattr(result, key)
        low, high = Fraction(content[key]["lower"]), Fraction(content[key]["upper"])
        assert low <= bracket.lower <= bracket.upper <= high
    assert Fraction(content["worst_error"]["upper"]) < HALF


def _text(bound: Fraction | None) -> str:
    assert bound is not None
    text = format(Decimal(bound.numerator) / Decimal(bound.denominator), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


@pytest.mark.parametrize("bound", [Fraction(5, 2), "2.5", "5/2", " 2.5 ", 2.5, "25e-1"])
def test_a_bound_is_read_exactly(bound: Any) -> None:
    assert check("linear", 3, 4, bound).bound == Fraction(5, 2)


def test_a_bound_is_not_rounded() -> None:
    assert check("linear", 3, 4, "0.1").bound == Fraction(1, 10)
    assert check("linear", 3, 4, 0.1).bound == Fraction(0.1) != Fraction(1, 10)
    assert check("linear", 3, 4, "1/3").bound == Fraction(1, 3)
    assert check("linear", 3, 4, Decimal("0.1")).bound == Fraction(1, 10)  # type: ignore[arg-type]
    assert check("softmax", 3, 4, 10**5000).bound == 10**5000


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint16, np.float32, np.float64])
def test_numpy_numbers_are_bounds(kind: Any) -> None:
    result = check("softmax-post-ln-learned", 100, 16, kind(100))
    assert result.bound == 100
    assert result.verdict == "counts"
    assert type(result.bound.numerator) is int


def test_a_large_numpy_integer_does_not_overflow() -> None:
    result = check("softmax-post-ln-learned", 10**6, 16, np.int64(10**6))  # type: ignore[arg-type]
    assert result == check("softmax-post-ln-learned", 10**6, 16, 10**6)
    assert result.verdict == "counts"


def test_the_given_bound_is_judged_by_the_domain_alone() -> None:
    formula = variant("softmax").guaranteed_bound(10, 16)
    result = check("softmax", 10, 16, "6.56")
    assert compare(formula, Fraction("6.56")) > 0
    assert result.verdict == "counts"
    assert check("softmax", 10, 16, 6).verdict == "fails"


def test_an_error_of_exactly_one_half_fails() -> None:
    # y = (d B/2) n below B = 2/d: y(1, 0) = 1/2 at B = 1/d.
    result = check("linear-pre-ln", 1, 4, Fraction(1, 4))
    assert result.verdict == "fails"
    assert result.worst_error == Bracket.exactly(HALF)
    assert result.worst_input == (1, 0)
    assert check("linear-pre-ln", 1, 4, Fraction(1, 4) + Fraction(1, 10**30)).verdict == "counts"
    assert check("linear-pre-ln", 1, 4, Fraction(1, 4) - Fraction(1, 10**30)).verdict == "fails"


def test_low_precision_leaves_a_question_open() -> None:
    open_question = check("softmax-post-ln", 10**18, 16, precision=64)
    assert open_question.verdict == "undecided"
    assert open_question.worst_error is not None
    low, high = open_question.worst_error.lower, open_question.worst_error.upper
    assert low is not None
    assert low <= HALF
    assert high is None or high >= HALF
    assert check("softmax-post-ln", 10**18, 16).verdict == "counts"


# --- the bound that is used -----------------------------------------------------------


@given(strategies.names, strategies.lengths, strategies.dims)
def test_the_default_bound_is_the_least_decimal_of_twelve_digits(
    name: str, length: int, dim: int
) -> None:
    length = strategies.within_reach(name, length, dim)
    formula = variant(name).guaranteed_bound(length, dim)
    bound = check(name, length, dim).bound
    assert bound is not None
    power = 0
    while bound * Fraction(10) ** power >= 10**12:
        power -= 1
    while bound * Fraction(10) ** (power + 1) < 10**12:
        power += 1
    step = Fraction(10) ** -power
    assert (bound / step).denominator == 1
    assert compare(formula, bound) <= 0
    assert compare(formula, bound - step) > 0


@pytest.mark.parametrize(
    ("formula", "bound"),
    [
        (sqrt(2) * sqrt(8), "4"),
        (rational(Fraction(1, 3)), "0.333333333334"),
        (rational(Fraction(1, 8)), "0.125"),
        (sqrt(2), "1.41421356238"),
        (exp(100), "26881171418200000000000000000000000000000000"),
        (exp(-100), "3.72007597603e-44"),
        (rational(10**15 + 1), "1000000000010000"),
        (rational(10**12 - 1), "999999999999"),
        (rational(Fraction(10**13 - 1, 10)), "1000000000000"),
    ],
)
def test_decimals_are_rounded_up_to_twelve_digits(formula: Any, bound: str) -> None:
    assert smallest_decimal(formula) == Fraction(bound)


def test_an_exact_bracket_is_one_number_where_it_can_be() -> None:
    assert exact_bracket(sqrt(2) * sqrt(8)) == Bracket.exactly(4)
    bracket = exact_bracket(sqrt(2))
    assert bracket.lower is not None
    assert bracket.upper is not None
    assert bracket.lower**2 < 2 < bracket.upper**2


# --- norms ----------------------------------------------------------------------------


def of_norms(*norms: Any) -> Parameters:
    boundary, space, letter, readout = (Vector.leading(3, norm) for norm in norms)
    return Parameters(boundary, space, letter, readout)


def test_the_largest_norm_is_exact_where_it_is_the_bound() -> None:
    assert largest_norm(of_norms(1, 2, 3, 0), Fraction(3)) == Bracket.exactly(3)
    assert largest_norm(of_norms(sqrt(2) * sqrt(8), 2, 3, 0), Fraction(4)) == Bracket.exactly(4)


def test_the_largest_norm_is_enclosed_elsewhere() -> None:
    bracket = largest_norm(of_norms(1, exp(1), sqrt(3), 0), Fraction(3))
    assert bracket.lower is not None
    assert bracket.upper is not None
    assert Fraction("2.718281828459045") < bracket.lower <= bracket.upper
    assert bracket.upper < Fraction("2.718281828459046")


def test_a_norm_beyond_the_bound_is_a_fault() -> None:
    with pytest.raises(CountboundsError, match="space"):
        largest_norm(of_norms(1, exp(1), sqrt(3), 0), Fraction("2.718281828459"))


# --- wrong calls ----------------------------------------------------------------------

NO_LENGTHS: Final = (0, -1, 10**18 + 1, 10**5000, True, 10.0, "10", None, Fraction(10), 2.5)
NO_DIMS: Final = (2, 0, -16, 10**6 + 1, 10**5000, True, 16.0, "16", None, Fraction(16))
NO_BOUNDS: Final = (
    0, -1, "0", "-1", "0/5", -(10**5000), Fraction(-1, 10**5000), float("nan"), float("inf"),
    -float("inf"), "nan", "inf", "1/0", "0/0", "1e999999999", "1e-999999999", "1e10001", "text",
    "", " ", "1/2/3", "0x10", "1_000", "\u0661", "2,5", ".", "e5", "--5", "1" * 30_000, b"2.5",
    [1], 1j, np.array([3.0]), object(), True, False, Decimal("nan"), Decimal("inf"),
)  # fmt: skip


@pytest.mark.parametrize(
    "length", NO_LENGTHS, ids=lambda x: f"{x!s:.20}" if x != 10**5000 else "big"
)
def test_a_length_that_is_none(length: Any) -> None:
    with pytest.raises(InputError, match=r"length L is an integer from 1 to 10\^18") as caught:
        check("softmax", length, 16)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("dim", NO_DIMS, ids=lambda x: f"{x!s:.20}" if x != 10**5000 else "big")
def test_a_dimension_that_is_none(dim: Any) -> None:
    for call in (lambda: check("softmax", 10, dim), lambda: length_cap(dim)):
        with pytest.raises(
            InputError, match=r"dimension d is an integer from 3 to 10\^6"
        ) as caught:
            call()
        assert len(str(caught.value)) < 200


@pytest.mark.parametrize("bound", NO_BOUNDS, ids=range(len(NO_BOUNDS)))
def test_a_bound_that_is_none(bound: Any) -> None:
    for call in (
        lambda: check("softmax", 10, 16, bound),
        lambda: check("softmax-pre-ln", 10**6, 16, bound),
        lambda: read_bound(bound),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    "name", ["", "soft max", "Softmax-Post-LN", None, 5, ["softmax"], "x" * 10**5]
)
def test_a_variant_that_is_none(name: Any) -> None:
    with pytest.raises(InputError, match="There is no variant") as caught:
        check(name, 10, 16)
    assert len(str(caught.value)) < 400
    assert all(known in str(caught.value) for known in NAMES)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("softmaks", "softmax"),
        ("SOFTMAX", "softmax"),
        ("Softmax-Post-LN", "softmax-post-ln"),
        ("softmax-post", "softmax-post-ln"),
        ("softmax_pre_ln", "softmax-pre-ln"),
        ("linear-preln", "linear-pre-ln"),
        ("lineal", "linear"),
        ("softmax-pre-ln-learnt", "softmax-pre-ln-learned"),
    ],
)
def test_the_nearest_variant_is_suggested(name: str, nearest: str) -> None:
    with pytest.raises(InputError, match=f'did you mean "{nearest}"'):
        check(name, 10, 16)


@pytest.mark.parametrize("construction", ["", "derived", "Published", "best"])
def test_a_construction_that_is_not_there(construction: str) -> None:
    with pytest.raises(InputError, match=r"constructions? of softmax"):
        check("softmax", 10, 16, construction=construction)


@pytest.mark.parametrize("name", NAMES)
def test_the_variant_s_own_construction_may_be_named(name: str) -> None:
    origin = variant(name).origin
    assert check(name, 4, 16, construction=origin) == check(name, 4, 16)


@pytest.mark.parametrize("precision", [0, -5, 63, 1 << 21, 64.0, "64", None, True])
def test_a_precision_that_is_none(precision: Any) -> None:
    with pytest.raises(InputError, match="precision"):
        check("softmax", 10, 16, precision=precision)


def test_the_errors_are_of_the_package_and_of_python() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(InputError, CountboundsError)
    assert issubclass(Undecided, CountboundsError)


# --- the package ----------------------------------------------------------------------


def test_every_public_name_is_there_and_stays() -> None:
    for _ in range(2):
        list(countbounds.table1())
        for name in countbounds.__all__:
            assert getattr(countbounds, name) is not None
        assert callable(countbounds.show)
        assert countbounds.show("linear")
    assert set(countbounds.__all__) <= set(dir(countbounds))
    with pytest.raises(AttributeError, match="no_such_name"):
        countbounds.no_such_name  # noqa: B018
