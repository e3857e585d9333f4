"""Every theorem: proven, true at numbers, and not proven with any constant moved."""

from __future__ import annotations

import importlib
import itertools
import os
import pkgutil
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import tests.proofs.samples
from countbounds.proving.formulas import Every
from countbounds.proving.library import library, run
from countbounds.proving.pages import index, page
from countbounds.proving.proof import Statement, Theorem
from tests.proofs.numeric import DIGITS, Sample, Sampler, holds
from tests.tiers import by_tier

NAMES = list(library())
PAGES = Path(__file__).parents[2] / "docs" / "theorems"
TRIES = by_tier(100, sample=40)


@cache
def samplers() -> dict[str, Sampler]:
    found: dict[str, Sampler] = {}
    for module in pkgutil.iter_modules(tests.proofs.samples.__path__):
        found |= importlib.import_module(f"tests.proofs.samples.{module.name}").SAMPLES
    return found


def drawn(name: str, seed: int) -> Sample | None:
    with mpmath.workdps(DIGITS):
        return samplers()[name](random.Random(seed))


def test_every_theorem_has_numbers() -> None:
    assert sorted(samplers()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_proof_goes_through_and_has_its_page(name: str) -> None:
    theorem = library()[name]
    found = run(theorem, library())
    assert found.fault == ""
    check_page(f"{name}.md", page(theorem, found))


def test_the_index_is_that_of_the_theorems() -> None:
    check_page("README.md", index(library()))
    assert sorted(path.stem for path in PAGES.glob("*.md")) == sorted(["README", *NAMES])


def check_page(name: str, text: str) -> None:
    """Compare with the page in docs/theorems, or write it there if UPDATE_DOCS is set."""
    if os.environ.get("UPDATE_DOCS"):
        PAGES.mkdir(exist_ok=True)
        (PAGES / name).write_text(text, encoding="utf-8")
    assert (PAGES / name).read_text(encoding="utf-8") == text, "run `make docs-update`"


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=by_tier(100, sample=25))
@given(seed=st.integers(0, 2**32))
def test_the_statement_holds_at_numbers(name: str, seed: int) -> None:
    sample = drawn(name, seed)
    if sample is not None:
        assumed, concluded = holds(library()[name].statement, sample)
        assert concluded or not assumed, sample


@pytest.mark.parametrize("name", NAMES)
def test_the_hypotheses_can_be_satisfied(name: str) -> None:
    assert sum(1 for _ in satisfying(name, 40)) >= 10


def satisfying(name: str, tries: int) -> Iterator[Sample]:
    """Samples at which the hypotheses hold."""
    for seed in range(tries):
        sample = drawn(name, seed)
        if sample is not None and holds(library()[name].statement, sample)[0]:
            yield sample


# --- moved constants ---------------------------------------------------------------------


def places(formula: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Where numbers stand in a formula, exponents of symbols apart."""
    if isinstance(formula, sp.Rational):
        yield path
    for place, part in enumerate(getattr(formula, "args", ())):
        yield from places(part, (*path, place))


def moved(formula: Any, path: tuple[int, ...], change: Any) -> Any:
    if not path:
        return change(formula)
    parts = list(formula.args)
    parts[path[0]] = moved(parts[path[0]], path[1:], change)
    return formula.func(*parts)


CHANGES = [
    lambda c: c + sp.Rational(1, 10),
    lambda c: c - sp.Rational(1, 10),
    lambda c: c + 1,
    lambda c: c - 1,
    lambda c: -c,
    lambda c: 2 * c + 3,
    lambda c: c / 7 - 5,
    lambda c: c + 1000,
    lambda c: c - 1000,
]


def false_variants(statement: Statement, name: str) -> Iterator[Statement]:
    """For each number of the conclusion, the statement with it moved until it is false."""
    conclusion = statement.conclusion
    formula = conclusion.formula if isinstance(conclusion, Every) else conclusion
    samples = list(satisfying(name, TRIES))
    for path in places(formula):
        for change in CHANGES:
            other = moved(formula, path, change)
            if isinstance(conclusion, Every):
                other = replace(conclusion, formula=other)
            variant = replace(statement, conclusion=other)
            if any(is_false(variant, sample) for sample in samples):
                yield variant
                break


def is_false(statement: Statement, sample: Sample) -> bool:
    try:
        return holds(statement, sample)[1] is False
    except (ArithmeticError, ValueError, TypeError, KeyError):
        return False  # the moved constant left the domain of a function


def refused(name: str, variants: list[Statement]) -> None:
    theorem = library()[name]
    assert variants
    for variant in variants:
        mutated = Theorem(name, variant, theorem.prove)
        assert run(mutated, {**library(), name: mutated}).fault, variant.conclusion


@pytest.mark.parametrize("name", NAMES)
def test_a_moved_constant_is_not_proven(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One constant, with little effort; all of them in the slow tier."""
    monkeypatch.setattr("countbounds.proving.decide.EFFORT", 500_000)
    found = false_variants(library()[name].statement, name)
    refused(name, list(itertools.islice(found, 1)))


@pytest.mark.slow
@pytest.mark.parametrize("name", by_tier(NAMES, sample=NAMES[::8]))
def test_no_moved_constant_is_proven(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("countbounds.proving.decide.EFFORT", 300_000)
    found = false_variants(library()[name].statement, name)
    refused(name, list(itertools.islice(found, by_tier(None, sample=3))))
