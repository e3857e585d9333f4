"""Random trained layers: of every option, and near enough to counting to be worth asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from countbounds.auditing.layer import Affine, Array, TrainedLayer, TrainedNorm

Rng = np.random.Generator
EPSILONS = (Fraction(0), Fraction(1, 100_000), Fraction(1, 2))


def names(tokens: int) -> tuple[str, ...]:
    """A name for each token."""
    return tuple("#s" + "abcdefgh"[: tokens - 2])


def any_layer(rng: Rng, fillers: int, outputs: int = 1) -> TrainedLayer:
    """A layer with normally distributed weights and any combination of the options."""
    d, d_k, d_v = (int(x) for x in rng.integers(2, 6, 3))

    def normal(*shape: int) -> Array:
        return rng.normal(size=shape)

    def maybe(*shape: int) -> Array | None:
        return normal(*shape) if rng.random() < 0.5 else None

    def norm(size: int) -> TrainedNorm | None:
        if rng.random() < 0.4:
            return None
        kind = "layer" if rng.random() < 0.6 else "rms"
        epsilon = EPSILONS[rng.integers(3)]
        return TrainedNorm("rms" if kind == "rms" else "layer", epsilon, maybe(size), maybe(size))

    projected = rng.random() < 0.6
    if not projected:
        d_k = d_v = d
    query, key = Affine(), Affine(None, maybe(d))
    value, output = Affine(), Affine(None, maybe(d))
    if projected:
        query, key = Affine(normal(d_k, d), maybe(d_k)), Affine(normal(d_k, d), maybe(d_k))
        value, output = Affine(normal(d_v, d), maybe(d_v)), Affine(normal(d, d_v), maybe(d))
    strength = float(rng.choice([0.3, 1, 3, 10]))
    return TrainedLayer(
        embedding=normal(2 + fillers, d),
        names=names(2 + fillers),
        readout=normal(outputs, d) * strength,
        readout_bias=maybe(outputs),
        classifies=outputs > 1,
        attention="softmax" if rng.random() < 0.6 else "linear",
        scale_square=Fraction(1, d_k) if rng.random() < 0.5 else Fraction(1),
        query=query,
        key=key,
        value=value,
        output=output,
        before=norm(d),
        after=norm(d),
        residual=bool(rng.random() < 0.5),
    )


def arc(rng: Rng, length: int, fillers: int) -> TrainedLayer:
    """A softmax layer with a norm after attention that just about counts to a length.

    y = s c n/sqrt(c^2 + n^2) with c = L^(3/2), and fillers that undo something the boundary
    token carries, so that mixtures of several of them can be worst.
    """
    d, c = 4 + 2 * fillers, length**1.5
    unit = np.eye(d)
    size = np.sqrt(np.sqrt(d) * np.log(c + 1))
    embedding = np.zeros((2 + fillers, d))
    embedding[0] = size * (unit[0] - unit[1]) / np.sqrt(2)
    embedding[1] = size * (unit[2] - unit[3]) / np.sqrt(2)
    strength = float(rng.choice([0.1, 0.3, 0.5, 1.0]))
    for j in range(fillers):
        direction = unit[4 + 2 * j] - unit[5 + 2 * j]
        embedding[0] -= direction * strength / np.sqrt(length) / (j + 1)
        embedding[2 + j] = direction * (1 + 0.1 * j)
    embedding += rng.normal(size=embedding.shape) * float(rng.choice([0, 0, 1e-6, 1e-3, 0.01]))
    steeper = 1 + float(rng.choice([0, 0.9, 0.9, 1.2])) / length
    readout = (unit[2] - unit[3]) * c / np.sqrt(2 * d) * steeper
    epsilon = Fraction(0) if rng.random() < 0.5 else Fraction(1, 100_000)
    return TrainedLayer(
        embedding=embedding,
        names=names(2 + fillers),
        readout=readout[None, :],
        scale_square=Fraction(1, d),
        after=TrainedNorm("layer" if rng.random() < 0.7 else "rms", epsilon),
    )


def small_numbers(rng: Rng, fillers: int) -> TrainedLayer:
    """Layers with a few small numbers in them, so that ties and errors of 1/2 occur."""
    d = int(rng.integers(2, 5))

    def few(*shape: int) -> Array:
        return rng.choice(np.array([-1, -0.5, 0, 0, 0.5, 1, 1, 2]), size=shape)

    if rng.random() < 0.5:  # y = w + n, but for the fillers
        start = float(rng.choice([-0.5, 0, 0.5]))
        embedding = np.concatenate([few(2 + fillers, d), np.ones((2 + fillers, 1))], axis=1)
        embedding[:, 0] = (1, 1, *rng.choice([0.0, 0.0, 0.25], size=fillers))
        embedding[:, 1:-1] = 0
        embedding[0, -1] = 0
        readout = np.zeros((1, d + 1))
        readout[0, 0], readout[0, -1] = start, 1 - start
        return TrainedLayer(embedding, names(2 + fillers), readout, attention="linear")
    embedding = few(2 + fillers, d)
    if fillers > 1 and rng.random() < 0.5:
        embedding[-1] = embedding[-2] * float(rng.choice([1, 2]))
    after = None
    if rng.random() < 0.5:
        after = TrainedNorm("rms", EPSILONS[rng.integers(3)])
    return TrainedLayer(
        embedding=embedding,
        names=names(2 + fillers),
        readout=few(1, d),
        readout_bias=few(1) if rng.random() < 0.5 else None,
        attention="softmax" if rng.random() < 0.4 else "linear",
        after=after,
        residual=bool(rng.random() < 0.5),
    )


def head(rng: Rng, length: int, fillers: int) -> TrainedLayer:
    """A classification head that decodes, or nearly: class vectors for 2kn - k^2."""
    d = int(rng.integers(6, 9))
    classes = length + 1 + int(rng.integers(0, 3))
    noise = float(rng.choice([0, 1e-3, 0.03, 0.3]))
    k = np.arange(classes, dtype=np.float64)
    embedding = np.zeros((2 + fillers, d))
    embedding[0, :2] = 1, -1
    embedding[1, 2:4] = 1, -1
    softmax = rng.random() < 0.7
    if not softmax:
        embedding[1] += embedding[0] / 2
    embedding[2:] = rng.normal(size=(fillers, d)) * noise
    embedding += rng.normal(size=embedding.shape) * noise * 0.3
    readout = np.zeros((classes, d))
    readout[:, 2], readout[:, 0] = 2 * k, -(k**2)
    readout += rng.normal(size=readout.shape) * noise * 0.3
    after = None
    if rng.random() < 0.6:
        after = TrainedNorm("layer" if rng.random() < 0.5 else "rms", EPSILONS[rng.integers(2)])
    bias: Array = -(k**2) * float(rng.choice([0.1, 0.3]))
    return TrainedLayer(
        embedding=embedding,
        names=names(2 + fillers),
        readout=readout,
        readout_bias=bias if rng.random() < 0.5 else None,
        classifies=True,
        attention="softmax" if softmax else "linear",
        scale_square=Fraction(1, 10**6) if softmax else Fraction(1),
        after=after,
    )


def rounded(layer: TrainedLayer, to: Callable[[Array], Array]) -> TrainedLayer:
    """The layer with embedding and read-out as a shorter format stores them."""
    return replace(layer, embedding=to(layer.embedding), readout=to(layer.readout))


def half(array: Array) -> Array:
    """Rounded to float16."""
    return array.astype(np.float16).astype(np.float64)
