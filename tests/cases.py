"""Parameters for the tests of the full-domain check: every kind of layer, from dull to nasty.

Embeddings are drawn from a few geometries; the read-out is random, or fitted so that the
layer nearly counts, which makes the place of the worst error anybody's guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from random import Random
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from countbounds import Layer, Model, Parameters
from tests.exhaustive import Raw

Entries = list[Fraction]
Kind = tuple[
    Literal["linear", "softmax"],
    Literal["none", "pre", "post"],
    bool,
    Literal["layer", "rms"],
    bool,
    bool,
    bool,
]

KINDS: tuple[Kind, ...] = tuple(
    (attention, placement, learned, norm, epsilon, residual, readout_bias)
    for attention in ("linear", "softmax")
    for placement in ("none", "pre", "post")
    for learned in (False, True)
    for norm in ("layer", "rms")
    for epsilon in (False, True)
    for residual in (False, True)
    for readout_bias in (False, True)
    if placement != "none" or not (learned or epsilon or norm == "rms")
)
"""Attention, placement, learned, norm, epsilon > 0, residual, read-out bias: all that differ."""


@dataclass(frozen=True)
class Case:
    """Parameters and how they were made."""

    raw: Raw
    geometry: str
    readout: str


def model_of(raw: Raw) -> Model:
    """The package's model with the same parameters."""
    layer = Layer(
        attention=raw.attention,
        placement=raw.placement,
        learned=raw.gain is not None,
        norm=raw.norm,
        epsilon=raw.epsilon,
        residual=raw.residual,
    )
    parameters = Parameters.of(
        raw.boundary, raw.space, raw.letter, raw.readout, raw.gain, raw.bias, raw.readout_bias
    )
    return Model(layer, parameters)


def draw(rng: Random, kind: Kind, length: int) -> Case:
    """One case of a kind."""
    if kind[1] == "post" and rng.random() < 0.6:
        attempts = (_ridge(rng, kind, length) for _ in range(8))
        ridge = next((raw for raw in attempts if raw is not None), None)
        if ridge is not None:
            return Case(ridge, "ridge", "aimed")
    d = rng.choice((3, 3, 4, 5, 6))
    geometry = rng.choice(list(_GEOMETRIES))
    boundary, space, letter = _GEOMETRIES[geometry](rng, d, length)
    raw = _complete(rng, kind, boundary, space, letter)
    readout = rng.choice(("random", "fitted", "fitted", "minimax", "minimax", "zero"))
    if readout == "zero":
        bias = Fraction(rng.randint(0, 2 * length), 2) if raw.readout_bias else Fraction(0)
        raw = replace(raw, readout=[Fraction(0)] * d, readout_bias=bias)
    elif readout != "random":
        raw = fitted(raw, length, rounds=0 if readout == "fitted" else rng.randint(2, 12))
    return Case(raw, geometry, readout)


def _complete(rng: Random, kind: Kind, boundary: Entries, space: Entries, letter: Entries) -> Raw:
    """The options of a kind, with a random read-out, around three embeddings."""
    attention, placement, learned, norm, epsilon, residual, readout_bias = kind
    d = len(boundary)
    unit = max(map(abs, _centred(space)))
    if residual and attention == "softmax" and rng.random() < 0.8:
        space, letter = _minus(space, boundary), _minus(letter, boundary)
    boundary, space, letter = _modest(boundary, space, letter)
    return Raw(
        boundary,
        space,
        letter,
        readout=_vector(rng, d, rng.choice((1, 3, 10))),
        gain=_gain(rng, d, Fraction(1, 4) if placement == "pre" else 1) if learned else None,
        bias=_vector(rng, d, 1) if learned else None,
        readout_bias=Fraction(rng.randint(-6, 6), 4) if readout_bias else Fraction(0),
        attention=attention,
        placement=placement,
        norm=norm,
        epsilon=_epsilon(rng, unit) if epsilon else Fraction(0),
        residual=residual,
    )


def _ridge(rng: Random, kind: Kind, length: int) -> Raw | None:
    """An output largest along a line m = s n across the domain, its worst input inside.

    None where the attempt fails. The embeddings are small, so that all weights are about
    equal; the read-out lies along the space's axis, with a length that is tried in floats.
    """
    d = rng.choice((3, 4, 5, 6))
    one, two, three = _axes(d)
    mean = int(kind[3] == "layer")
    unit = rng.choice((Fraction(1, 1000), Fraction(1, 10_000)))
    reach = Fraction(int((length**3 * rng.uniform(0.02, 1)) ** 0.5) + 1)
    side = Fraction(rng.randint(5, 150), 100)
    lean = Fraction(rng.randint(0, 150), 100)
    bite = rng.choice((0, 1)) * Fraction(rng.randint(-20, 20), 100 * length)
    raw = _complete(
        rng,
        kind,
        [unit * reach * y + mean for y in two],
        [unit * (x - side * lean * z) + mean for x, z in zip(one, three, strict=True)],
        [unit * (bite * x + side * z) + mean for x, z in zip(one, three, strict=True)],
    )
    axis = one
    if raw.gain is not None and raw.bias is not None:
        gain = [g or Fraction(1) for g in raw.gain]
        raw = replace(raw, bias=[b / 1000 for b in raw.bias], gain=gain)
        axis = [x / g for x, g in zip(axis, gain, strict=True)]
    inputs = _inputs(length)
    output = _hidden(raw, inputs) @ np.array(axis, float)
    output = output - output[0]
    step = float(output[length + 1])  # the input (1, 0) comes after (0, 0) to (0, L)
    if not np.isfinite(output).all() or abs(step) < 1e-9:
        return None
    for _ in range(20):
        slope = (1 + rng.uniform(0, 0.7) ** 2) / step
        shift = rng.uniform(-0.1, 0.3)
        error = slope * output + (shift if raw.readout_bias else 0) - inputs[:, 0]
        n, m = inputs[np.argmax(np.abs(error))]
        if n > 0 and 0 < m < length - n:
            bias = _short(shift) if raw.readout_bias else Fraction(0)
            return replace(raw, readout=[_short(slope) * x for x in axis], readout_bias=bias)
    return None


def _inputs(length: int) -> NDArray[Any]:
    return np.array([(n, m) for n in range(length + 1) for m in range(length - n + 1)], float)


def _short(x: float) -> Fraction:
    return Fraction(f"{x:.9g}")


def fitted(raw: Raw, length: int, rounds: int) -> Raw:
    """The same embeddings with the read-out that counts best, in floats.

    Least squares over the domain; each further round gives more weight to the inputs that
    are off (Lawson's iteration towards the smallest worst error).
    """
    inputs = _inputs(length)
    hidden = _hidden(raw, inputs)
    if not np.isfinite(hidden).all():
        return raw
    target = inputs[:, 0]
    free_bias = raw.readout_bias != 0
    columns = np.column_stack([hidden, np.ones(len(inputs))]) if free_bias else hidden
    weights = np.ones(len(inputs)) / len(inputs)
    solution = np.zeros(columns.shape[1])
    for _ in range(rounds + 1):
        root = np.sqrt(weights)
        solution = np.linalg.lstsq(columns * root[:, None], target * root, rcond=1e-13)[0]
        error = np.abs(columns @ solution - target) + 1e-12
        weights = weights * error
        weights /= weights.sum()
    if not np.isfinite(solution).all() or np.abs(solution).max() > 1e12:
        return raw
    numbers = [_short(x) for x in solution]
    if free_bias:
        return replace(raw, readout=numbers[:-1], readout_bias=numbers[-1])
    return replace(raw, readout=numbers)


def _hidden(raw: Raw, inputs: NDArray[Any]) -> NDArray[Any]:
    """What the read-out sees at each input, in floats."""
    d = len(raw.boundary)

    def norm(rows: NDArray[Any]) -> NDArray[Any]:
        if raw.norm == "layer":
            rows = rows - rows.mean(axis=1, keepdims=True)
        rows = rows / np.sqrt((rows * rows).mean(axis=1, keepdims=True) + float(raw.epsilon))
        if raw.gain is not None and raw.bias is not None:
            rows = rows * np.array(raw.gain, float) + np.array(raw.bias, float)
        return rows

    with np.errstate(all="ignore"):
        tokens = np.array([raw.boundary, raw.space, raw.letter], float)
        embedding = tokens[0]
        tokens = norm(tokens) if raw.placement == "pre" else tokens
        scores = tokens @ tokens[0] / np.sqrt(d)
        counts = np.column_stack([np.ones(len(inputs)), inputs])
        if raw.attention == "softmax":
            weights = counts * np.exp(scores - scores[0])
            weights = weights / weights.sum(axis=1, keepdims=True)
        else:
            weights = counts * scores
        rows = weights @ tokens
        rows = rows + embedding if raw.residual else rows
        return norm(rows) if raw.placement == "post" else rows


# --- embeddings -------------------------------------------------------------------------

Geometry = Callable[[Random, int, int], tuple[Entries, Entries, Entries]]


def _vector(rng: Random, d: int, scale: Fraction | int) -> Entries:
    return [Fraction(rng.randint(-20, 20), rng.choice((1, 2, 5, 10))) * scale for _ in range(d)]


def _gain(rng: Random, d: int, scale: Fraction | int) -> Entries:
    return rng.choice((_vector(rng, d, scale), [Fraction(rng.randint(1, 3))] * d))


def _modest(boundary: Entries, *others: Entries) -> Iterator[Entries]:
    """The embeddings, shrunk together where a weight would be beyond e^(+-200)."""
    largest = max(abs(_dot(boundary, key)) for key in (boundary, *others))
    factor = Fraction(1, max(1, isqrt(int(largest / 200)) + 1))
    for vector in (boundary, *others):
        yield [factor * x for x in vector]


def _epsilon(rng: Random, unit: Fraction) -> Fraction:
    tiny = unit * unit * Fraction(rng.randint(1, 100), 100)
    return rng.choice(
        (Fraction(1, 100_000), Fraction(1, 2), tiny or Fraction(1), tiny or Fraction(1))
    )


def _random(rng: Random, d: int, length: int) -> tuple[Entries, Entries, Entries]:
    scale = rng.choice((Fraction(1, 10), Fraction(1, 4), Fraction(1), Fraction(2)))
    return _vector(rng, d, scale), _vector(rng, d, scale), _vector(rng, d, scale)


def _spread(rng: Random, d: int, length: int) -> tuple[Entries, Entries, Entries]:
    """A boundary vector much longer than the space's and across it; a letter that bites."""
    one, two, third = _axes(d)
    unit = rng.choice((Fraction(1, 100), Fraction(1, 1000), Fraction(1, 20)))
    reach = Fraction(int(length**1.5 * rng.uniform(0.5, 2)) + 1)
    mean = rng.choice((Fraction(0), Fraction(1), Fraction(1, 2)))
    boundary = [unit * reach * y + mean for y in two]
    space = [unit * x + mean for x in one]
    bite = Fraction(rng.randint(-100, 100), 100 * length)
    side = rng.choice((Fraction(0), Fraction(rng.randint(-100, 100), 30)))
    along = rng.choice((Fraction(0), Fraction(rng.randint(-100, 100), 100)))
    back = rng.choice((Fraction(0), -Fraction(rng.randint(0, 100), 100)))
    letter = [
        unit * (bite * x + along * y + side * z) + mean
        for x, y, z in zip(one, two, third, strict=True)
    ]
    space = [s + unit * back * side * z for s, z in zip(space, third, strict=True)]
    return boundary, space, letter


def _degenerate(rng: Random, d: int, length: int) -> tuple[Entries, Entries, Entries]:
    """Some vector zero, equal to another, opposite to it, or a multiple of all ones."""
    vectors = [_vector(rng, d, Fraction(1, 4)) for _ in range(3)]
    for _ in range(rng.randint(1, 2)):
        i, j = rng.sample(range(3), 2)
        factor, shift = rng.choice(((0, 0), (1, 0), (-1, 0), (0, 1), (2, 1), (1, 1), (-1, 1)))
        vectors[i] = [factor * x + shift for x in vectors[j]]
    return vectors[0], vectors[1], vectors[2]


def _collinear(rng: Random, d: int, length: int) -> tuple[Entries, Entries, Entries]:
    """Three multiples of one vector, each with its own multiple of all ones."""
    base = _vector(rng, d, Fraction(1, 4))
    result = []
    for _ in range(3):
        factor = Fraction(rng.randint(-4, 4), rng.choice((1, 2, 3)))
        shift = Fraction(rng.choice((0, 0, 1, -1)))
        result.append([factor * x + shift for x in base])
    return result[0], result[1], result[2]


def _level(rng: Random, d: int, length: int) -> tuple[Entries, Entries, Entries]:
    """Equal scores (so the softmax weights are 1) and small integers: ties are common."""
    boundary = [Fraction(rng.randint(-2, 2)) for _ in range(d)]
    space = [Fraction(rng.randint(-2, 2)) for _ in range(d)]
    letter = rng.choice((space, [Fraction(0)] * d, [Fraction(rng.randint(-2, 2)) for _ in space]))
    return levelled(boundary, space, letter)


def _vanishing(rng: Random, d: int, length: int) -> tuple[Entries, Entries, Entries]:
    """Equal scores, and a sum of the tokens that vanishes (or nearly) at some input."""
    n, m = rng.randint(0, length), rng.randint(1, length)
    space = [Fraction(rng.randint(-3, 3)) for _ in range(d)]
    letter = [Fraction(rng.randint(-3, 3)) for _ in range(d)]
    if rng.random() < 0.3:
        letter = [Fraction(rng.randint(-2, 2)) * x for x in space]
    off = rng.choice((Fraction(0), Fraction(0), Fraction(1, 2), Fraction(1, 100)))
    boundary = [-n * x - (m + off) * y for x, y in zip(space, letter, strict=True)]
    return levelled(boundary, space, letter)


def levelled(
    boundary: Entries, space: Entries, letter: Entries
) -> tuple[Entries, Entries, Entries]:
    """The vectors across all ones, each shifted along all ones so that all scores are equal."""
    d = len(boundary)
    boundary, space, letter = (_centred(v) for v in (boundary, space, letter))
    square = d + _dot(boundary, boundary)
    shifted = [[x + 1 for x in boundary]]
    for other in (space, letter):
        shifted.append([y + (square - _dot(boundary, other)) / d for y in other])
    return shifted[0], shifted[1], shifted[2]


def _minus(x: Entries, y: Entries) -> Entries:
    return [a - b for a, b in zip(x, y, strict=True)]


def _dot(x: Entries, y: Entries) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))


def _centred(vector: Sequence[Fraction]) -> Entries:
    mean = sum(vector, Fraction(0)) / len(vector)
    return [x - mean for x in vector]


def _axes(d: int) -> tuple[Entries, Entries, Entries]:
    """Orthogonal vectors; across all ones too, save the third for d = 3."""
    axes = ((1, -1, 0), (1, 1, -2), (1, 1, 1)) if d == 3 else _FOUR
    one, two, three = ([Fraction(x) for x in axis] + [Fraction(0)] * (d - 4) for axis in axes)
    return one, two, three


_FOUR = ((1, -1, 0, 0), (0, 0, 1, -1), (1, 1, -1, -1))

_GEOMETRIES: dict[str, Geometry] = {
    "random": _random,
    "spread": _spread,
    "degenerate": _degenerate,
    "collinear": _collinear,
    "level": _level,
    "vanishing": _vanishing,
}
