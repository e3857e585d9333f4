"""What is trained, and how: the arguments of a training, checked, with their defaults."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from countbounds.checking import read_bound, require_integer
from countbounds.decimals import decimal, parse_exact, shorten
from countbounds.errors import InputError
from countbounds.variants import variant as variant_named

Optimizer = Literal["lbfgs", "adam"]
Loss = Literal["worst", "mse"]

LONGEST = 10**6
LARGEST_DIM = 4096
MOST_STEPS = 10**9
MOST_SEEDS = 1000
LARGEST_SEED = 10**9

_LOSS: dict[str, Loss] = {"lbfgs": "worst", "adam": "mse"}
_STEPS = {"lbfgs": 16_000, "adam": 50_000}
_RATE = {"lbfgs": Fraction(1), "adam": Fraction(1, 100)}
_ITEM = re.compile(r"(\d{1,12})(?:-(\d{1,12}))?", re.ASCII)


@dataclass(frozen=True)
class Recipe:
    """A training of one variant, the same for every seed.

    Attributes:
        variant: a name of `countbounds.variants.NAMES`.
        length: L, from 1 to 10^6.
        dim: d, from 3 to 4096.
        bound: the cap B on every vector's norm, exact; None for no cap.
        optimizer: "lbfgs" (on all training inputs at once) or "adam".
        loss: "worst" (power means of the errors, with growing exponents) or "mse".
        steps: the most optimiser steps (L-BFGS: iterations).
        batch: training inputs for each step of Adam; None for all.
        rate: the learning rate (L-BFGS: the first step tried along each direction).
    """

    variant: str
    length: int
    dim: int
    bound: Fraction | None
    optimizer: Optimizer
    loss: Loss
    steps: int
    batch: int | None
    rate: Fraction

    @staticmethod
    def of(
        variant: str,
        length: int,
        dim: int,
        bound: str | int | float | Fraction | None = None,
        **options: Any,
    ) -> Recipe:
        """A recipe with defaults for what is not given.

        Args:
            variant: its name.
            length: L.
            dim: d.
            bound: B, read exactly.
            options: `optimizer` ("lbfgs"), `loss` (L-BFGS "worst", Adam "mse"), `steps`
                (L-BFGS 16,000, Adam 50,000), `batch` and `rate` (L-BFGS 1, Adam 0.01),
                each as in the class; None stands for the default.

        Raises:
            InputError: if one is out of range.

        >>> Recipe.of("softmax", 10, 16, "5/2", optimizer="adam").loss
        'mse'
        """
        given = {name: value for name, value in options.items() if value is not None}
        optimizer = given.pop("optimizer", "lbfgs")
        if optimizer not in _LOSS:
            raise InputError(f'The optimizer is "lbfgs" or "adam", not "{shorten(optimizer)}".')
        rate = given.pop("rate", _RATE[optimizer])
        if not isinstance(rate, Fraction):
            rate = parse_exact(str(rate), "learning rate")
        recipe = Recipe(
            variant,
            length,
            dim,
            None if bound is None else read_bound(bound),
            optimizer,
            given.pop("loss", _LOSS[optimizer]),
            given.pop("steps", _STEPS[optimizer]),
            given.pop("batch", None),
            rate,
        )
        if given:
            raise InputError(f"A training has no option {shorten(next(iter(given)))}.")
        return recipe

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            InputError: if one is out of range.
        """
        variant_named(self.variant)
        require_integer(self.length, "length L of a training", 1, LONGEST, "10^6")
        require_integer(self.dim, "dimension d of a training", 3, LARGEST_DIM)
        require_integer(self.steps, "number of steps", 1, MOST_STEPS, "10^9")
        if self.loss not in ("worst", "mse"):
            raise InputError(f'The loss is "worst" or "mse", not "{shorten(self.loss)}".')
        if self.batch is not None:
            require_integer(self.batch, "batch size", 1, LONGEST, "10^6")
            if self.optimizer == "lbfgs":
                raise InputError("L-BFGS takes all inputs at once; --batch is for Adam.")
        for name, value in (("bound B", self.bound), ("learning rate", self.rate)):
            if value is not None and not Fraction(1, 10**9) <= value <= 10**9:
                raise InputError(
                    f"The {name} of a training is a number from 10^-9 to 10^9, "
                    f"not {shorten(decimal(value))}."
                )

    def as_dict(self) -> dict[str, Any]:
        """The arguments with exact numbers as text."""
        return {
            "variant": self.variant,
            "length": self.length,
            "dim": self.dim,
            "bound": None if self.bound is None else decimal(self.bound),
            "optimizer": self.optimizer,
            "loss": self.loss,
            "steps": self.steps,
            "batch": self.batch,
            "rate": decimal(self.rate),
        }

    def folder(self) -> str:
        """The name of the folder that results go to by default.

        >>> Recipe.of("softmax", 10, 16, "5/2").folder()
        'softmax-L10-d16-B2.5-lbfgs'
        """
        cap = "" if self.bound is None else f"-B{decimal(self.bound).replace('/', '_')[:40]}"
        return f"{self.variant}-L{self.length}-d{self.dim}{cap}-{self.optimizer}"

    @property
    def scale(self) -> float:
        """The scale of the vectors that set the size of the output: B, or L if smaller."""
        if self.bound is None:
            return float(self.length)
        return min(float(self.length), float(self.bound))


def read_seeds(text: str) -> tuple[int, ...]:
    """The seeds that a text names: a number of them, or a list with ranges.

    Args:
        text: "3" stands for 0, 1, 2; "4," for 4 alone; "0,5-7" for 0, 5, 6, 7.

    Raises:
        InputError: if it names no seeds, more than 1000, one twice, or one beyond 10^9.

    >>> read_seeds("3"), read_seeds("4,"), read_seeds("0,5-7")
    ((0, 1, 2), (4,), (0, 5, 6, 7))
    """
    wrong = InputError(
        f'The seeds are a number of them (3 for 0, 1, 2) or a list such as "0,5-7" or "4,", '
        f'at most {MOST_SEEDS} different ones of at most 10^9, not "{shorten(text)}".'
    )
    items = text.replace(" ", "").split(",")
    counted = len(items) == 1 and "-" not in text
    if len(items) > 1 and items[-1] == "":
        items.pop()
    found: list[int] = []
    for item in items:
        match = _ITEM.fullmatch(item)
        if match is None:
            raise wrong
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        if counted:
            first, last = 0, first - 1
        if not first <= last <= LARGEST_SEED or len(found) + last - first + 1 > MOST_SEEDS:
            raise wrong
        found += range(first, last + 1)
    if len(set(found)) < len(found):
        raise wrong
    return tuple(found)


def float_below(value: Fraction) -> float:
    """The largest double at or below a number.

    >>> float_below(Fraction(1, 10)) < 0.1
    True
    """
    found = float(value)
    return math.nextafter(found, -math.inf) if Fraction(found) > value else found
