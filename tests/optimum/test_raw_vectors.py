"""A general-purpose optimiser over the raw vectors of all variants, which knows no theory.

It minimises B subject to |v| <= B for every trainable vector and |y - n| <= 1/2 for every input.
All it knows is the forward pass, written here from the definition of the model, and a size to
measure the vectors in.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from countbounds.bounds import search
from tests.exhaustive import Raw, exhaustive
from tests.tiers import by_tier

Array = NDArray[Any]


@dataclass(frozen=True)
class Kind:
    """What a variant's layer does."""

    attention: Literal["linear", "softmax"]
    placement: Literal["none", "pre", "post"] = "none"
    learned: bool = False


KINDS: Final = {
    "linear": Kind("linear"),
    "linear-pre-ln": Kind("linear", "pre"),
    "softmax": Kind("softmax"),
    "softmax-post-ln": Kind("softmax", "post"),
    "softmax-post-ln-learned": Kind("softmax", "post", learned=True),
    "softmax-pre-ln": Kind("softmax", "pre"),
    "softmax-pre-ln-learned": Kind("softmax", "pre", learned=True),
}
DIMS: Final = (3, 4, 6)
LENGTHS: Final = by_tier(tuple(range(1, 13)), sample=(2, 5))
"""All below the cap of bare pre-LN, which is 12 at d = 3."""

CLOSE: Final = Fraction(1, 10**6)
"""How near to the tool's upper end the optimiser has to come, relatively."""
LEAST: Final = by_tier(8, sample=2)
"""How many starts have to end at parameters that count, in any case."""
MOST: Final = 150
"""How many starts are tried: not every one ends so, and not every one that does ends nearby."""
MARGIN: Final = 1e-10
"""What keeps the optimiser's points off 1/2; their rounding errors are about 1e-14."""
SCALES: Final = (0.25, 0.5, 0.25, 1.0)
"""Sizes of the vectors to start from, in units of the expected B."""


# --- the layer ---------------------------------------------------------------------------


def outputs(kind: Kind, vectors: Array, inputs: Array) -> Array:
    """y at each input (n, m), for vectors of the shape (..., 4 or 6, d), real or complex.

    The vectors are x_#, x_s, x_l, w and, for a learned norm, the gain and the bias.
    """
    dim = vectors.shape[-1]
    tokens, readout = vectors[..., :3, :], vectors[..., 3:4, :]

    def norm(z: Array) -> Array:
        z = z - z.mean(axis=-1, keepdims=True)
        z = math.sqrt(dim) * z / np.sqrt((z * z).sum(axis=-1, keepdims=True))
        return vectors[..., 4:5, :] * z + vectors[..., 5:6, :] if kind.learned else z

    if kind.placement == "pre":
        tokens = norm(tokens)
    scores = (tokens[..., :1, :] * tokens).sum(axis=-1) / math.sqrt(dim)
    counts = np.stack([np.ones(len(inputs)), *inputs.T], axis=-1)
    if kind.attention == "softmax":
        weights = np.exp(scores - scores.real.max(axis=-1, keepdims=True))
        weights = counts * weights[..., None, :]
        weights = weights / weights.sum(axis=-1, keepdims=True)
    else:
        weights = counts * scores[..., None, :]
    hidden = weights @ tokens
    if kind.placement == "post":
        hidden = norm(hidden)
    result: Array = (readout * hidden).sum(axis=-1)
    return result


def derivatives(function: Callable[[Array], Array], x: Array) -> Array:
    """The Jacobian, by steps along the imaginary axis: exact to the last digits."""
    step = 1e-30
    result: Array = function(x + 1j * step * np.eye(len(x))).imag.T / step
    return result


# --- the optimiser -----------------------------------------------------------------------


@cache
def minimiser() -> Any:
    """scipy's; its systems are so small that several threads only wait for each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENBLAS_NUM_THREADS", "1")
        from scipy.optimize import minimize  # type: ignore[import-untyped]
    return minimize


class Problem:
    """One cell. The variables are all vectors, then B, in units of the expected B."""

    def __init__(self, kind: Kind, length: int, dim: int, unit: float) -> None:
        self.kind, self.unit = kind, unit
        self.shape = (6 if kind.learned else 4, dim)
        self.size = self.shape[0] * dim
        pairs = [(n, m) for n in range(length + 1) for m in range(length + 1 - n)]
        self.inputs = np.array(pairs, dtype=np.float64)
        # Enough for most of the way, and a quarter of the work; the others join when missed.
        self.edges = np.array([m in (0, length - n) for n, m in pairs])

    def vectors(self, x: Array) -> Array:
        return self.unit * x[..., : self.size].reshape(*x.shape[:-1], *self.shape)

    def errors(self, x: Array) -> Array:
        result: Array = np.abs(outputs(self.kind, self.vectors(x), self.inputs) - self.inputs[:, 0])
        return result

    def room(self, x: Array, bound: Array, slack: Array, used: Array) -> Array:
        """What has to be >= 0: a slack may be added to the 1/2 of the inputs that are used."""
        inputs = self.inputs[used]
        error = outputs(self.kind, self.vectors(x), inputs) - inputs[:, 0]
        most = 0.5 - MARGIN + slack
        squares = (x[..., : self.size].reshape(*x.shape[:-1], *self.shape) ** 2).sum(axis=-1)
        return np.concatenate([most - error, most + error, bound**2 - squares], axis=-1)

    def solve(
        self,
        objective: Callable[[Array], Any],
        slope: Callable[[Array], Array],
        room: Callable[[Array], Array],
        x: Array,
        steps: int,
    ) -> Any:
        constraint = {"type": "ineq", "fun": room, "jac": lambda x: derivatives(room, x)}
        bounds = [(-3, 3)] * self.size + [(0, 3), (0, None)]
        return minimiser()(
            objective,
            x,
            jac=slope,
            method="SLSQP",
            bounds=bounds[: len(x)],
            constraints=constraint,
            options={"maxiter": steps, "ftol": 1e-15},
        )

    def linear(self, weights: Array, room: Callable[[Array], Array], x: Array, steps: int) -> Any:
        return self.solve(lambda x: x @ weights, lambda _: weights, room, x, steps)

    def entered(self, x: Array) -> Array:
        """Vectors and B from a start, with most weight on rounding; the last entry is the slack."""
        weights = np.append(np.zeros(self.size), [0.02, 1])
        x = np.append(x, [np.sqrt((x.reshape(self.shape) ** 2).sum(axis=1)).max(), 0])
        x[-1] = self.errors(x).max()
        found: Array = self.linear(
            weights, lambda x: self.room(x, x[..., -2:-1], x[..., -1:], self.edges), x, 300
        ).x
        return found

    def lowered(self, x: Array) -> Array:
        """The least B from here; inputs off the edges are added where they are missed."""
        weights = np.append(np.zeros(self.size), 1)
        used = self.edges.copy()

        def room(x: Array) -> Array:
            return self.room(x, x[..., -1:], np.zeros(1), used)

        for _ in range(5):
            before = x[-1]
            x = self.linear(weights, room, x, 200).x
            missed = (self.errors(x) > 0.5 - MARGIN) & ~used
            if not missed.any() and not x[-1] < before * (1 - 1e-8):
                break
            used = used | missed
        return x

    def nearest(self, x: Array, bound: float) -> Array:
        """The vectors nearest to these of norm <= B that round every input."""
        used = np.ones(len(self.inputs), dtype=bool)
        goal = x[: self.size]
        found: Array = self.solve(
            lambda x: (x - goal) @ (x - goal) / 2,
            lambda x: x - goal,
            lambda x: self.room(x, np.full((*x.shape[:-1], 1), bound), np.zeros(1), used),
            goal,
            40,
        ).x
        return found

    def run(self, start: Array) -> Array | None:
        """Vectors that count, or None from a start that leads nowhere."""
        x = self.entered(start)
        if not x[-1] < 1e-3:
            return None
        x = self.lowered(x[:-1])
        if not np.isfinite(x).all():
            return None
        bound = float(np.sqrt((self.vectors(x) ** 2).sum(axis=1)).max()) / self.unit
        for power in range(-9, -3):
            if self.errors(x).max() < 0.5 - MARGIN / 2:
                break
            x = self.nearest(x, bound * (1 + 10.0**power))
        return self.vectors(x) if self.errors(x).max() < 0.5 - MARGIN / 2 else None


def raw(kind: Kind, vectors: Array) -> Raw:
    """The very floats, as exact numbers."""
    boundary, space, letter, readout, *norm = [[Fraction(x) for x in v] for v in vectors.tolist()]
    gain, bias = norm or (None, None)
    return Raw(
        boundary,
        space,
        letter,
        readout,
        gain,
        bias,
        attention=kind.attention,
        placement=kind.placement,
    )


def largest_square(vectors: Array) -> Fraction:
    """The square of the largest norm, exactly."""
    return max(sum((Fraction(x) ** 2 for x in v), Fraction(0)) for v in vectors.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("name", KINDS)
def test_an_optimiser_finds_the_upper_end_and_nothing_below(
    name: str, dim: int, length: int
) -> None:
    """Each point that it ends at is decided on every input and its norms are compared exactly."""
    kind, found = KINDS[name], search(name, length, dim, 12)
    problem = Problem(kind, length, dim, float(found.upper))
    reached = (found.upper * (1 + CLOSE)) ** 2
    squares: list[Fraction] = []
    for start in range(MOST):
        if len(squares) >= LEAST and min(squares) <= reached:
            break
        rng = np.random.default_rng([length, dim, start])
        scale = SCALES[start % len(SCALES)] / math.sqrt(dim)
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            vectors = problem.run(scale * rng.normal(size=problem.size))
        if vectors is None:
            continue
        assert exhaustive(raw(kind, vectors), length).verdict == "counts"
        squares.append(largest_square(vectors))
        what = f"B = {math.sqrt(squares[-1])!r}:\n{vectors.tolist()}"
        assert squares[-1] > found.lower**2, f"Said to be impossible: {what}"
        assert squares[-1] > (found.upper * (1 - CLOSE)) ** 2, f"Better than the tool's: {what}"
    assert len(squares) >= LEAST, f"{len(squares)} of {MOST} starts ended at something that counts"
    gap = math.sqrt(min(squares)) / float(found.upper) - 1
    assert min(squares) <= reached, f"{MOST} starts came no nearer than {gap:.1e}"
