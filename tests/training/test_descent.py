"""Trainings in this process: determinism, and the way back from a saved state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from countbounds.errors import InputError
from countbounds.training.descent import MOST_ROWS, TARGET, Curve, Training
from countbounds.training.extra import one_thread
from countbounds.training.recipe import Recipe
from countbounds.variants import NAMES

torch: Any = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

RECIPES = [
    Recipe.of("softmax-post-ln", 60, 6, 15, steps=800),
    Recipe.of("softmax-post-ln-learned", 60, 6, 3, steps=800),
    Recipe.of("softmax", 12, 6, 6, steps=400, loss="mse"),
    Recipe.of("softmax", 12, 6, 6, steps=400, optimizer="adam"),
    Recipe.of("softmax", 12, 6, 6, steps=400, optimizer="adam", batch=16),
    Recipe.of("softmax", 12, 6, steps=400, optimizer="adam", batch=16, loss="worst"),
]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


def run(recipe: Recipe, seed: int = 0) -> Training:
    training = Training(recipe, seed)
    while not training.finished:
        training.advance()
    return training


def same(left: Training, right: Training) -> bool:
    a, b = left.vectors(), right.vectors()
    return (
        left.step == right.step
        and left.curve.as_csv() == right.curve.as_csv()
        and all(np.array_equal(a[name], b[name]) for name in a)
    )


@pytest.mark.parametrize("recipe", RECIPES, ids=range(len(RECIPES)))
def test_a_training_is_fixed_by_its_seed(recipe: Recipe) -> None:
    first = run(recipe)
    assert same(first, run(recipe))
    assert not same(first, run(recipe, 1))
    assert 0 < first.step <= recipe.steps


@pytest.mark.parametrize("recipe", RECIPES, ids=range(len(RECIPES)))
def test_a_training_resumed_at_every_pause_ends_the_same(recipe: Recipe) -> None:
    training = Training(recipe, 0)
    while not training.finished:
        training.advance()
        content = training.save()
        training = Training(recipe, 0)
        training.load(content)
    assert same(training, run(recipe))


def test_states_that_are_none() -> None:
    training = Training(RECIPES[0], 0)
    other = Training(RECIPES[1], 0).save()
    seeded = Training(RECIPES[0], 1).save()
    for content in (b"", b"nothing", training.save()[:-100], other, seeded):
        with pytest.raises(InputError, match="saved state of seed 0 is damaged"):
            Training(RECIPES[0], 0).load(content)


@pytest.mark.parametrize("name", NAMES)
def test_every_variant_learns_to_count_a_little(name: str) -> None:
    training = run(Recipe.of(name, 5, 16, 20, steps=4000))
    assert training.best_error < TARGET


def test_every_variant_takes_a_step_of_adam_without_a_cap() -> None:
    for name in NAMES:
        training = run(Recipe.of(name, 5, 16, steps=3, optimizer="adam"))
        assert training.step == 3
        assert all(np.isfinite(vector).all() for vector in training.vectors().values())


def test_a_curve_stays_short_and_keeps_its_ends() -> None:
    curve = Curve()
    for step in range(12_345):
        curve.add([step, 2, 0.5, 1.5])
    lines = curve.as_csv().splitlines()
    assert lines[0] == "step,exponent,loss,worst_error"
    assert lines[1] == "0,2,0.5,1.5"
    assert lines[-1] == "12344,2,0.5,1.5"
    assert MOST_ROWS // 2 <= len(lines) <= MOST_ROWS + 1
