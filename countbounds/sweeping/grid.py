"""The grid of a sweep: which cells, in which order.

>>> Grid.parse("softmax", "10..1000:3, 7", "16").lengths
(10, 100, 1000, 7)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from decimal import Context
from typing import Any, NamedTuple

from countbounds.bounds import MOST_DIGITS
from countbounds.checking import require_integer
from countbounds.decimals import parse_integer, shorten
from countbounds.errors import InputError
from countbounds.variants import NAMES, variant

MOST_CELLS = 1_000_000
# The files of a sweep hold lengths and dimensions as 64-bit integers.
_LARGEST = 10**18
_RANGE = re.compile(r"(.+)\.\.(.+):(.+)")


class Cell(NamedTuple):
    """One cell: a variant's name, L and d."""

    variant: str
    length: int
    dim: int


@dataclass(frozen=True)
class Grid:
    """Every variant at every length and dimension.

    A length or dimension that `b_min` does not cover is a cell that fails, not a wrong grid.

    Attributes:
        variants: names of `countbounds.variants.NAMES`.
        lengths: L.
        dims: d.
        digits: relative width 10^-digits where the theory is exact, from 1 to 1000.

    Raises:
        InputError: if a list is empty, holds an unknown name or a number beyond 10^18, the
            digits are out of range, or there are more than 10^6 cells.
    """

    variants: tuple[str, ...]
    lengths: tuple[int, ...]
    dims: tuple[int, ...]
    digits: int = 12

    def __post_init__(self) -> None:
        require_integer(self.digits, "number of digits", 1, MOST_DIGITS)
        for name in self.variants:
            variant(name)
        for what, numbers in (("length L", self.lengths), ("dimension d", self.dims)):
            for number in numbers:
                require_integer(number, what, 0, _LARGEST, "10^18")
        for name, values in asdict(self).items():
            if name != "digits" and len(set(values)) < max(1, len(values)):
                raise InputError(f"The {name} of a sweep are a list without repetition, not empty.")
        _require_few(len(self))

    @staticmethod
    def parse(variants: str, lengths: str, dims: str, digits: int = 12) -> Grid:
        """Read a grid as the command line gives it; what stands twice is taken once.

        Args:
            variants: names with commas between them, or "all".
            lengths: integers and ranges A..B:N (N of them, spaced geometrically and rounded
                to distinct integers), with commas between them.
            dims: the same.
            digits: from 1 to 1000.

        Raises:
            InputError: if something is not understood, or as for the class.
        """
        names = NAMES if variants.strip() == "all" else _split(variants, "variants")
        # Before long lists are made, which takes its time.
        _require_few(len(names) * _counted(lengths) * _counted(dims))
        return Grid(
            tuple(dict.fromkeys(names)),
            _read_numbers(lengths, "length L"),
            _read_numbers(dims, "dimension d"),
            digits,
        )

    def __len__(self) -> int:
        return len(self.variants) * len(self.lengths) * len(self.dims)

    def cells(self) -> Iterator[Cell]:
        """The cells in the order of the result: by variant, then length, then dimension."""
        for name in self.variants:
            for length in self.lengths:
                for dim in self.dims:
                    yield Cell(name, length, dim)

    def as_dict(self) -> dict[str, Any]:
        """The grid as it stands in a journal's header."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }


def _require_few(cells: int) -> None:
    if cells > MOST_CELLS:
        raise InputError(f"The grid has {cells:,} cells; a sweep has at most {MOST_CELLS:,}.")


def _counted(text: str) -> int:
    """How many numbers a list has that is understood so far."""
    spans = (_RANGE.fullmatch(part.strip()) for part in text.split(","))
    counts = (parse_integer(span.group(3)) if span else 1 for span in spans)
    return sum(count if count and 1 < count <= MOST_CELLS else 1 for count in counts)


def geometric(first: int, last: int, count: int) -> list[int]:
    """Distinct integers from first to last, spaced geometrically as nearly as that allows.

    Args:
        first: at least 1.
        last: at least first.
        count: from 1 (2 where first and last differ) to last - first + 1 and 10^6.

    Raises:
        InputError: if an argument is out of range.

    >>> geometric(1, 100, 3), geometric(1, 6, 5)
    ([1, 10, 100], [1, 2, 3, 4, 6])
    """
    shown = f"{shorten(first)}..{shorten(last)}:{shorten(count)}"
    if not 1 <= first <= last <= _LARGEST:
        raise InputError(f"The range {shown} goes from A >= 1 to B >= A, at most 10^18.")
    if not min(2, last - first + 1) <= count <= min(last - first + 1, MOST_CELLS):
        raise InputError(
            f"The range {shown} holds from {min(2, last - first + 1)} to "
            f"{min(last - first + 1, MOST_CELLS):,} distinct integers; ask for so many."
        )
    # Decimal logarithms are rounded alike on every machine, unlike those of floats.
    work = Context(prec=50)
    low = work.ln(work.create_decimal(first))
    rise = work.subtract(work.ln(work.create_decimal(last)), low)
    found = [first]
    for index in range(1, count - 1):
        part = work.divide(work.multiply(rise, index), count - 1)
        near = int(work.to_integral_value(work.exp(work.add(low, part))))
        # Neighbours are distinct, and leave as many integers as there are to come.
        found.append(min(max(near, found[-1] + 1), last - (count - 1 - index)))
    return found if count == 1 else [*found, last]


def _split(text: str, what: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise InputError(f'The list of {what} "{shorten(text)}" has an empty entry; leave it out.')
    return parts


def _read_numbers(text: str, what: str) -> tuple[int, ...]:
    found: list[int] = []
    for part in _split(text, f"numbers for the {what}"):
        span = _RANGE.fullmatch(part)
        if span is None:
            found.append(_read_integer(part, what))
        else:
            first, last, count = (_read_integer(end, what) for end in span.groups())
            found += geometric(first, last, count)
        if len(found) > MOST_CELLS:
            raise InputError(f"A sweep has at most {MOST_CELLS:,} cells; give fewer numbers.")
    return tuple(dict.fromkeys(found))


def _read_integer(text: str, what: str) -> int:
    value = parse_integer(text)
    if value is None:
        raise InputError(
            f"The {what} of a sweep is an integer such as 1000 or 1e6, or a range such as "
            f"10..1e12:60, not {shorten(text)}."
        )
    return value
