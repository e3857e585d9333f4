"""Losses of a training."""

from __future__ import annotations

from countbounds.training.extra import Tensor
from countbounds.training.recipe import Loss

# The power mean of exponent p tends to the largest error as p grows.
SHARPNESS: dict[Loss, tuple[int, ...]] = {"worst": (2, 4, 8, 16, 32, 64, 128, 256), "mse": (2,)}


def error_loss(errors: Tensor, loss: Loss, exponent: int) -> Tensor:
    """What is minimised.

    Args:
        errors: y - n.
        loss: "mse" for the mean square, "worst" for (mean |y - n|^p)^(1/p).
        exponent: p, for "worst".
    """
    if loss == "mse":
        return (errors * errors).mean()
    sizes = errors.abs()
    largest = sizes.detach().max().clamp_min(1e-300)  # its power must not overflow
    return largest * (sizes / largest).pow(exponent).mean().pow(1 / exponent)
