"""The variants of Table 1 by name; each module is imported only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from countbounds.decimals import shorten
from countbounds.errors import InputError

if TYPE_CHECKING:
    from countbounds.variants.base import Variant

NAMES = (
    "linear",
    "linear-pre-ln",
    "softmax",
    "softmax-post-ln",
    "softmax-post-ln-learned",
    "softmax-pre-ln",
    "softmax-pre-ln-learned",
)


def variant(name: str) -> Variant:
    """The variant of that name.

    Raises:
        InputError: if there is none; the message suggests the nearest.

    >>> variant("softmax").title
    'softmax attention, no LayerNorm'
    """
    if name not in NAMES:
        from difflib import get_close_matches

        text = shorten(name)
        close = get_close_matches(text.lower(), NAMES, 1)
        hint = f'; did you mean "{close[0]}"?' if close else "."
        raise InputError(f'There is no variant "{text}"{hint} The variants are {", ".join(NAMES)}.')
    module = import_module(f"countbounds.variants.{name.replace('-', '_')}")
    found: Variant = module.VARIANT
    return found


def all_variants() -> list[Variant]:
    """Every variant, in the order of their names above."""
    return [variant(name) for name in NAMES]
