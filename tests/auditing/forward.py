"""A second forward pass of a trained layer, in plain float64, independent of the reduction."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from countbounds.auditing.layer import Affine, TrainedLayer, TrainedNorm

Array = npt.NDArray[np.float64]


def forward(layer: TrainedLayer, counts: tuple[int, ...]) -> Array:
    """The outputs at the boundary token, for n counted tokens and m_1, ..., m_k fillers."""
    repeats = (1, *counts)
    assert len(repeats) == len(layer.embedding)
    sequence = np.repeat(np.arange(len(repeats)), repeats)
    raw = layer.embedding[sequence]
    seen = np.stack([_norm(layer.before, row) for row in raw])
    query = _affine(layer.query, seen[0])
    keys = np.stack([_affine(layer.key, row) for row in seen])
    values = np.stack([_affine(layer.value, row) for row in seen])
    weights = keys @ query * math.sqrt(layer.scale_square)
    if layer.attention == "softmax":
        weights = np.exp(weights - weights.max())
        weights /= weights.sum()
    hidden = _affine(layer.output, weights @ values)
    if layer.residual:
        hidden = hidden + raw[0]
    outputs = layer.readout @ _norm(layer.after, hidden)
    return outputs if layer.readout_bias is None else outputs + layer.readout_bias


def _affine(affine: Affine, vector: Array) -> Array:
    result = vector if affine.weight is None else affine.weight @ vector
    return result if affine.bias is None else result + affine.bias


def _norm(norm: TrainedNorm | None, vector: Array) -> Array:
    if norm is None:
        return vector
    if norm.kind == "layer":
        vector = vector - vector.mean()
    vector = vector / math.sqrt(float((vector**2).mean()) + float(norm.epsilon))
    if norm.weight is not None:
        vector = vector * norm.weight
    return vector if norm.bias is None else vector + norm.bias
