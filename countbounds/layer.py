"""The attention layer and its parameters.

Tokens: one boundary token, spaces (counted) and letters (not counted). See
docs/theory.md for the model and how it was read from the paper.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from countbounds.compare import compare
from countbounds.errors import InputError
from countbounds.expressions import evaluate, rational, real
from countbounds.rings import Ring
from countbounds.vectors import Vector

_NO_BIAS = rational(0)

Attention = Literal["linear", "softmax"]
Placement = Literal["none", "pre", "post"]
Norm = Literal["layer", "rms"]


@dataclass(frozen=True)
class Layer:
    """One attention layer.

    Attributes:
        attention: "softmax" normalises the weights, "linear" does not.
        placement: where the norm sits: "none", "pre" (each token vector, before
            attention) or "post" (the attention output).
        learned: whether the norm has a gain and a bias.
        norm: "layer" subtracts the mean and divides by the standard deviation; "rms"
            divides by the root mean square.
        epsilon: added to the variance (or mean square) under the root; >= 0, exact.
        residual: whether the boundary token's own embedding is added to the attention
            output (before the norm in post-LN).
    """

    attention: Attention = "softmax"
    placement: Placement = "none"
    learned: bool = False
    norm: Norm = "layer"
    epsilon: Any = 0
    residual: bool = False

    def __post_init__(self) -> None:
        """Check every option.

        Raises:
            InputError: if an option is not one of those listed.
        """
        allowed: dict[str, tuple[object, ...]] = {
            "attention": ("linear", "softmax"),
            "placement": ("none", "pre", "post"),
            "norm": ("layer", "rms"),
            "learned": (False, True),
            "residual": (False, True),
        }
        for name, choices in allowed.items():
            value = getattr(self, name)
            if value not in choices:
                listed = " or ".join(repr(choice) for choice in choices)
                raise InputError(f"Layer {name} is {listed}, not {value!r}.")
        if self.learned and self.placement == "none":
            raise InputError('A learned norm needs placement "pre" or "post".')
        epsilon = real(self.epsilon)
        if compare(epsilon, 0) < 0:
            raise InputError("Layer epsilon must be >= 0.")
        object.__setattr__(self, "epsilon", epsilon)


@dataclass(frozen=True)
class Parameters:
    """The trainable vectors, all in R^d, d >= 3 (dimensionless).

    Attributes:
        boundary: embedding of the boundary token, x_#.
        space: embedding of the counted token, x_s.
        letter: embedding of the other token, x_l.
        readout: the read-out vector w.
        gain: the norm's gain g, for a learned norm.
        bias: the norm's bias b, for a learned norm.
        readout_bias: a scalar added to the read-out; 0 in the model of the paper.
    """

    boundary: Vector
    space: Vector
    letter: Vector
    readout: Vector
    gain: Vector | None = None
    bias: Vector | None = None
    readout_bias: Any = _NO_BIAS

    @staticmethod
    def of(
        boundary: Any,
        space: Any,
        letter: Any,
        readout: Any,
        gain: Any = None,
        bias: Any = None,
        readout_bias: Any = 0,
    ) -> Parameters:
        """Parameters from sequences of numbers, each read exactly.

        Raises:
            InputError: if a sequence is empty or holds something that is not a number,
                or the dimensions differ.

        >>> p = Parameters.of([1, 0, 0], [0, 0.5, 0], [0, 0, 0], ["1/3", 0, 0])
        >>> p.dim
        3
        """
        given = (boundary, space, letter, readout, gain, bias)
        vectors = [
            value if value is None or isinstance(value, Vector) else Vector.of(value)
            for value in given
        ]
        return Parameters(*vectors, readout_bias=readout_bias)  # type: ignore[arg-type, misc]

    def __post_init__(self) -> None:
        """Check that all vectors share one dimension >= 3.

        Raises:
            InputError: otherwise.
        """
        dims = {vector.dim for vector in self.vectors().values()}
        if len(dims) > 1:
            raise InputError(f"All vectors need the same dimension; here are {sorted(dims)}.")
        if isinstance(self.dim, int) and self.dim < 3:
            raise InputError(f"Vectors have at least 3 entries, not {self.dim}.")

    @property
    def dim(self) -> Any:
        """The dimension d."""
        return self.boundary.dim

    def vectors(self) -> dict[str, Vector]:
        """The trainable vectors that are present, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, Vector)}

    def on(self, ring: Ring, memo: dict[int, Any] | None = None) -> Parameters:
        """The same parameters with every closed form evaluated on a ring."""
        memo = {} if memo is None else memo
        vectors = {name: vector.on(ring, memo) for name, vector in self.vectors().items()}
        bias = evaluate(real(self.readout_bias), ring, None, memo)
        return replace(self, **vectors, **{"readout_bias": bias})
