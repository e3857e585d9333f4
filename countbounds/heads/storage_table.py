"""Both read-outs of a construction side by side: what they cost to store, over a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from countbounds.checking import require_dim
from countbounds.decimals import decimal, rounded
from countbounds.errors import Undecided
from countbounds.heads.constructions import require_head_length
from countbounds.heads.decoding import decoding_together
from countbounds.heads.storage import READOUTS, Storage, prepare, result_of
from countbounds.variants import NAMES, variant

STORAGE_COLUMNS = {
    "length": "L",
    "dim": "d",
    "variant": "variant",
    "regression_places": "p (regr.)",
    "regression_bits": "bits (regr.)",
    "classification_places": "p (class.)",
    "classification_bits": "bits (class.)",
    "ratio": "ratio",
    "common_places": "common p",
    "common_ratio": "ratio at common p",
}
_DIGITS = 6


@dataclass(frozen=True)
class StorageRow:
    """One variant at one length and dimension, with both read-outs.

    Attributes:
        regression: what the regression read-out costs; without numbers where there is none.
        classification: what the classification read-out costs.
        common_places: the smallest p that is at least either one's own, and at which both
            decode every input; None where there is no regression read-out.
        undecided: whether the row has no numbers because a check is undecided.
    """

    regression: Storage
    classification: Storage
    common_places: int | None
    undecided: bool = False

    @property
    def ratio(self) -> Fraction | None:
        """Bits of the classification read-out over those of the other, each at its own p."""
        bits, others = self.classification.readout_bits, self.regression.readout_bits
        return None if bits is None or others is None else Fraction(bits, others)

    @property
    def common_ratio(self) -> Fraction | None:
        """The same where every number has the same width: the ratio of the scalars."""
        if self.common_places is None:
            return None
        return Fraction(self.classification.scalars, self.regression.scalars)

    def as_dict(self) -> dict[str, Any]:
        """The row, its ratios exact."""
        return self._row(decimal)

    def as_cells(self) -> dict[str, Any]:
        """The row for reading, its ratios cut off after six digits."""
        return self._row(lambda value: rounded(value, _DIGITS, up=False))

    def _row(self, written: Callable[[Fraction], str]) -> dict[str, Any]:
        ratio, common = self.ratio, self.common_ratio
        return {
            "length": self.regression.length,
            "dim": self.regression.dim,
            "variant": self.regression.variant,
            "regression_places": self.regression.bits_fraction,
            "regression_bits": self.regression.readout_bits,
            "classification_places": self.classification.bits_fraction,
            "classification_bits": self.classification.readout_bits,
            "ratio": None if ratio is None else written(ratio),
            "common_places": self.common_places,
            "common_ratio": None if common is None else written(common),
            "reason": self.regression.reason,
        }


def storage_row(name: str, length: int, dim: int) -> StorageRow:
    """Both read-outs of a variant, at their default bounds.

    Args:
        name: a name of `countbounds.variants.NAMES`.
        length: L, from 1 to 10^5.
        dim: d, from 3 to 10^6.

    Raises:
        InputError: if an argument is out of range.
        Undecided: if a check is.

    >>> row = storage_row("softmax", 10, 16)
    >>> row.ratio, row.common_ratio
    (Fraction(935, 112), Fraction(187, 16))
    """
    classes = prepare(name, length, dim, "classification")
    number = prepare(name, length, dim, "regression")
    assert not isinstance(classes, str)
    second = result_of(name, length, dim, "classification", *classes)
    if isinstance(number, str):
        return StorageRow(Storage.nothing(name, length, dim, None, number), second, None)
    first = result_of(name, length, dim, "regression", *number)
    assert first.bits_fraction is not None
    assert second.bits_fraction is not None
    own = max(first.bits_fraction, second.bits_fraction)
    return StorageRow(first, second, decoding_together((number[1], classes[1]), own))


def table_storage(
    names: Sequence[str] | None,
    lengths: Sequence[int] | None,
    dims: Sequence[int] | None,
    progress: Callable[[str], None] = lambda line: None,
) -> Iterator[StorageRow]:
    """The storage of both read-outs over a grid.

    Args:
        names: variants; by default all.
        lengths: L; by default 10, 100, 1000.
        dims: d; by default 16.
        progress: called with a line before each cell.

    Yields:
        one row for each length, dimension and variant, in this order; without numbers, and
        with a reason, where a check is undecided.

    Raises:
        InputError: if an argument is out of range.
    """
    chosen = [variant(name).name for name in names or NAMES]
    sizes = lengths or (10, 100, 1000), dims or (16,)
    for length in sizes[0]:
        require_head_length(length)
    for dim in sizes[1]:
        require_dim(dim)
    for length, dim, name in product(*sizes, chosen):
        progress(f"{name}, L = {length}, d = {dim}")
        try:
            yield storage_row(name, length, dim)
        except Undecided as error:
            first, second = (
                Storage.nothing(name, length, dim, None, str(error), side) for side in READOUTS
            )
            yield StorageRow(first, second, None, undecided=True)
