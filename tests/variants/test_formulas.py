"""What `show` prints is what `check` uses: the formulas and the text give the same numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import mpmath
import pytest
import sympy

from countbounds import Model, Vector, check, length_cap, show
from countbounds.expressions import Expr, evaluate
from countbounds.rings import HighPrecision, Symbolic
from countbounds.variants import NAMES, all_variants, variant
from countbounds.variants.base import LENGTH
from tests.variants.reference import reference
from tests.variants.strategies import within_reach

DIGITS: Final = 80
CLOSE: Final = mpmath.mpf(10) ** -60
CELLS: Final = [
    (name, length, dim, stretch)
    for name in NAMES
    for length, dim, stretch in (
        (3, 3, Fraction(1)),
        (4, 4, Fraction(7, 4)),
        (7, 16, Fraction(5, 3)),
        (12, 3, Fraction(1)),
        (10**6, 1000, Fraction(1)),
        (10**9, 99_999, Fraction(100)),
    )
    if within_reach(name, length, dim) == length
]
LABELS: Final = {
    "boundary": "x_#",
    "space": "x_s",
    "letter": "x_l",
    "readout": "w",
    "gain": "g",
    "bias": "b",
}
INPUTS: Final = ((0, 0), (1, 0), (0, 1), (2, 1), (3, 0), (5, 7), (10**5, 3), (0, 10**7))


def close(found: Any, expected: Any) -> bool:
    """Equal to 60 digits of the larger of 1 and the number."""
    return bool(abs(found - expected) <= CLOSE * max(1, abs(expected)))


class Case:
    """One construction: its parameters in high precision, and the values of L, d and B."""

    def __init__(self, name: str, length: int, dim: int, stretch: Fraction) -> None:
        self.variant = variant(name)
        guaranteed = check(name, length, dim).bound
        assert guaranteed is not None
        self.bound = guaranteed * stretch
        self.ring = HighPrecision(DIGITS)
        self.model = Model(self.variant.layer, self.variant.build(length, dim, self.bound))
        self.known: dict[str, Any] = {
            "L": self.ring.number(Fraction(length)),
            "d": self.ring.number(Fraction(dim)),
            "B": self.ring.number(self.bound),
        }
        self.guarantee = evaluate(self.variant.guaranteed_bound(length, dim), self.ring)

    def vectors(self) -> dict[str, list[Any]]:
        """The leading entries of each vector as `check` uses it, and its last."""
        found = self.model.parameters.on(self.ring).vectors()
        return {name: leading(vector) for name, vector in found.items()}


def leading(vector: Vector) -> list[Any]:
    """The first six entries and the last (for d = 3 there are three in all)."""
    entries = [value for value, count in vector.head for _ in range(count)]
    dim = int(vector.dim)
    filled = [*entries, *[vector.tail] * 6][: min(dim, 6)]
    return [*filled, vector.tail if dim > len(entries) else entries[-1]]


@pytest.mark.parametrize(("name", "length", "dim", "stretch"), CELLS)
def test_the_formulas_are_what_is_checked(
    name: str, length: int, dim: int, stretch: Fraction
) -> None:
    case = Case(name, length, dim, stretch)
    known, vectors = dict(case.known), case.vectors()
    seen = set()
    for key, formula in case.variant.formulas().items():
        if isinstance(formula, Vector):
            seen.add(key)
            memo: dict[int, Any] = {}
            found = Vector(
                dim,
                tuple((evaluate(x, case.ring, known, memo), count) for x, count in formula.head),
                evaluate(formula.tail, case.ring, known, memo),
            )
            for one, other in zip(leading(found), vectors[key], strict=True):
                assert close(one, other), key
        elif key == "y(n, m)":
            for n, m in INPUTS:
                values = {**known, "n": n, "m": m}
                y = case.model.forward(n, m, case.ring)
                assert close(evaluate(formula, case.ring, values), y), (n, m)
        else:
            known[key] = evaluate(formula, case.ring, known)
            if key == "guaranteed B":
                assert close(known[key], case.guarantee)
    assert "readout" in seen
    assert seen <= set(vectors)


# --- the printed text -----------------------------------------------------------------


def parsed(text: str) -> sympy.Expr:
    """A printed formula as sympy reads it, every name a positive symbol."""
    names = set(re.findall(r"[A-Za-z_]\w*", text)) - {"Max", "Min", "exp", "floor", "log", "sqrt"}
    symbols = {name: sympy.Symbol(name, positive=True) for name in names}
    return sympy.sympify(text, locals=symbols, rational=True)


def number(text: str, known: Mapping[str, Any]) -> Any:
    """The value of a printed formula, in mpmath."""
    expression = parsed(text)
    values = {symbol: known[symbol.name] for symbol in expression.free_symbols}
    with mpmath.workdps(DIGITS):
        return mpmath.mpf(expression.evalf(DIGITS, subs=values))


def split(text: str) -> list[str]:
    """The entries of a printed vector."""
    assert text.startswith("(")
    assert text.endswith(")")
    entries, depth, start = [], 0, 1
    for place, letter in enumerate(text[1:-1], 1):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            entries.append(text[start:place].strip())
            start = place + 1
    return [*entries, text[start:-1].strip()]


@pytest.mark.parametrize(("name", "length", "dim", "stretch"), CELLS)
def test_the_printed_text_is_what_is_checked(
    name: str, length: int, dim: int, stretch: Fraction
) -> None:
    case = Case(name, length, dim, stretch)
    known, vectors = dict(case.known), case.vectors()
    printed = show(name)
    labels = {label: key for key, label in LABELS.items()}
    for label, text in printed.items():
        if label in labels:
            *head, tail, dots, last = split(text)
            assert dots == "..."
            assert tail == last
            entries = [*head, *[tail] * 6][: min(dim, 6)]
            shown = [*entries, tail if dim > len(head) else head[dim - 1]]
            for entry, expected in zip(shown, vectors[labels[label]], strict=True):
                assert close(number(entry, known), expected), label
        elif label == "y(n, m)":
            for n, m in INPUTS:
                y = case.model.forward(n, m, case.ring)
                assert close(number(text, {**known, "n": n, "m": m}), y), (n, m)
        elif label == "guaranteed B":
            assert close(number(text, known), case.guarantee)
        elif "~" not in label:
            assert label.isidentifier()
            known[label] = number(text, known)
    assert {"w", "y(n, m)", "guaranteed B"} <= set(printed)


@pytest.mark.parametrize("name", NAMES)
def test_all_parameters_are_shown(name: str) -> None:
    present = variant(name).build(5, 5, Fraction(3)).vectors()
    assert [LABELS[key] for key in present if LABELS[key] not in show(name)] == []


@pytest.mark.parametrize("name", NAMES)
def test_text_names_only_what_stands_before_it(name: str) -> None:
    defined = {"L", "d", "B"}
    for label, text in show(name).items():
        given = defined | ({"n", "m"} if label == "y(n, m)" else set())
        for formula in split(text) if label in LABELS.values() else [text]:
            if formula != "...":
                assert {symbol.name for symbol in parsed(formula).free_symbols} <= given, label
        defined.add(label)


@pytest.mark.parametrize("name", NAMES)
def test_latex_is_balanced_and_says_as_much(name: str) -> None:
    latex, text = show(name, "latex"), show(name)
    assert len(latex) == len(text)
    for label, formula in latex.items():
        for part in (label, formula):
            assert part.isascii()
            bare = re.sub(r"\\[{}#%&_$]", "", part)
            assert bare.count("{") == bare.count("}")
            depths = [bare[:end].count("{") - bare[:end].count("}") for end in range(len(bare))]
            assert min(depths, default=0) >= 0
            assert len(re.findall(r"\\left\b", part)) == len(re.findall(r"\\right\b", part))
            assert part.count("(") == part.count(")")
            assert part.count(r"\lfloor") == part.count(r"\rfloor")
            assert "**" not in part
            assert not re.search(r"\^[*\w]\s*\^", part), "two superscripts"
            assert not re.search(r"(?<!\\)#", part)
            # A power of a function's name without braces reads as the power of its argument.
            assert not re.search(r"\\cos\s*\\\w+\s*\^", part)


@pytest.mark.parametrize("name", NAMES)
def test_latex_gives_no_letter_two_meanings(name: str) -> None:
    # sympy prints the exponential as e^{...}: no quantity can be called e beside it.
    latex = show(name, "latex")
    if any("e^{" in formula for formula in latex.values()):
        assert "e" not in latex


def test_another_format_is_refused() -> None:
    for form in ("html", "LATEX", ""):
        with pytest.raises(ValueError, match="latex"):
            show("softmax", form)  # type: ignore[arg-type]


# --- rates and sharp constants --------------------------------------------------------


def value_of(formula: Expr | None, **symbols: int | Fraction) -> Any:
    assert formula is not None
    return evaluate(formula, HighPrecision(DIGITS), symbols)


@pytest.mark.parametrize("dim", [3, 16, 64])
@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("linear", Fraction(-3, 8), 1),
        ("softmax", 1, 2),
        ("softmax-post-ln", Fraction(27, 4), 200),
        ("softmax-post-ln-learned", Fraction(3, 8), 10),
    ],
)
def test_the_infimum_approaches_the_sharp_constant(
    name: str, dim: int, first: Fraction, second: int
) -> None:
    length = 10**9
    (b_min,) = (b for at, d, b in reference(name) if (at, d) == (length, dim))
    ratio = mpmath.mpf(b_min.numerator) / b_min.denominator
    ratio /= value_of(variant(name).sharp_bound, L=length, d=dim)
    expansion = 1 + mpmath.mpf(first.numerator) / first.denominator / length
    assert abs(ratio - expansion) < mpmath.mpf(second) / length**2 + mpmath.mpf(10) ** -14
    assert abs(ratio - 1) < mpmath.mpf(10) ** -8


@pytest.mark.parametrize("dim", [3, 16, 1000])
@pytest.mark.parametrize("name", NAMES)
def test_the_sharp_length_inverts_the_sharp_bound(name: str, dim: int) -> None:
    chosen = variant(name)
    if chosen.sharp_bound is None or chosen.sharp_length is None:
        assert name in ("linear", "linear-pre-ln", "softmax-pre-ln")
        return
    bound = evaluate(chosen.sharp_bound, HighPrecision(DIGITS), {"L": 12345, "d": dim})
    length = evaluate(chosen.sharp_length, HighPrecision(DIGITS), {"B": bound, "d": dim})
    assert close(length, 12345)


def test_the_cap_approaches_its_sharp_constant() -> None:
    for dim in (100, 400, 1000):
        limit = value_of(variant("softmax-pre-ln").sharp_length, d=dim)
        assert abs(length_cap(dim) - limit) <= 2


@pytest.mark.parametrize("dim", [3, 16, 64])
@pytest.mark.parametrize("name", ["softmax", "softmax-post-ln", "softmax-post-ln-learned"])
def test_the_rate_is_within_a_constant_of_the_sharp_constant(name: str, dim: int) -> None:
    chosen = variant(name)
    ratios = [
        value_of(chosen.bound_rate, L=length, d=dim) / value_of(chosen.sharp_bound, L=length, d=dim)
        for length in (10**6, 10**9, 10**12)
    ]
    assert all(close(ratio, ratios[0]) for ratio in ratios)
    assert 1 < ratios[0] < 6


def test_the_rates_are_the_published_ones() -> None:
    ring = Symbolic()
    rates = {
        chosen.name: tuple(
            None if rate is None else str(evaluate(rate, ring))
            for rate in (chosen.bound_rate, chosen.length_rate)
        )
        for chosen in all_variants()
    }
    assert rates == {
        "linear": ("1", None),
        "linear-pre-ln": ("1", None),
        "softmax": ("Max(L, d**(1/4)*sqrt(log(L)))", "B"),
        "softmax-post-ln": ("L**(3/2)/sqrt(d)", "B**(2/3)"),
        "softmax-post-ln-learned": ("L**(3/4)/d**(1/4)", "B**(4/3)"),
        "softmax-pre-ln": (None, "exp(sqrt(d))"),
        "softmax-pre-ln-learned": ("L/d**(1/4)", "B"),
    }


def test_the_sharp_constants_are_the_derived_ones() -> None:
    ring = Symbolic()
    L, d = sympy.symbols("L d", positive=True)
    expected = {
        "linear": (2 * d) ** sympy.Rational(1, 8),
        "linear-pre-ln": 3 / (2 * d),
        "softmax": L / 2,
        "softmax-post-ln": L ** sympy.Rational(3, 2) / sympy.sqrt(32 * d),
        "softmax-post-ln-learned": (L**3 / (32 * (d - 1))) ** sympy.Rational(1, 4),
        "softmax-pre-ln-learned": L / (2 * sympy.sqrt(1 + sympy.sqrt(d - 1))),
    }
    for name, formula in expected.items():
        found = variant(name).sharp_bound
        assert found is not None
        difference = (evaluate(found, ring) / formula) ** 8
        assert sympy.simplify(difference.subs(d, d + 1)) == 1, name
    assert variant("softmax-pre-ln").sharp_bound is None
    assert LENGTH.args == ("L",)
