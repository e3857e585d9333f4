"""PyTorch, which only a training needs, imported when one starts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from countbounds.errors import InputError

# Without PyTorch its types are not known to a type checker either.
Tensor = Any


def load_torch() -> Any:
    """The module `torch`.

    Raises:
        InputError: if it is not installed.
    """
    try:
        return import_module("torch")
    except ImportError as error:
        raise InputError(
            "Training needs PyTorch; install the extra, pip install 'countbounds[torch]'."
        ) from error


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
