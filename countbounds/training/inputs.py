"""The inputs that are trained on: the whole domain, or its edges and a sample inside."""

from __future__ import annotations

import math

from countbounds.training.extra import Tensor, load_torch

LARGEST_DOMAIN = 20_000
MOST_COUNTS = 4_000
_UNIFORM, _GEOMETRIC, _INSIDE = 2_000, 500, 3


def training_inputs(length: int, generator: Tensor) -> Tensor:
    """The pairs (n, m) of a training.

    Up to 20,000 inputs, the whole domain of the length. Beyond, for every n the edges m = 0
    and m = L - n and three m between them at random; and beyond L = 4,000 not for every n,
    but for 2,000 evenly spaced and 500 geometrically spaced ones, with 0, 1 and L.

    Args:
        length: L.
        generator: a `torch.Generator`.

    Returns:
        an integer matrix with a pair in each row, no pair twice.
    """
    torch = load_torch()
    if (length + 1) * (length + 2) // 2 <= LARGEST_DOMAIN:
        counts = torch.arange(length + 1)
        pairs = torch.cartesian_prod(counts, counts)
        return pairs[pairs.sum(1) <= length]
    if length <= MOST_COUNTS:
        counts = torch.arange(length + 1)
    else:
        even = torch.linspace(0, length, _UNIFORM, dtype=torch.float64)
        geometric = torch.logspace(
            0, math.log10(length), _GEOMETRIC, dtype=torch.float64
        ).clamp_max(length)
        ends = torch.tensor([0, 1, length])
        counts = torch.unique(torch.cat([ends, even.round().long(), geometric.round().long()]))
    room = length - counts
    drawn = torch.rand(len(counts), _INSIDE, generator=generator, dtype=torch.float64)
    inside = (drawn * (room + 1)[:, None]).long()
    letters = torch.cat([torch.zeros_like(room)[:, None], room[:, None], inside], dim=1)
    pairs = torch.stack([counts[:, None].expand_as(letters), letters], dim=2)
    return torch.unique(pairs.reshape(-1, 2), dim=0)


def as_floats(pairs: Tensor) -> tuple[Tensor, Tensor]:
    """(1, n, m) for each pair, and the logarithms of these, -inf for 0."""
    torch = load_torch()
    inputs = torch.cat([torch.ones(len(pairs), 1, dtype=torch.int64), pairs], dim=1)
    inputs = inputs.to(torch.float64)
    return inputs, inputs.log()
