"""What the theory says about a trained layer's norms, where it is a layer of the theory."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from countbounds.auditing.dyadic import Dyadic
from countbounds.auditing.layer import Array, TrainedLayer, TrainedNorm
from countbounds.decimals import Bracket, decimal, significant
from countbounds.errors import InputError
from countbounds.rings import Enclosure
from countbounds.variants import all_variants

_DIGITS = 30
_BITS = 256


@dataclass(frozen=True)
class Optimum:
    """How far the norms of a layer could reach, and how small they could be.

    Attributes:
        variant: the layer's name in the theory.
        bound: B, a decimal at or just above the layer's largest norm.
        length: L_max(B, d); None if every length is reached or the theory leaves a gap.
        unbounded: whether every length is reached by some parameters.
        length_lower: a length that is possible at B.
        length_upper: a length beyond which nothing is; None if unbounded.
        smallest_bound: a bracket of B_min for the length that the layer reaches; None
            if it does not count to 1.
    """

    variant: str
    bound: Fraction
    length: int | None
    unbounded: bool
    length_lower: int | None
    length_upper: int | None
    smallest_bound: Bracket | None

    def as_dict(self) -> dict[str, Any]:
        """As the command line prints it in JSON."""
        open_length = self.length is None and not self.unbounded
        return {
            "variant": self.variant,
            "bound": decimal(self.bound),
            "length": "unbounded" if self.unbounded else self.length,
            "length_lower": self.length_lower if open_length else None,
            "length_upper": self.length_upper if open_length else None,
            "smallest_bound": None
            if self.smallest_bound is None
            else self.smallest_bound.as_strings(),
        }


def norms(layer: TrainedLayer) -> dict[str, Bracket]:
    """The Euclidean norm of each vector, and of each projection as one (Frobenius).

    For a classification head the largest norm of a class vector is given.
    """
    squares = {
        f"embedding of {name!r}": _square(row)
        for name, row in zip(layer.names, layer.embedding, strict=True)
    }
    for name, array in layer.arrays().items():
        if name == "read-out" and layer.classifies:
            squares["largest class vector"] = max(_square(row) for row in array)
        elif name not in ("embedding", "read-out bias"):
            squares[name] = _square(array)
    with Enclosure(_BITS) as ring:
        return {name: Bracket.of(ring.sqrt(ring.number(x))) for name, x in squares.items()}


def why_not(layer: TrainedLayer) -> list[str]:
    """In which ways the layer differs from those of the theory; empty if it is one."""
    reasons = []
    if layer.classifies:
        reasons.append("its read-out is a classification head")
    if layer.embedding.shape[1] < 3:
        reasons.append("its vectors have fewer than 3 entries")
    projections = ("query", "key", "value", "output")
    present = [name for name in projections if not getattr(layer, name).is_identity]
    if present:
        reasons.append(f"it has projections ({', '.join(present)})")
    if layer.scale_square != Fraction(1, layer.embedding.shape[1]):
        reasons.append("its scores are not <q, k>/sqrt(d)")
    if layer.residual:
        reasons.append("it has a residual")
    if layer.readout_bias is not None and layer.readout_bias.any():
        reasons.append("its read-out has a bias")
    if layer.before is not None and layer.after is not None:
        reasons.append("it has a norm before and after attention")
    for place, norm in (("before", layer.before), ("after", layer.after)):
        if norm is not None:
            reasons += _norm_reasons(norm, place)
    if not reasons and matching(layer) is None:
        reasons.append("linear attention with such a norm is no row of Table 1")
    return reasons


def _norm_reasons(norm: TrainedNorm, place: str) -> list[str]:
    reasons = []
    if norm.kind != "layer":
        reasons.append(f"its norm {place} attention is RMSNorm")
    if norm.epsilon:
        reasons.append(f"its norm {place} attention has epsilon = {decimal(norm.epsilon)}, not 0")
    if (norm.weight is None) != (norm.bias is None):
        reasons.append(f"its norm {place} attention has only one of gain and bias")
    return reasons


def matching(layer: TrainedLayer) -> str | None:
    """The variant of Table 1 with this attention and norm."""
    norm = layer.before or layer.after
    placement = "none" if norm is None else "post" if layer.before is None else "pre"
    learned = norm is not None and norm.weight is not None
    for variant in all_variants():
        known = variant.layer
        if (known.attention, known.placement, known.learned) == (
            layer.attention,
            placement,
            learned,
        ):
            return variant.name
    return None


def optimum(layer: TrainedLayer, reached: int) -> Optimum:
    """What the layer's norms allow at best, and what its length takes at least.

    Args:
        layer: a layer for which `why_not` is empty.
        reached: the length up to which it counts.

    Raises:
        InputError: if the norms are out of the range that the bounds cover.
    """
    from countbounds.bounds import b_min, l_max

    name = matching(layer)
    if name is None:
        raise InputError("The layer is none of the theory's.")
    dim = int(layer.embedding.shape[1])
    bound = _rounded_up(max(_squares(layer)))
    longest = l_max(name, bound, dim)
    smallest = b_min(name, reached, dim) if reached else None
    return Optimum(
        name,
        bound,
        longest.length,
        longest.unbounded,
        longest.lower,
        longest.upper,
        None if smallest is None else Bracket(smallest.lower, smallest.upper),
    )


def _squares(layer: TrainedLayer) -> list[Fraction]:
    vectors = [*layer.embedding, layer.readout]
    for norm in (layer.before, layer.after):
        if norm is not None:
            vectors += [array for array in (norm.weight, norm.bias) if array is not None]
    return [_square(vector) for vector in vectors]


def _rounded_up(square: Fraction) -> Fraction:
    """A decimal at or just above the square root."""
    with Enclosure(_BITS) as ring:
        root = Bracket.of(ring.sqrt(ring.number(square))).upper
    assert root is not None
    short = significant(root, _DIGITS, up=False)
    return short if short * short == square else significant(root, _DIGITS, up=True)


def _square(array: Array) -> Fraction:
    """The sum of the squares of all entries."""
    column = Dyadic.of(np.ravel(array))
    return (column.transposed @ column).entry(0, 0)
