"""A trained layer: the exact numbers of its weights, and the options it was run with.

One attention layer with one head, read at the boundary token, which attends to itself and
to every other token. Its weights are doubles that hold the stored numbers exactly (float16,
bfloat16, float32 and float64 all fit); everything said about the layer is about real
arithmetic on those numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from countbounds.errors import InputError

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Affine:
    """A projection x -> W x + b.

    Attributes:
        weight: W, of shape (outputs, inputs), or None for the identity.
        bias: b, of shape (outputs,), or None for zero.
    """

    weight: Array | None = None
    bias: Array | None = None

    def size(self, inputs: int) -> int:
        """The number of outputs for so many inputs."""
        return inputs if self.weight is None else int(self.weight.shape[0])

    @property
    def is_identity(self) -> bool:
        """Whether it provably changes nothing."""
        plain = self.weight is None or (
            self.weight.shape[0] == self.weight.shape[1]
            and bool((self.weight == np.eye(len(self.weight))).all())
        )
        return plain and (self.bias is None or not self.bias.any())


@dataclass(frozen=True, eq=False)
class TrainedNorm:
    """A norm z -> weight * (z - mean)/sqrt(variance + epsilon) + bias.

    Attributes:
        kind: "layer" (LayerNorm), or "rms" (RMSNorm: no mean, mean square in place of the
            variance).
        epsilon: added under the root; >= 0, exact.
        weight: the gain, of shape (d,), or None for ones.
        bias: of shape (d,), or None for zeros.
    """

    kind: Literal["layer", "rms"] = "layer"
    epsilon: Fraction = Fraction(0)
    weight: Array | None = None
    bias: Array | None = None


@dataclass(frozen=True, eq=False)
class TrainedLayer:
    """A layer as it was trained (all numbers dimensionless).

    Attributes:
        embedding: of shape (tokens, d): the boundary token, the counted token, then any
            number of fillers (none is allowed), in this order.
        names: a name for each of these tokens.
        readout: of shape (outputs, d_out); one row is a regression read-out, and in a
            classification head row k stands for the count k.
        readout_bias: of shape (outputs,), or None for zeros.
        classifies: whether the read-out is a classification head (decoded by argmax)
            rather than a number that is rounded.
        attention: "softmax" or "linear" (the scores are the weights).
        scale_square: the square of the factor of <q, k> in the scores: 1/d_k, or 1.
        query, key, value, output: the projections.
        before: the norm each token vector passes before attention, if there is one.
        after: the norm the attention output passes (after the residual), if there is one.
        residual: whether the boundary token's embedding is added to the attention output.
    """

    embedding: Array
    names: tuple[str, ...]
    readout: Array
    readout_bias: Array | None = None
    classifies: bool = False
    attention: Literal["softmax", "linear"] = "softmax"
    scale_square: Fraction = Fraction(1)
    query: Affine = field(default_factory=Affine)
    key: Affine = field(default_factory=Affine)
    value: Affine = field(default_factory=Affine)
    output: Affine = field(default_factory=Affine)
    before: TrainedNorm | None = None
    after: TrainedNorm | None = None
    residual: bool = False

    def __post_init__(self) -> None:
        """Check that everything is finite and fits together.

        Raises:
            InputError: if a shape does not fit, a number is not finite, or an option is
                out of range.
        """
        for name, array in self.arrays().items():
            if not np.isfinite(array).all():
                where = ", ".join(str(i) for i in np.argwhere(~np.isfinite(array))[0])
                raise InputError(
                    f"The {name} holds a number that is not finite (at [{where}]); "
                    "only finite weights can be audited."
                )
        if self.embedding.ndim != 2 or len(self.embedding) < 2 or not self.embedding.shape[1]:
            raise InputError(
                "The embedding is a matrix with a row for the boundary token and one for the "
                f"counted token at least, not of shape {self.embedding.shape}."
            )
        if len(self.names) != len(self.embedding):
            raise InputError(
                f"{len(self.embedding)} tokens need as many names, not {len(self.names)}."
            )
        d = int(self.embedding.shape[1])
        self._check_norm("norm before attention", self.before, d)
        d_k = self._check_affine("query", self.query, d)
        if self._check_affine("key", self.key, d) != d_k:
            raise InputError(f"Query and key need the same size, not {d_k} and {self.key.size(d)}.")
        d_v = self._check_affine("value", self.value, d)
        d_out = self._check_affine("output", self.output, d_v)
        if self.residual and d_out != d:
            raise InputError(
                f"A residual needs an attention output of size {d}, as the embedding has, "
                f"not {d_out}."
            )
        self._check_norm("norm after attention", self.after, d_out)
        if self.readout.ndim != 2 or not len(self.readout) or self.readout.shape[1] != d_out:
            raise InputError(
                f"The read-out needs rows of {d_out} numbers, as many as the layer has outputs; "
                f"its shape is {self.readout.shape}."
            )
        if not self.classifies and len(self.readout) != 1:
            raise InputError(
                f"A regression read-out is one row, not {len(self.readout)}; several rows are a "
                "classification head."
            )
        if self.readout_bias is not None and self.readout_bias.shape != (len(self.readout),):
            raise InputError(
                f"The read-out's bias needs {len(self.readout)} numbers; its shape is "
                f"{self.readout_bias.shape}."
            )
        if self.attention not in ("softmax", "linear"):
            raise InputError(f'Attention is "softmax" or "linear", not {self.attention!r}.')
        if self.scale_square <= 0:
            raise InputError("The factor of the scores is a number > 0.")

    @property
    def fillers(self) -> int:
        """The number of tokens beside the boundary and the counted one."""
        return len(self.embedding) - 2

    def arrays(self) -> dict[str, Array]:
        """Every stored array by its role, in the order of the forward pass."""
        found: dict[str, Array | None] = {"embedding": self.embedding}
        if self.before is not None:
            found["gain of the norm before attention"] = self.before.weight
            found["bias of the norm before attention"] = self.before.bias
        for name in ("query", "key", "value", "output"):
            affine: Affine = getattr(self, name)
            found[f"{name} weight"] = affine.weight
            found[f"{name} bias"] = affine.bias
        if self.after is not None:
            found["gain of the norm after attention"] = self.after.weight
            found["bias of the norm after attention"] = self.after.bias
        found["read-out"] = self.readout
        found["read-out bias"] = self.readout_bias
        return {name: array for name, array in found.items() if array is not None}

    @staticmethod
    def _check_affine(name: str, affine: Affine, inputs: int) -> int:
        if affine.weight is not None and (
            affine.weight.ndim != 2 or affine.weight.shape[1] != inputs or not len(affine.weight)
        ):
            raise InputError(
                f"The {name} projection needs the shape (outputs, {inputs}), "
                f"not {affine.weight.shape}."
            )
        outputs = affine.size(inputs)
        if affine.bias is not None and affine.bias.shape != (outputs,):
            raise InputError(
                f"The {name} bias needs the shape ({outputs},), not {affine.bias.shape}."
            )
        return outputs

    @staticmethod
    def _check_norm(name: str, norm: TrainedNorm | None, size: int) -> None:
        if norm is None:
            return
        if norm.kind not in ("layer", "rms"):
            raise InputError(f'The {name} is "layer" or "rms", not {norm.kind!r}.')
        if norm.epsilon < 0:
            raise InputError(f"The {name} needs an epsilon >= 0.")
        for what, array in (("gain", norm.weight), ("bias", norm.bias)):
            if array is not None and array.shape != (size,):
                raise InputError(
                    f"The {what} of the {name} needs the shape ({size},), not {array.shape}."
                )
