"""Lengths, dimensions and bounds for the tests of the variants, of every size alike."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from countbounds import length_cap
from countbounds.variants import NAMES

LONGEST, LARGEST_DIM = 10**18, 10**6


def _every_size(low: int, high: int) -> st.SearchStrategy[int]:
    """Integers from low to high, as many of one number of bits as of another."""
    sizes = st.integers(low.bit_length(), high.bit_length())
    return sizes.flatmap(
        lambda bits: st.integers(max(low, 1 << (bits - 1)), min(high, (1 << bits) - 1))
    )


names = st.sampled_from(NAMES)
lengths = _every_size(1, LONGEST)
dims = _every_size(3, LARGEST_DIM)
fractions = st.builds(Fraction, _every_size(1, 10**9), _every_size(1, 10**6))


def within_reach(name: str, length: int, dim: int) -> int:
    """The length itself where it is possible at that d, else one that is."""
    return min(length, length_cap(dim)) if name == "softmax-pre-ln" else length
