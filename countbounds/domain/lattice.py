"""Integer points at which exact affine forms vanish."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd

from countbounds.errors import NotExact
from countbounds.exact import Exact

Row = tuple[Fraction, Fraction, Fraction]


def least_solution(forms: Iterable[Sequence[Exact]], length: int) -> tuple[int, int] | None:
    """The least (n, then m) of the domain at which all forms c0 + c1 n + c2 m vanish.

    Args:
        forms: triples (c0, c1, c2) of exact numbers.
        length: L; the domain is n, m >= 0 with n + m <= L.

    Returns:
        The input, or None where there is none.

    Raises:
        NotExact: if nested roots occur.

    >>> three, two = Exact.of(3), Exact.of(2)
    >>> least_solution([(Exact.of(-12), three, two)], 10)
    (0, 6)
    >>> least_solution([(Exact.of(-1), three, two.sqrt())], 10) is None
    True
    """
    rows = _echelon([row for form in forms for row in _rational_rows(form)])
    if any(row[1] == row[2] == 0 for row in rows):
        return None
    if not rows:
        return (0, 0)
    if len(rows) == 2:
        m = -rows[1][0] / rows[1][2]
        n = -(rows[0][0] + rows[0][2] * m) / rows[0][1]
        return _inside(n, m, length)
    return _first_on_line(rows[0], length)


def _rational_rows(form: Sequence[Exact]) -> list[Row]:
    """One rational equation for each independent irrational that occurs."""
    basis: list[tuple[Exact, list[Fraction]]] = []
    for index, value in enumerate(form):
        if not value.is_plain:
            raise NotExact("Nested roots need not be independent.")
        for monomial in value.monomials():
            for present, row in basis:
                ratio = (monomial / present).rational()
                if ratio is not None:
                    row[index] += ratio
                    break
            else:
                row = [Fraction(0)] * 3
                row[index] = Fraction(1)
                basis.append((monomial, row))
    return [(row[0], row[1], row[2]) for _, row in basis if any(row)]


def _echelon(rows: list[Row]) -> list[Row]:
    """Row-reduce with pivots n, then m, then the constant (an inconsistency)."""
    reduced: list[Row] = []
    for pivot in (1, 2, 0):
        index = next((i for i, row in enumerate(rows) if row[pivot]), None)
        if index is None:
            continue
        chosen = rows.pop(index)
        reduced.append(chosen)
        rows = [
            (
                row[0] - chosen[0] * row[pivot] / chosen[pivot],
                row[1] - chosen[1] * row[pivot] / chosen[pivot],
                row[2] - chosen[2] * row[pivot] / chosen[pivot],
            )
            for row in rows
        ]
    return reduced


def _inside(n: Fraction, m: Fraction, length: int) -> tuple[int, int] | None:
    if n.denominator == m.denominator == 1 and n >= 0 and m >= 0 and n + m <= length:
        return int(n), int(m)
    return None


def _first_on_line(row: Row, length: int) -> tuple[int, int] | None:
    scale = row[0].denominator * row[1].denominator * row[2].denominator
    c, a, b = (int(value * scale) for value in row)
    if b == 0:
        return _inside(Fraction(-c, a), Fraction(0), length)
    common = gcd(a, b)
    if c % common:
        return None
    a, b, c = a // common, b // common, c // common
    # m = -(c + a n)/b is an integer for n in one residue class modulo |b|; along the
    # class m and n + m are monotone, so the admissible n are an interval of it.
    step = abs(b)
    start = (-c * pow(a, -1, step)) % step if step > 1 else 0
    low, high = Fraction(0), Fraction(length)
    for constant, slope in (
        (Fraction(-c, b), Fraction(-a, b)),
        (length + Fraction(c, b), Fraction(a, b) - 1),
    ):
        if slope > 0:
            low = max(low, -constant / slope)
        elif slope < 0:
            high = min(high, -constant / slope)
        elif constant < 0:
            return None
    n = start + step * max(0, -((start - low) // step) if low > start else 0)
    return _inside(Fraction(n), Fraction(-(c + a * n), b), length) if n <= high else None
