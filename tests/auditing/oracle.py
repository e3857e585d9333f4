"""An oracle for audits: every input, one by one, through the layer's own steps in arb.

It shares no code with the package beyond `TrainedLayer`, the plain numbers: projections are
applied entry by entry to balls, and nothing is reduced to a curve.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import flint

from countbounds.auditing.layer import Affine, Array, TrainedLayer, TrainedNorm

Ball = Any
BITS = 320


def inputs(length: int, fillers: int) -> Iterator[tuple[int, ...]]:
    """Every (n, m_1, ..., m_k) with sum <= L, in lexicographic order."""
    for n in range(length + 1):
        if fillers == 0:
            yield (n,)
        else:
            for rest in inputs(length - n, fillers - 1):
                yield (n, *rest)


class Direct:
    """A layer's forward pass in balls; to be used at a working precision of `BITS`."""

    def __init__(self, layer: TrainedLayer) -> None:
        self.layer = layer
        tokens = [[flint.arb(x) for x in row] for row in layer.embedding.tolist()]
        seen = [_norm(layer.before, token) for token in tokens]
        scale = _ball(layer.scale_square).sqrt()
        query = _affine(layer.query, seen[0])
        scores = [_dot(query, _affine(layer.key, token)) * scale for token in seen]
        self.values = [_affine(layer.value, token) for token in seen]
        softmax = layer.attention == "softmax"
        self.shares = [(score - scores[0]).exp() for score in scores] if softmax else scores
        self.boundary = tokens[0]
        self.rows = [[flint.arb(x) for x in row] for row in layer.readout.tolist()]
        bias = layer.readout_bias
        self.bias = [flint.arb(x) for x in ([0.0] * len(self.rows) if bias is None else bias)]

    def outputs(self, counts: tuple[int, ...]) -> list[Ball] | None:
        """The read-out at one input; None where a norm divides by zero."""
        weights = [s * c for s, c in zip(self.shares, (1, *counts), strict=True)]
        if self.layer.attention == "softmax":
            total = sum(weights, flint.arb(0))
            weights = [weight / total for weight in weights]
        mixed = [
            _dot(weights, [value[i] for value in self.values]) for i in range(len(self.values[0]))
        ]
        hidden = _affine(self.layer.output, mixed)
        if self.layer.residual:
            hidden = [a + b for a, b in zip(hidden, self.boundary, strict=True)]
        try:
            hidden = _norm(self.layer.after, hidden)
        except ZeroDivisionError:
            return None
        return [_dot(row, hidden) + b for row, b in zip(self.rows, self.bias, strict=True)]


def _ball(value: Fraction) -> Ball:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _dot(left: list[Ball], right: list[Ball]) -> Ball:
    return sum((a * b for a, b in zip(left, right, strict=True)), flint.arb(0))


def _array(array: Array | None) -> list[Ball] | None:
    return None if array is None else [flint.arb(x) for x in array.tolist()]


def _affine(affine: Affine, vector: list[Ball]) -> list[Ball]:
    if affine.weight is not None:
        rows = [[flint.arb(x) for x in row] for row in affine.weight.tolist()]
        vector = [_dot(row, vector) for row in rows]
    bias = _array(affine.bias)
    return vector if bias is None else [a + b for a, b in zip(vector, bias, strict=True)]


def _norm(norm: TrainedNorm | None, vector: list[Ball]) -> list[Ball]:
    if norm is None:
        return vector
    if norm.kind == "layer":
        mean = sum(vector, flint.arb(0)) / len(vector)
        vector = [x - mean for x in vector]
    square = _dot(vector, vector) / len(vector) + _ball(norm.epsilon)
    if square.contains(0):
        raise ZeroDivisionError
    vector = [x / square.sqrt() for x in vector]
    gain, bias = _array(norm.weight), _array(norm.bias)
    if gain is not None:
        vector = [a * b for a, b in zip(vector, gain, strict=True)]
    return vector if bias is None else [a + b for a, b in zip(vector, bias, strict=True)]
