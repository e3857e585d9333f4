"""Checkpoints: the trained vectors as `.safetensors`, with what an audit has to know.

Written by our own code, byte by byte the same for the same vectors: the library orders the
metadata at random.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from countbounds.decimals import decimal
from countbounds.errors import InputError
from countbounds.layer import Layer, Parameters
from countbounds.model import Model
from countbounds.training.recipe import Recipe
from countbounds.variants import variant as variant_named

Array = npt.NDArray[np.float64]

_STEP = 2.0**-50


@dataclass(frozen=True)
class Checkpoint:
    """A trained layer as it was stored.

    Attributes:
        variant: its name.
        length: the L it was trained for.
        dim: d.
        bound: the cap; None if there was none.
        seed: the seed.
        optimizer: its name.
        steps: the optimiser steps that were made.
        parameters: the vectors, exactly as stored.
    """

    variant: str
    length: int
    dim: int
    bound: Fraction | None
    seed: int
    optimizer: str
    steps: int
    parameters: Parameters

    @property
    def model(self) -> Model:
        """The layer with its parameters."""
        return Model(variant_named(self.variant).layer, self.parameters)


def within(vector: Array, bound: Fraction) -> Array:
    """A vector in (nearly) the same direction whose exact norm is at most B.

    The cap holds for real numbers; rounding can step over it by a few units in the last
    place. Whether it did is decided in rational arithmetic.
    """
    excess = _STEP
    while sum(Fraction(x) ** 2 for x in vector.tolist()) > bound**2:
        vector = vector * (1 - excess)
        excess *= 2
    return vector


def config(layer: Layer) -> dict[str, Any]:
    """What an audit has to know of a layer beside its tensors."""
    found: dict[str, Any] = {
        "tokens": {
            "boundary": 0,
            "counted": 1,
            "fillers": [2],
            "names": ["#", "space", "letter"],
        },
        "layer": {"attention": layer.attention, "scale": "1/sqrt(d_k)", "residual": False},
    }
    if layer.placement != "none":
        norm = {"kind": layer.norm, "epsilon": "0"}
        if layer.learned:
            norm |= {"weight": "norm.weight", "bias": "norm.bias"}
        found["before" if layer.placement == "pre" else "after"] = norm
    found["readout"] = {"kind": "regression"}
    return found


def as_bytes(recipe: Recipe, seed: int, steps: int, vectors: Mapping[str, Array]) -> bytes:
    """The content of a checkpoint file.

    Args:
        recipe: the training.
        seed: its seed.
        steps: the steps that were made.
        vectors: by the names of `Parameters`; shortened to the cap where rounding asks for it.
    """
    kept = {
        name: vector if recipe.bound is None else within(vector, recipe.bound)
        for name, vector in vectors.items()
    }
    tensors = {
        "embedding.weight": np.stack([kept[name] for name in ("boundary", "space", "letter")]),
        "readout.weight": kept["readout"][None, :],
    }
    if "gain" in kept:
        tensors |= {"norm.weight": kept["gain"], "norm.bias": kept["bias"]}
    header: dict[str, Any] = {
        "__metadata__": {
            "countbounds": json.dumps(config(variant_named(recipe.variant).layer)),
            "variant": recipe.variant,
            "length": str(recipe.length),
            "dim": str(recipe.dim),
            "bound": "none" if recipe.bound is None else decimal(recipe.bound),
            "seed": str(seed),
            "optimizer": recipe.optimizer,
            "loss": recipe.loss,
            "steps": str(steps),
        }
    }
    content = b""
    for name, tensor in tensors.items():
        data = tensor.astype("<f8").tobytes()
        place = [len(content), len(content) + len(data)]
        header[name] = {"dtype": "F64", "shape": list(tensor.shape), "data_offsets": place}
        content += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + content


def read(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint that a training wrote; needs no PyTorch.

    Raises:
        InputError: if the file is missing or none that a training wrote.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(os.fspath(path), framework="numpy") as file:
            said = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        boundary, space, letter = tensors["embedding.weight"]
        (readout,) = tensors["readout.weight"]
        norm = [tensors[name] for name in ("norm.weight", "norm.bias") if name in tensors]
        vectors = (boundary, space, letter, readout, *norm)
        return Checkpoint(
            said["variant"],
            int(said["length"]),
            int(said["dim"]),
            None if said["bound"] == "none" else Fraction(said["bound"]),
            int(said["seed"]),
            said["optimizer"],
            int(said["steps"]),
            Parameters.of(*(vector.tolist() for vector in vectors)),
        )
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"The checkpoint {path} cannot be read: {reason}.") from error
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise InputError(
            f"The file {path} is no checkpoint of a training; delete it, and train again."
        ) from error
