"""PyTorch, which only a training needs, imported when one starts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from countbounds.extras import load

# Without PyTorch its types are not known to a type checker either.
Tensor = Any


def load_torch() -> Any:
    """The module `torch`.

    Raises:
        InputError: if it is not installed.
    """
    return load("torch", what="Training", package="PyTorch", extra="torch")


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread: sums then have one order, and small arrays are faster."""
    torch = load_torch()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
