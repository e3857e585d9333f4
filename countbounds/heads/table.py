"""A classification head whose class vectors are arbitrary, on any layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from countbounds.errors import InputError
from countbounds.expressions import Expr, evaluate, rational
from countbounds.heads.head import HeadCurves, combined
from countbounds.layer import Layer, Parameters
from countbounds.model import Model
from countbounds.rings import Element, Enclosure, Ring
from countbounds.vectors import Vector

_ZERO = rational(0)


@dataclass(frozen=True)
class TableModel:
    """A layer with a classification head whose class vectors are arbitrary.

    The cost grows with the number of runs that the class vectors have together, not with d.

    Attributes:
        layer: the layer.
        parameters: its vectors; their read-out is not used.
        vectors: c_k for each class.
        biases: beta_k for each class.
    """

    layer: Layer
    parameters: Parameters
    vectors: tuple[Vector, ...]
    biases: tuple[Expr, ...]

    def __post_init__(self) -> None:
        """Check the number of biases, and the dimensions.

        Raises:
            InputError: if there is not one bias for each class, or a dimension differs.
        """
        if len(self.vectors) != len(self.biases) or not self.vectors:
            raise InputError("Give one class vector and one bias for each class, at least one.")
        if any(vector.dim != self.parameters.dim for vector in self.vectors):
            raise InputError("All class vectors need the dimension of the embeddings.")

    @property
    def fillers(self) -> int:
        """One kind of letter."""
        return 1

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.vectors)

    def on(self, ring: Ring) -> HeadCurves:
        """The scores on a ring.

        A read-out enters its curve linearly, so the curve of c_k is put together from the
        curves of vectors that are 1 on one run of places and 0 elsewhere.
        """
        dim = self.parameters.dim
        starts = sorted({0}.union(*(_starts(vector) for vector in self.vectors)))
        counts = [b - a for a, b in zip(starts, [*starts[1:], dim], strict=True)]
        readouts = [
            (_indicator(dim, start, count), _ZERO)
            for start, count in zip(starts, counts, strict=True)
        ]
        biased = not all_zero(self.biases)
        if biased:
            readouts.append((Vector.leading(dim, 0), rational(1)))
        curves = [self._model(*readout).curve(ring) for readout in readouts]

        def rows() -> Iterator[list[Element]]:
            for vector, bias in zip(self.vectors, self.biases, strict=True):
                memo: dict[int, Any] = {}
                row = _at(vector.on(ring, memo), starts)
                yield [*row, evaluate(bias, ring, None, memo)] if biased else row

        return combined(curves, rows(), ring)

    def against(self, n: int, k: int) -> Model:
        """The layer with c_n - c_k and beta_n - beta_k as read-out: by how much n beats k."""
        difference = self.vectors[n] + self.vectors[k].scaled(rational(-1))
        return self._model(difference, self.biases[n] - self.biases[k])

    def _model(self, readout: Vector, bias: Expr) -> Model:
        return Model(self.layer, replace(self.parameters, readout=readout, readout_bias=bias))


def all_zero(values: Iterable[Expr]) -> bool:
    """Whether all of these are 0, as far as that shows (a maximum may be 0, and no number)."""
    memo: dict[int, Any] = {}
    with Enclosure(64) as ring:
        return all(bool(evaluate(value, ring, None, memo).is_zero()) for value in values)


def _starts(vector: Vector) -> set[int]:
    """The places at which a run begins."""
    found, place = set(), 0
    for _, count in vector.head:
        found.add(place)
        place += count
    return found if place == vector.dim else found | {place}


def _indicator(dim: int, start: int, count: int) -> Vector:
    """1 at so many places from a start on, 0 elsewhere."""
    before = ((_ZERO, start),) if start else ()
    return Vector(dim, (*before, (rational(1), count)), _ZERO)


def _at(vector: Vector, starts: list[int]) -> list[Element]:
    """The entries at increasing places."""
    found, index, end = [], -1, 0
    for start in starts:
        while index < len(vector.head) and start >= end:
            index += 1
            end += vector.head[index][1] if index < len(vector.head) else 0
        found.append(vector.head[index][0] if index < len(vector.head) else vector.tail)
    return found
