"""Vectors in R^d stored as runs, so that d = 10^6 costs no more than d = 3.

A vector is some leading runs (value, count) and one value that fills the rest. The
entries lie in any ring; the dimension is an int, or a ring element where formulas are
printed for a symbolic d.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from countbounds.errors import InputError
from countbounds.expressions import Expr, evaluate, rational, real
from countbounds.rings import Element, Ring


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector in R^dim (entries dimensionless).

    Attributes:
        dim: the dimension d.
        head: leading runs as (entry, count).
        tail: the entry that fills the remaining places (there may be none).
    """

    dim: Any
    head: tuple[tuple[Element, int], ...]
    tail: Element

    def __post_init__(self) -> None:
        """Check that the leading runs fit.

        Raises:
            InputError: if they have more entries than the dimension.
        """
        given = sum(count for _, count in self.head)
        if isinstance(self.dim, int) and given > self.dim:
            raise InputError(f"A vector of dimension {self.dim} cannot have {given} entries.")

    @staticmethod
    def leading(dim: Any, *entries: object, tail: object = 0) -> Vector:
        """The vector with these first entries and `tail` everywhere after them.

        >>> list(Vector.leading(4, 1, "1/2").entries())
        [1, 1/2, 0, 0]
        """
        return Vector(dim, tuple((real(entry), 1) for entry in entries), real(tail))

    @staticmethod
    def of(entries: Iterable[object]) -> Vector:
        """The vector with exactly these entries; equal neighbours are stored as one run.

        Raises:
            InputError: if an entry is not a finite real number, or there are none.
        """
        runs: list[tuple[Expr, int]] = []
        for entry in entries:
            value = real(entry)
            if runs and value.value is not None and runs[-1][0].value == value.value:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1)
            else:
                runs.append((value, 1))
        if not runs:
            raise InputError("A vector needs at least one entry.")
        return Vector(sum(count for _, count in runs), tuple(runs), rational(0))

    def entries(self) -> Iterator[Element]:
        """All entries one by one (only for a dimension that is an int)."""
        for value, count in self.runs():
            yield from (value for _ in range(count))

    def runs(self) -> Iterator[tuple[Element, Any]]:
        """All entries as (entry, count), the tail only if it fills any place."""
        yield from self.head
        rest = self.dim - sum(count for _, count in self.head)
        if not (isinstance(rest, int) and rest == 0):
            yield self.tail, rest

    def on(self, ring: Ring, memo: dict[int, Any]) -> Vector:
        """The same vector with its closed forms evaluated on a ring."""
        dim = evaluate(self.dim, ring, None, memo) if isinstance(self.dim, Expr) else self.dim
        head = tuple((evaluate(value, ring, None, memo), count) for value, count in self.head)
        return Vector(dim, head, evaluate(self.tail, ring, None, memo))

    def map(self, function: Callable[[Element], Element]) -> Vector:
        """Apply a function to every entry."""
        head = tuple((function(value), count) for value, count in self.head)
        return Vector(self.dim, head, function(self.tail))

    def combine(self, other: Vector, function: Callable[[Element, Element], Element]) -> Vector:
        """Combine two vectors entry by entry."""
        left, right = list(self.head), list(other.head)
        head: list[tuple[Element, int]] = []
        i = j = used_left = used_right = 0
        while i < len(left) or j < len(right):
            x, space_left = (
                (left[i][0], left[i][1] - used_left) if i < len(left) else (self.tail, 0)
            )
            y, space_right = (
                (right[j][0], right[j][1] - used_right) if j < len(right) else (other.tail, 0)
            )
            count = min(space_left or space_right, space_right or space_left)
            head.append((function(x, y), count))
            if i < len(left):
                i, used_left = (i + 1, 0) if count == space_left else (i, used_left + count)
            if j < len(right):
                j, used_right = (j + 1, 0) if count == space_right else (j, used_right + count)
        return Vector(self.dim, tuple(head), function(self.tail, other.tail))

    def __add__(self, other: Vector) -> Vector:
        return self.combine(other, lambda x, y: x + y)

    def __mul__(self, other: Vector) -> Vector:
        """The entrywise product."""
        return self.combine(other, lambda x, y: x * y)

    def scaled(self, factor: Element) -> Vector:
        """Every entry times a factor."""
        return self.map(lambda value: value * factor)

    def total(self) -> Element:
        """The sum of the entries."""
        runs = self.runs()
        value, count = next(runs)
        result = value * count
        for value, count in runs:
            result = result + value * count
        return result

    def dot(self, other: Vector) -> Element:
        """The inner product."""
        return (self * other).total()

    def centred(self) -> Vector:
        """The projection onto the complement of the all-ones vector: entries minus their mean."""
        mean = self.total() / self.dim
        return self.map(lambda value: value - mean)
