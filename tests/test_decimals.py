"""Numbers as text: read exactly, written rounded outward."""

from __future__ import annotations

from fractions import Fraction

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds.decimals import (
    LARGEST_EXPONENT,
    Bracket,
    decimal,
    parse_exact,
    rounded,
    significant,
)
from countbounds.errors import InputError

fractions = st.one_of(
    st.fractions(),
    st.fractions(-1, 1),
    st.builds(
        lambda m, e: m * Fraction(10) ** e, st.integers(-(10**25), 10**25), st.integers(-60, 60)
    ),
    st.builds(
        lambda m, e: m * Fraction(2) ** e, st.integers(-(10**25), 10**25), st.integers(-900, 900)
    ),
)


# --- reading ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("007", 7),
        ("2.5", Fraction(5, 2)),
        ("+2.5", Fraction(5, 2)),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("-.5e1", -5),
        ("1e6", 10**6),
        ("1E-6", Fraction(1, 10**6)),
        ("1e+6", 10**6),
        ("5/2", Fraction(5, 2)),
        (" 5 / 2 ", Fraction(5, 2)),
        ("-5/2", Fraction(-5, 2)),
        ("5/-2", Fraction(-5, 2)),
        ("2.5/1e-3", 2500),
        ("0/7", 0),
    ],
)
def test_numbers_are_read_exactly(text: str, value: int | Fraction) -> None:
    assert parse_exact(text, "bound") == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "nan",
        "NaN",
        "inf",
        "-inf",
        "infinity",
        "1/0",
        "1/0.0",
        "0/0",
        "1e999999999",
        "1e-999999999",
        "1e10001",
        "1e9999999999999",
        "1/1e10001",
        "two",
        "1,5",
        "1_000",
        "0x10",
        "1e",
        "e5",
        ".",
        "-",
        "+-1",
        "--1",
        "1 2",
        "1/2/3",
        "/2",
        "1/",
        "1e1.5",
        "(1)",
        "1\n2",
        "1.2.3",
        "\u0661\u0662",
        "\uff11",
        "\u00b2",
        "\u00bd",
        "\u22121",
        "1\u0660",
        "1e\u0661",
        "1\x00",
        "sqrt(2)",
        "__import__('os')",
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="bound") as caught:
        parse_exact(text, "bound")
    assert len(str(caught.value)) < 250
    assert "\n" not in str(caught.value).strip()


def test_numbers_of_thousands_of_digits() -> None:
    assert parse_exact("9" * 20_000, "bound") == 10**20_000 - 1
    assert parse_exact("1e10000", "bound") == 10**10_000
    assert parse_exact("-1e-10000", "bound") == Fraction(-1, 10**10_000)
    assert decimal(Fraction(10**20_000 - 1, 10**9)) == "9." + "9" * 19_999 + "e+19990"
    assert len(decimal(Fraction(10**9000 + 1, 10**9000 - 1))) == 18_002
    assert rounded(Fraction(10**20_000 - 1), 3, up=True) == "1e+20000"
    with pytest.raises(InputError, match="20001 characters"):
        parse_exact("9" * 20_001, "bound")


@given(st.text(max_size=12))
def test_any_text_is_a_number_or_refused(text: str) -> None:
    try:
        value = parse_exact(text, "bound")
    except InputError:
        return
    assert isinstance(value, Fraction)
    assert text.isascii() or text.strip().isascii()


@given(st.from_regex(r"[+-]?[0-9]{1,6}(\.[0-9]{0,6})?([eE][+-]?[0-9]{1,3})?", fullmatch=True))
def test_decimals_are_read_as_fractions_reads_them(text: str) -> None:
    assert parse_exact(text, "bound") == Fraction(text)


def test_the_largest_exponent_is_named() -> None:
    with pytest.raises(InputError, match=str(LARGEST_EXPONENT)):
        parse_exact("1e20000", "bound")


# --- writing ----------------------------------------------------------------------------


@given(fractions)
def test_exact_text_reads_back(value: Fraction) -> None:
    text = decimal(value)
    assert parse_exact(text, "number") == value
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    assert ("/" in text) == (rest != 1)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-5, 2), "-2.5"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-1, 3), "-1/3"),
        (Fraction(10**24), "1" + "0" * 24),
        (Fraction(10**25), "1e+25"),
        (Fraction(1, 10**6), "0.000001"),
        (Fraction(1, 10**7), "1e-7"),
        (Fraction(123, 10**9), "1.23e-7"),
        (Fraction(1, 2**20), "9.5367431640625e-7"),
        (Fraction(12345, 100), "123.45"),
    ],
)
def test_exact_text(value: Fraction, text: str) -> None:
    assert decimal(value) == text


@given(fractions, st.integers(1, 40))
def test_rounding_is_outward_and_no_more_than_needed(value: Fraction, digits: int) -> None:
    low, high = significant(value, digits, up=False), significant(value, digits, up=True)
    assert low <= value <= high
    assert Fraction(rounded(value, digits, up=False)) == low
    assert Fraction(rounded(value, digits, up=True)) == high
    for end in (low, high):
        assert len(_mantissa(end)) <= digits
    if low != value:
        # The two ends are neighbours among the numbers of so many digits.
        gap = high - low
        assert gap <= abs(value) * Fraction(10) ** (1 - digits)
        assert low < value < high
    else:
        assert high == low


def _mantissa(value: Fraction) -> str:
    numerator = abs(value)
    while numerator.denominator != 1:
        numerator *= 10
    return str(int(numerator)).rstrip("0") or "0"


@given(fractions, fractions, st.integers(1, 25))
def test_brackets_are_written_outward(x: Fraction, y: Fraction, digits: int) -> None:
    bracket = Bracket(min(x, y), max(x, y))
    strings = bracket.as_strings(digits)
    assert Fraction(strings["lower"]) <= min(x, y)
    assert Fraction(strings["upper"]) >= max(x, y)


@given(st.integers(1, 60), st.integers(1, 60), st.booleans())
def test_a_bracket_beside_a_number_is_written_beside_it(near: int, wide: int, above: bool) -> None:
    half = Fraction(1, 2)
    sign = 1 if above else -1
    ends = half + sign * Fraction(1, 10**near), half + sign * Fraction(1, 10**near + 10**wide)
    strings = Bracket(min(ends), max(ends)).as_strings(5, apart=half)
    low, high = Fraction(strings["lower"]), Fraction(strings["upper"])
    assert low <= min(ends)
    assert max(ends) <= high
    assert (half < low) if above else (high < half)


def test_open_brackets() -> None:
    assert Bracket(None, None).as_strings() == {"lower": "inf", "upper": "inf"}
    assert Bracket(Fraction(1, 3), None).as_strings(3) == {"lower": "0.333", "upper": "inf"}
    assert str(Bracket(None, None)) == "inf"
    assert Bracket.exactly(2).is_exact
    assert not Bracket(None, None).is_exact
    assert not Bracket(Fraction(1), Fraction(2)).is_exact


@given(fractions, st.integers(0, 400))
def test_the_shown_digits_are_certain(value: Fraction, width: int) -> None:
    """What a bracket prints with dots is a prefix of every number in it."""
    bracket = Bracket(value, value + Fraction(1, 2**width))
    text = str(bracket)
    if "..." in text and bracket.upper is not None:
        mantissa, _, exponent = text.partition("e")
        prefix = Fraction(mantissa.replace("...", "")) * Fraction(10) ** int(exponent or 0)
        places = len(mantissa.replace("...", "").partition(".")[2])
        step = Fraction(10) ** (int(exponent or 0) - places)
        for end in (value, bracket.upper):
            assert abs(prefix) <= abs(end) < abs(prefix) + step
            assert (end < 0) == (prefix < 0)
    elif "+/-" in text:
        middle, radius = (Fraction(part) for part in text.split("+/-"))
        assert bracket.upper is not None
        assert middle - radius <= value
        assert bracket.upper <= middle + radius


# --- balls ------------------------------------------------------------------------------


@given(st.integers(-(2**80), 2**80), st.integers(-300, 300))
def test_exact_balls_are_read_exactly(mantissa: int, exponent: int) -> None:
    with flint.ctx.workprec(200):
        point = flint.arb(mantissa) * flint.arb(2) ** exponent
        assert Bracket.of(point) == Bracket.exactly(mantissa * Fraction(2) ** exponent)


@given(fractions, st.integers(20, 300))
def test_a_bracket_of_a_ball_contains_the_number(value: Fraction, bits: int) -> None:
    with flint.ctx.workprec(bits):
        ball = flint.arb(flint.fmpq(value.numerator, value.denominator))
        bracket = Bracket.of(ball)
    assert bracket.lower is not None
    assert bracket.upper is not None
    assert bracket.lower <= value <= bracket.upper


@pytest.mark.parametrize("value", [flint.arb.pos_inf(), flint.arb.neg_inf(), flint.arb.nan()])
def test_balls_without_a_finite_end(value: flint.arb) -> None:
    assert Bracket.of(value) == Bracket(None, None)


@pytest.mark.parametrize("sign", [1, -1])
def test_balls_far_out_are_widened_rather_than_written_down(sign: int) -> None:
    huge, tiny = flint.arb(10**15).exp(), (-flint.arb(10**15)).exp()
    bracket = Bracket.of(sign * huge)
    near, far = (bracket.lower, bracket.upper) if sign > 0 else (bracket.upper, bracket.lower)
    assert far is None
    assert near is not None
    assert sign * near > 10**1000
    bracket = Bracket.of(sign * tiny)
    near, far = (bracket.lower, bracket.upper) if sign > 0 else (bracket.upper, bracket.lower)
    assert near == 0
    assert far is not None
    assert 0 < sign * far < Fraction(1, 10**1000)
