"""The arguments of a training."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds.errors import InputError
from countbounds.training.recipe import Recipe, float_below, read_seeds


def test_defaults() -> None:
    lbfgs, adam = (Recipe.of("softmax", 10, 16, optimizer=name) for name in ("lbfgs", "adam"))
    assert (lbfgs.loss, lbfgs.steps, lbfgs.rate, lbfgs.batch) == (
        "worst",
        16_000,
        Fraction(1),
        None,
    )
    assert (adam.loss, adam.steps, adam.rate) == ("mse", 50_000, Fraction(1, 100))
    assert lbfgs.bound is None
    assert Recipe.of("softmax", 10, 16, steps=None, loss=None) == lbfgs


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (("sofmax", 10, 16), {}, "did you mean"),
        (("softmax", 0, 16), {}, "length L of a training is an integer from 1 to 10^6"),
        (("softmax", 10**6 + 1, 16), {}, "length L"),
        (("softmax", 10, 2), {}, "dimension d"),
        (("softmax", 10, 16, 0), {}, "greater than 0"),
        (("softmax", 10, 16, "ten"), {}, "not a number"),
        (("softmax", 10, 16, "1e-10"), {}, "bound B of a training is a number from 10^-9"),
        (("softmax", 10, 16), {"optimizer": "sgd"}, '"lbfgs" or "adam"'),
        (("softmax", 10, 16), {"loss": "l1"}, '"worst" or "mse"'),
        (("softmax", 10, 16), {"steps": 0}, "number of steps"),
        (("softmax", 10, 16), {"batch": 5}, "--batch is for Adam"),
        (("softmax", 10, 16), {"batch": 0, "optimizer": "adam"}, "batch size"),
        (("softmax", 10, 16), {"rate": "fast"}, "learning rate"),
        (("softmax", 10, 16), {"rate": "-1"}, "learning rate"),
        (("softmax", 10, 16), {"momentum": 1}, "no option momentum"),
    ],
)
def test_what_is_out_of_range(
    arguments: tuple[Any, ...], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        Recipe.of(*arguments, **options)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("1", (0,)), ("3", (0, 1, 2)), ("7,", (7,)), ("5-5", (5,)), (" 2, 9-11 ", (2, 9, 10, 11))],
)
def test_seeds(text: str, seeds: tuple[int, ...]) -> None:
    assert read_seeds(text) == seeds


@pytest.mark.parametrize(
    "text",
    [
        *("", "0", ",", "1,,2", "-1", "1.5", "three", "1,1", "0-3,2", "5-4", "1-2-3"),
        *("1001", "0-1000", "1000000001,", "9" * 50),
    ],
)
def test_no_seeds(text: str) -> None:
    with pytest.raises(InputError, match="The seeds are a number of them"):
        read_seeds(text)


def test_the_folder_is_named_by_the_arguments() -> None:
    recipe = Recipe.of("softmax", 10, 16, "1/3", optimizer="adam")
    assert recipe.folder() == "softmax-L10-d16-B1_3-adam"
    assert Recipe.of("softmax", 10, 16).folder() == "softmax-L10-d16-lbfgs"


@given(st.fractions(Fraction(1, 10**9), 10**9))
def test_float_below(value: Fraction) -> None:
    assert Fraction(float_below(value)) <= value
    assert Fraction(float_below(value)) > value * (1 - Fraction(1, 2**51))
