"""An oracle for the full-domain check: every input, one by one, through the layer's own steps.

It shares no code with the package: lists of fractions in, arb balls inside. What the last
precision cannot tell apart (two errors, an error and 1/2, a vector and zero) it takes to be
equal: numbers as simple as those of the tests differ long before that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import flint

Ball = Any
Input = tuple[int, int]

_PRECISIONS = (192, 640, 2560)


@dataclass(frozen=True)
class Raw:
    """A layer and its parameters as plain values; a learned norm is one that has a gain."""

    boundary: Sequence[Fraction]
    space: Sequence[Fraction]
    letter: Sequence[Fraction]
    readout: Sequence[Fraction]
    gain: Sequence[Fraction] | None = None
    bias: Sequence[Fraction] | None = None
    readout_bias: Fraction = Fraction(0)
    attention: Literal["linear", "softmax"] = "softmax"
    placement: Literal["none", "pre", "post"] = "none"
    norm: Literal["layer", "rms"] = "layer"
    epsilon: Fraction = Fraction(0)
    residual: bool = False


@dataclass(frozen=True)
class Answer:
    """What the oracle found.

    Attributes:
        verdict: whether every |y - n| is below 1/2.
        error: the largest |y - n|; None where y is undefined somewhere.
        inputs: all inputs at which y is undefined; if there are none, all that share the
            worst error. The least comes first.
    """

    verdict: Literal["counts", "fails"]
    error: Ball | None
    inputs: tuple[Input, ...]


def exhaustive(raw: Raw, length: int) -> Answer:
    """Evaluate y at every input of the domain."""
    inputs = [(n, m) for n in range(length + 1) for m in range(length - n + 1)]
    found = outputs(raw, inputs, _PRECISIONS[0])
    vague = [at for at, y in found.items() if not y.is_finite()]
    found |= outputs(raw, vague, _PRECISIONS[-1])
    undefined = tuple(sorted(at for at in vague if not found[at].is_finite()))
    if undefined:
        return Answer("fails", None, undefined)
    for bits, finer in zip(_PRECISIONS, (*_PRECISIONS[1:], None), strict=True):
        with flint.ctx.workprec(bits):
            errors = {at: abs(y - at[0]) for at, y in found.items()}
            floor = max(error.abs_lower() for error in errors.values())
            worst = sorted(at for at, error in errors.items() if not error < floor)
            error = errors[worst[0]]
            below, above = bool(2 * error < 1), bool(2 * error > 1)
        if finer is None or (len(worst) == 1 and (below or above)):
            return Answer("counts" if below else "fails", error, tuple(worst))
        found = outputs(raw, worst, finer)
    raise AssertionError("unreachable")


def outputs(raw: Raw, inputs: Iterable[Input], bits: int) -> dict[Input, Ball]:
    """y at each input, as balls; not finite where a ball that may be zero divides."""
    with flint.ctx.workprec(bits):
        layer = _Layer(raw)
        return {at: layer.output(*at) for at in inputs}


class _Layer:
    def __init__(self, raw: Raw) -> None:
        self.raw = raw
        self.root_d = flint.arb(len(raw.boundary)).sqrt()
        self.readout = _balls(raw.readout)
        self.readout_bias = _ball(raw.readout_bias)
        self.embedding = _balls(raw.boundary)
        self.tokens = [_balls(raw.boundary), _balls(raw.space), _balls(raw.letter)]
        if raw.placement == "pre":
            self.tokens = [self.normalise(token) for token in self.tokens]
        query = self.tokens[0]
        self.scores = [_dot(query, key) / self.root_d for key in self.tokens]

    def normalise(self, z: list[Ball]) -> list[Ball]:
        raw, d = self.raw, len(z)
        if raw.norm == "layer":
            mean = sum(z, flint.arb(0)) / d
            z = [entry - mean for entry in z]
        root = (_dot(z, z) + d * _ball(raw.epsilon)).sqrt()
        z = [self.root_d * entry / root for entry in z]
        if raw.gain is not None and raw.bias is not None:
            gain, bias = _balls(raw.gain), _balls(raw.bias)
            z = [g * entry + b for g, entry, b in zip(gain, z, bias, strict=True)]
        return z

    def output(self, n: int, m: int) -> Ball:
        present = [(i, count) for i, count in enumerate((1, n, m)) if count]
        if self.raw.attention == "softmax":
            powers = [count * (self.scores[i] - self.scores[0]).exp() for i, count in present]
            total = sum(powers, flint.arb(0))
            weights = [power / total for power in powers]
        else:
            weights = [count * self.scores[i] for i, count in present]
        tokens = [self.tokens[i] for i, _ in present]
        hidden = [_dot(weights, list(entries)) for entries in zip(*tokens, strict=True)]
        if self.raw.residual:
            hidden = [h + x for h, x in zip(hidden, self.embedding, strict=True)]
        if self.raw.placement == "post":
            hidden = self.normalise(hidden)
        return _dot(self.readout, hidden) + self.readout_bias


def _ball(value: Fraction) -> Ball:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _balls(values: Sequence[Fraction]) -> list[Ball]:
    return [_ball(value) for value in values]


def _dot(x: list[Ball], y: list[Ball]) -> Ball:
    return sum((a * b for a, b in zip(x, y, strict=True)), flint.arb(0))
