"""Closed forms rounded to multiples of 2^-p, proven: the numbers that a construction stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from countbounds.compare import compare, enclose, exact_value, floor_of
from countbounds.expressions import Expr, Real, as_formula, evaluate, exp, log, rational, sqrt
from countbounds.layer import Parameters
from countbounds.rings import Enclosure
from countbounds.vectors import Vector

_ZERO = rational(0)


def round_scalar(value: Real, places: int) -> Fraction:
    """The multiple of 2^-places nearest to a closed form, the upper one of two as near.

    Args:
        value: a closed form or an exact number.
        places: >= 0.

    Raises:
        Undecided: if 2^17 bits do not tell which it is.

    >>> round_scalar(Fraction(5, 8), 2), round_scalar(Fraction(-5, 8), 2)
    (Fraction(3, 4), Fraction(-1, 2))
    """
    scale = 1 << places
    target = as_formula(value) * scale + Fraction(1, 2)
    near = enclose(target, 128 + places)
    if near.lower is not None and near.upper is not None:
        low, high = near.lower.__floor__(), near.upper.__floor__()
        if low == high:
            return Fraction(low, scale)
    exact = exact_value(evaluate(target, _Formulas()))
    return Fraction(floor_of(target if exact is None else exact), scale)


class _Formulas:
    """The ring of closed forms: every minimum and maximum proven, e^(log x) folded.

    A number that lies half-way between two multiples is told from its neighbours only where
    it is recognised exactly, and for that extremes have to be out of the way.
    """

    def number(self, value: Fraction) -> Expr:
        """A rational number."""
        return rational(value)

    def symbol(self, name: str) -> Expr:
        """There are none."""
        raise KeyError(f"the formula needs a value for {name}")

    def sqrt(self, x: Expr) -> Expr:
        """The square root."""
        return sqrt(x)

    def exp(self, x: Expr) -> Expr:
        """The exponential."""
        if x.operation == "log":
            inner: Expr = x.args[0]
            return inner
        return exp(x)

    def log(self, x: Expr) -> Expr:
        """The natural logarithm."""
        return log(x)

    def floor(self, x: Expr) -> Expr:
        """The largest integer at or below, proven."""
        return rational(floor_of(x))

    def minimum(self, x: Expr, y: Expr) -> Expr:
        """The smaller of two, proven."""
        return x if compare(x, y) <= 0 else y

    def maximum(self, x: Expr, y: Expr) -> Expr:
        """The larger of two, proven."""
        return x if compare(x, y) >= 0 else y


class _Rounding:
    """Many closed forms, rounded to more and more places; enclosed once for all of them."""

    def __init__(self, formulas: Sequence[Expr]) -> None:
        self.formulas = formulas
        self.bits = 0
        self.balls: list[Any] = []

    def at(self, places: int) -> list[Fraction]:
        """Each formula as `round_scalar` gives it."""
        if places + 64 > self.bits:
            self.bits = max(256, 2 * places + 64)
            memo: dict[int, Any] = {}
            with Enclosure(self.bits) as ring:
                self.balls = [evaluate(formula, ring, None, memo) for formula in self.formulas]
        found, scale = [], 1 << places
        with Enclosure(self.bits + places) as ring:
            power, half = ring.number(Fraction(scale)), ring.number(Fraction(1, 2))
            for formula, ball in zip(self.formulas, self.balls, strict=True):
                value = formula.value
                if value is not None and value.denominator == 1:
                    found.append(value)
                    continue
                # The floor of a ball with points on both sides of an integer is not unique.
                mantissa = (ball * power + half).floor().unique_fmpz()
                if mantissa is None:
                    found.append(round_scalar(formula, places))
                else:
                    found.append(Fraction(int(mantissa), scale))
        return found


class Stored:
    """All the numbers of a construction.

    Args:
        parameters: embeddings, and gain and bias where there are; the read-out too unless
            there are classes.
        vectors: the class vectors.
        biases: their biases.
    """

    def __init__(
        self, parameters: Parameters, vectors: Sequence[Vector] = (), biases: Sequence[Expr] = ()
    ) -> None:
        self.parameters = parameters
        self.named = parameters.vectors()
        if vectors:
            del self.named["readout"]
        self.vectors = [*self.named.values(), *vectors]
        self.biases = biases
        formulas = [value for vector in self.vectors for value, _ in vector.runs()]
        self.rounding = _Rounding([*formulas, *biases])

    def at(self, places: int) -> tuple[Parameters, tuple[Vector, ...], tuple[Expr, ...], Fraction]:
        """Parameters, class vectors and biases rounded, and the largest magnitude."""
        values = self.rounding.at(places)
        largest = max(abs(value) for value in values)
        rest = iter(values)
        rounded = [_with_values(vector, rest) for vector in self.vectors]
        named = dict(zip(self.named, rounded, strict=False))
        parameters = replace(self.parameters, **named)
        biases = tuple(rational(value) for value in rest)
        return parameters, tuple(rounded[len(named) :]), biases, largest


def _with_values(vector: Vector, values: Iterator[Fraction]) -> Vector:
    head = tuple((rational(next(values)), count) for _, count in vector.head)
    return Vector(vector.dim, head, _ZERO if _is_full(vector) else rational(next(values)))


def _is_full(vector: Vector) -> bool:
    return bool(sum(count for _, count in vector.head) == vector.dim)
