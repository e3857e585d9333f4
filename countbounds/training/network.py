"""The model of docs/theory.md on tensors: y(n, m) for whole arrays of inputs at once."""

from __future__ import annotations

import math
from collections.abc import Mapping

from countbounds.layer import Layer
from countbounds.training.extra import Tensor, load_torch
from countbounds.training.recipe import Recipe
from countbounds.variants import variant as variant_named

_VECTORS = ("boundary", "space", "letter", "readout", "gain", "bias")


def names(layer: Layer) -> tuple[str, ...]:
    """The trainable vectors of a layer, in the order of the rows of `initial`."""
    return _VECTORS if layer.learned else _VECTORS[:4]


def initial(recipe: Recipe, generator: Tensor) -> Tensor:
    """Free parameters at random: every vector has a direction drawn uniformly.

    Embeddings and bias have norm 1, so that no token outweighs another from the start. The
    read-out, and the gain of post-LN, set how far the output can reach: their norm is half
    the cap or half of L, whichever is less.

    Args:
        recipe: the training.
        generator: a `torch.Generator`.

    Returns:
        a float64 matrix with a row for each of `names`.
    """
    torch = load_torch()
    layer = variant_named(recipe.variant).layer
    rows = names(layer)
    drawn = torch.randn(len(rows), recipe.dim, generator=generator, dtype=torch.float64)
    long = {"readout", "gain"} if layer.placement == "post" else {"readout"}
    small = min(1.0, recipe.scale)
    norms = [recipe.scale / 2 if name in long else small for name in rows]
    sizes = torch.tensor(norms, dtype=torch.float64)[:, None]
    return drawn / drawn.norm(dim=1, keepdim=True) * sizes


def capped(free: Tensor, bound: float | None) -> Tensor:
    """The vectors that free parameters stand for: v = u / sqrt(1 + |u|^2 / B^2).

    Every u in R^d gives a v shorter than B, and every such v comes from one u; far below
    the cap v and u are nearly the same.

    Args:
        free: the vectors u, as rows.
        bound: B; None for no cap (v = u).
    """
    if bound is None:
        return free
    return free / (1 + (free * free).sum(-1, keepdim=True) / bound**2).sqrt()


def outputs(layer: Layer, vectors: Tensor, inputs: Tensor, logs: Tensor) -> Tensor:
    """The read-outs y(n, m).

    Args:
        layer: softmax or linear attention, without epsilon and residual, with LayerNorm
            where there is a norm.
        vectors: a row for each of `names`.
        inputs: (1, n, m) as rows.
        logs: their logarithms, -inf for 0 (for softmax).

    Returns:
        y, as long as there are inputs.
    """
    torch = load_torch()
    named: Mapping[str, Tensor] = dict(zip(names(layer), vectors, strict=True))
    root = math.sqrt(vectors.shape[1])

    def norm(rows: Tensor) -> Tensor:
        centred = rows - rows.mean(-1, keepdim=True)
        result = centred * (root / centred.norm(dim=-1, keepdim=True))
        return result * named["gain"] + named["bias"] if layer.learned else result

    tokens = vectors[:3]
    if layer.placement == "pre":
        tokens = norm(tokens)
    scores = tokens @ tokens[0] / root
    if layer.attention == "softmax":
        # torch subtracts each row's largest score; a token that is absent has -inf.
        shares = torch.softmax(scores + logs, dim=1)
    else:
        shares = scores * inputs
    if layer.placement == "post":
        return norm(shares @ tokens) @ named["readout"]
    return shares @ (tokens @ named["readout"])
