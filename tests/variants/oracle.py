"""An oracle for the constructions: their vectors as balls, every input one by one.

The closed forms are turned into balls entry by entry; the layer is written out here once
more, so that nothing of the package's forward pass, reduction or domain check is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import flint

from countbounds.layer import Layer, Parameters
from countbounds.rings import Enclosure

Ball = Any
Input = tuple[int, int]

BITS = 400
_NARROW = 2.0**-300


@dataclass(frozen=True)
class Outcome:
    """The errors |y(n, m) - n| as balls, for every input of the domain."""

    errors: dict[Input, Ball]

    @property
    def counts(self) -> bool:
        """Whether every error is below 1/2; what is not told apart from 1/2 is taken to be 1/2."""
        assert all(error.rad() < _NARROW for error in self.errors.values())
        return all(2 * error < 1 for error in self.errors.values())

    @property
    def largest(self) -> tuple[Ball, Ball]:
        """Bounds of the largest error."""
        lowers = [error.abs_lower() for error in self.errors.values()]
        uppers = [error.abs_upper() for error in self.errors.values()]
        return max(lowers), max(uppers)


def brute_force(layer: Layer, parameters: Parameters, length: int) -> Outcome:
    """Evaluate the layer at every input."""
    with Enclosure(BITS) as ring:
        balls = parameters.on(ring)
        vectors = {name: list(vector.entries()) for name, vector in balls.vectors().items()}
        tokens = [vectors[name] for name in ("boundary", "space", "letter")]
        gain, bias = vectors.get("gain"), vectors.get("bias")
        root = flint.arb(len(tokens[0])).sqrt()

        def normalised(z: list[Ball]) -> list[Ball]:
            mean = _sum(z) / len(z)
            centred = [x - mean for x in z]
            size = _dot(centred, centred).sqrt()
            unit = [root * x / size for x in centred]
            if gain is None or bias is None:
                return unit
            return [g * x + b for g, x, b in zip(gain, unit, bias, strict=True)]

        if layer.placement == "pre":
            tokens = [normalised(token) for token in tokens]
        scores = [_dot(tokens[0], token) / root for token in tokens]

        def output(n: int, m: int) -> Ball:
            counts = (1, n, m)
            weights = [score * count for score, count in zip(scores, counts, strict=True)]
            if layer.attention == "softmax":
                powers = [
                    (score - scores[0]).exp() * count
                    for score, count in zip(scores, counts, strict=True)
                ]
                total = _sum(powers)
                weights = [power / total for power in powers]
            hidden = [_dot(weights, list(column)) for column in zip(*tokens, strict=True)]
            if layer.placement == "post":
                hidden = normalised(hidden)
            return _dot(vectors["readout"], hidden)

        inputs = [(n, m) for n in range(length + 1) for m in range(length - n + 1)]
        return Outcome({(n, m): abs(output(n, m) - n) for n, m in inputs})


def _sum(values: list[Ball]) -> Ball:
    return sum(values, flint.arb(0))


def _dot(x: list[Ball], y: list[Ball]) -> Ball:
    return _sum([a * b for a, b in zip(x, y, strict=True)])
