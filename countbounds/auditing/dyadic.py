"""Exact matrices of doubles: integers times one power of two.

Sums and products of doubles are again of this kind, so a layer's projections can be
multiplied out without any rounding, at the speed of integer matrices.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from countbounds.auditing.layer import Array


class Dyadic:
    """A matrix of integers times 2^exponent.

    Args:
        integers: a `flint.fmpz_mat`.
        exponent: the power of two.
    """

    __slots__ = ("exponent", "integers")

    def __init__(self, integers: Any, exponent: int) -> None:
        self.integers = integers
        self.exponent = exponent

    @staticmethod
    def of(array: Array) -> Dyadic:
        """The matrix of finite doubles, exactly; a vector becomes one column.

        >>> import numpy as np
        >>> Dyadic.of(np.array([[0.5, 3.0]])).entry(0, 1)
        Fraction(3, 1)
        """
        from flint import fmpz_mat

        matrix = array.reshape(len(array), -1)
        mantissas, exponents = np.frexp(matrix)
        whole = np.ldexp(mantissas, 53).astype(np.int64)
        powers = exponents.astype(np.int64) - 53
        present = powers[whole != 0]
        least = int(present.min()) if present.size else 0
        shifts = np.where(whole != 0, powers - least, 0)
        entries = [
            value << shift
            for value, shift in zip(whole.ravel().tolist(), shifts.ravel().tolist(), strict=True)
        ]
        return Dyadic(fmpz_mat(*matrix.shape, entries), least)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.integers.nrows(), self.integers.ncols()

    def entry(self, row: int, column: int) -> Fraction:
        """One entry."""
        return self._fraction(int(self.integers[row, column]))

    def column(self, index: int) -> Dyadic:
        """One column."""
        from flint import fmpz_mat

        entries = [self.integers[row, index] for row in range(self.shape[0])]
        return Dyadic(fmpz_mat(len(entries), 1, entries), self.exponent)

    def rows(self) -> list[list[Fraction]]:
        """All entries, row by row."""
        return [[self._fraction(int(value)) for value in row] for row in self.integers.tolist()]

    def __matmul__(self, other: Dyadic) -> Dyadic:
        return Dyadic(self.integers * other.integers, self.exponent + other.exponent)

    def __add__(self, other: Dyadic) -> Dyadic:
        least = min(self.exponent, other.exponent)
        return Dyadic(self._at(least) + other._at(least), least)

    def __sub__(self, other: Dyadic) -> Dyadic:
        return self + other.times(-1)

    def times(self, factor: int) -> Dyadic:
        """The matrix times an integer."""
        return Dyadic(self.integers * factor, self.exponent)

    @property
    def transposed(self) -> Dyadic:
        """The transpose."""
        return Dyadic(self.integers.transpose(), self.exponent)

    def scaled_rows(self, column: Dyadic) -> Dyadic:
        """Row i times entry i of a column."""
        from flint import fmpz_mat

        factors = [row[0] for row in column.integers.tolist()]
        table = self.integers.tolist()
        entries = [
            value * factor for row, factor in zip(table, factors, strict=True) for value in row
        ]
        return Dyadic(fmpz_mat(*self.shape, entries), self.exponent + column.exponent)

    def repeated(self, columns: int) -> Dyadic:
        """A column, so many times side by side."""
        from flint import fmpz_mat

        entries = [row[0] for row in self.integers.tolist() for _ in range(columns)]
        return Dyadic(fmpz_mat(self.shape[0], columns, entries), self.exponent)

    def beside(self, other: Dyadic) -> Dyadic:
        """The columns of both, these first."""
        from flint import fmpz_mat

        least = min(self.exponent, other.exponent)
        rows = zip(self._at(least).tolist(), other._at(least).tolist(), strict=True)
        entries = [value for left, right in rows for value in (*left, *right)]
        columns = self.shape[1] + other.shape[1]
        return Dyadic(fmpz_mat(self.shape[0], columns, entries), least)

    def sums(self) -> Dyadic:
        """The sum of each column, as one row."""
        from flint import fmpz_mat

        return Dyadic(
            fmpz_mat(1, self.shape[0], [1] * self.shape[0]) * self.integers, self.exponent
        )

    def _at(self, exponent: int) -> Any:
        return self.integers * (1 << (self.exponent - exponent))

    def _fraction(self, value: int) -> Fraction:
        if self.exponent >= 0:
            return Fraction(value << self.exponent)
        return Fraction(value, 1 << -self.exponent)
