"""A classification head whose class vectors are polynomials in the count, on any layer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from countbounds.curve import LinearFractional
from countbounds.domain.cone import linear_form, quadratic_form
from countbounds.expressions import Expr, evaluate, rational
from countbounds.layer import Layer, Parameters
from countbounds.model import Model
from countbounds.rings import Element, Enclosure, Ring
from countbounds.vectors import Vector


@dataclass(frozen=True)
class Head:
    """Class vectors c_k and biases beta_k for k = 0, ..., L, as polynomials in k.

    Attributes:
        vectors: c_k = vectors[0] + k vectors[1] + k^2 vectors[2] + ...
        biases: beta_k likewise.
        length: L; there are L + 1 classes.
    """

    vectors: tuple[Vector, ...]
    biases: tuple[Expr, ...]
    length: int

    @property
    def classes(self) -> int:
        """The number of classes, L + 1."""
        return self.length + 1

    def vector(self, k: int) -> Vector:
        """c_k."""
        total = self.vectors[0]
        for power, part in enumerate(self.vectors[1:], 1):
            total = total + part.scaled(rational(k**power))
        return total

    def bias(self, k: int) -> Expr:
        """beta_k."""
        total = self.biases[0]
        for power, part in enumerate(self.biases[1:], 1):
            total = total + part * k**power
        return total


@dataclass(frozen=True)
class HeadCurves:
    """The scores of all classes with one letter, on a ring (as `domain.classes` reads them)."""

    weights: tuple[Element, ...]
    numerators: tuple[tuple[Element, ...], ...]
    offsets: tuple[Element, ...]
    gram: tuple[tuple[Element, ...], ...] | None
    definite: bool
    length: None = None

    def score(self, c: tuple[int, ...], k: int) -> Element:
        """The score of class k at (1, n, m)."""
        top = linear_form(self.numerators[k], c)
        if self.gram is None:
            return top / linear_form(self.weights, c)
        return top / quadratic_form(self.gram, c).sqrt() + self.offsets[k]


@dataclass(frozen=True)
class HeadModel:
    """A layer of the theory with a classification head in the place of its read-out.

    Attributes:
        layer: the layer.
        parameters: its vectors; their read-out is not used.
        head: the classes.
    """

    layer: Layer
    parameters: Parameters
    head: Head

    @property
    def fillers(self) -> int:
        """One kind of letter."""
        return 1

    @property
    def classes(self) -> int:
        """L + 1."""
        return self.head.classes

    def on(self, ring: Ring) -> HeadCurves:
        """The scores on a ring: those of each coefficient, put together for each k.

        A read-out enters its curve linearly, so the curve of c_k is the polynomial with the
        curves of the coefficients.
        """
        zero = rational(0)
        curves: list[Any] = []
        for power, vector in enumerate(self.head.vectors):
            bias = self.head.biases[power] if power < len(self.head.biases) else zero
            parameters = replace(self.parameters, readout=vector, readout_bias=bias)
            curves.append(Model(self.layer, parameters).curve(ring))
        rows = ([k**power for power in range(len(curves))] for k in range(self.classes))
        return combined(curves, rows, ring)


def combined(curves: Sequence[Any], rows: Iterable[Sequence[Any]], ring: Ring) -> HeadCurves:
    """The scores of classes that are combinations of a few read-outs.

    Args:
        curves: the curve of each of these read-outs, on the ring.
        rows: for each class, the factor of each read-out.
        ring: the ring.
    """
    first = curves[0]
    fractional = isinstance(first, LinearFractional)
    numerators, offsets = [], []
    for row in rows:
        pairs = list(zip(curves, row, strict=True))
        numerators.append(tuple(sum((c.numerator[t] * x for c, x in pairs), 0) for t in range(3)))
        if fractional:
            offsets.append(first.numerator[0] * 0)
        else:
            offsets.append(sum((c.offset * x for c, x in pairs), 0))
    if fractional:
        return HeadCurves(
            first.denominator, tuple(numerators), tuple(offsets), None, definite=False
        )
    q00, q01, q11, q02, q12, q22 = first.gram
    gram = ((q00, q01, q02), (q01, q11, q12), (q02, q12, q22))
    ones = (ring.number(Fraction(1)),) * 3
    return HeadCurves(ones, tuple(numerators), tuple(offsets), gram, definite=False)


def largest_norms(head: Head, ring: Enclosure) -> tuple[Element, Element]:
    """Enclosures of the largest |c_k|^2 and the largest |beta_k| over all k."""
    memo: dict[int, Any] = {}
    vectors = [vector.on(ring, memo) for vector in head.vectors]
    biases = [evaluate(bias, ring, None, memo) for bias in head.biases]
    products = [[left.dot(right) for right in vectors] for left in vectors]
    square = magnitude = ring.number(Fraction(0))
    for k in range(head.classes):
        powers = [k**power for power in range(len(vectors))]
        value = sum(
            (products[i][j] * (x * y) for i, x in enumerate(powers) for j, y in enumerate(powers)),
            square * 0,
        )
        square = square.max(value)
        bias = sum((b * k**power for power, b in enumerate(biases)), square * 0)
        magnitude = magnitude.max(abs(bias))
    return square, magnitude
