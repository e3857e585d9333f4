"""Whether a construction whose numbers are rounded to so many bits decodes every input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from countbounds.curve import LinearFractional
from countbounds.decimals import Bracket
from countbounds.domain import worst_error
from countbounds.domain.classes import smallest_gap
from countbounds.domain.cone import Counts, linear_form, quadratic_form
from countbounds.errors import NotExact, Undecided
from countbounds.expressions import Expr
from countbounds.heads.head import HeadCurves
from countbounds.heads.rounding import Stored
from countbounds.heads.table import TableModel, all_zero
from countbounds.layer import Layer, Parameters
from countbounds.model import Model
from countbounds.rings import Element, Enclosure, ExactNumbers
from countbounds.vectors import Vector

WINDOW = 17
_MOST_PLACES = 4096


@dataclass(frozen=True)
class Failure:
    """An input that parameters rounded to p bits do not decode.

    Attributes:
        places: p.
        input: (n, m).
        error: an enclosure of |y - n| >= 1/2 there (regression); None for classes and where
            the output is undefined.
        winner: a class that scores at least as much as class n there; None for regression
            and where the output is undefined.
        tie: whether the two classes tie exactly.
    """

    places: int
    input: tuple[int, int]
    error: Bracket | None = None
    winner: int | None = None
    tie: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The failure with numbers as text."""
        half = Fraction(1, 2)
        return {
            "bits_fraction": self.places,
            "n": self.input[0],
            "m": self.input[1],
            "error": None if self.error is None else self.error.as_strings(apart=half),
            "winner": self.winner,
            "tie": self.tie,
            "undefined": self.error is None and self.winner is None,
        }


@dataclass(frozen=True)
class _Answer:
    """What rounding to so many places does.

    Attributes:
        margin: an enclosure of how far every input is from failing, positive; None if one
            does.
        failure: an input that does; None if none does.
        integer: the integer bits.
    """

    margin: Bracket | None
    failure: Failure | None
    integer: int


class Rounded:
    """A construction, decided at any number of places; each of them once.

    Args:
        length: L.
        layer: the layer.
        parameters: its vectors.
        vectors: class vectors, or nothing for a regression read-out.
        biases: their biases.
    """

    def __init__(
        self,
        length: int,
        layer: Layer,
        parameters: Parameters,
        vectors: Sequence[Vector] = (),
        biases: Sequence[Expr] = (),
    ) -> None:
        self.length = length
        self.layer = layer
        self.stored = Stored(parameters, vectors, biases)
        self.answers: dict[int, _Answer] = {}
        dim = parameters.dim
        biased = not all_zero(biases)
        self.scalars = dim if not vectors else len(vectors) * (dim + biased)
        others = len(self.stored.named) - (0 if vectors else 1)
        self.scalars_total = self.scalars + dim * others

    def at(self, places: int) -> _Answer:
        """The answer at so many places.

        Raises:
            Undecided: if the precision limit is reached.
        """
        if places not in self.answers:
            parameters, vectors, biases, largest = self.stored.at(places)
            integer = largest.__floor__().bit_length()
            if vectors:
                model = TableModel(self.layer, parameters, vectors, biases)
                margin, failure = _decide_classes(model, self.length, places)
            else:
                margin, failure = _decide(Model(self.layer, parameters), self.length, places)
            self.answers[places] = _Answer(margin, failure, integer)
        return self.answers[places]

    def decodes(self, places: int) -> bool:
        """Whether every input is decoded at so many places."""
        return self.at(places).failure is None

    def least(self) -> int:
        """The smallest p such that p, ..., p + 16 places all decode every input.

        Raises:
            Undecided: if there is none below 4096, or a check is undecided.
        """
        return least_run(self.decodes)


def least_run(holds: Callable[[int], bool]) -> int:
    """The smallest p >= 0 such that p, p + 1, ..., p + 16 all hold.

    Each run is tried from its end: where p + j fails, no run that begins at p, ..., p + j will
    do. So p - 1 is known to fail in the end (for p > 0), though not every smaller number is tried.

    Args:
        holds: is asked once for each number, and need not be monotone.

    Raises:
        Undecided: if there is none below 4096.

    >>> least_run(lambda p: p == 3 or p > 20)
    21
    """
    start, known = 0, 0  # start, ..., known - 1 hold
    while start < _MOST_PLACES:
        end = start + WINDOW
        failing = next((p for p in range(end - 1, known - 1, -1) if not holds(p)), None)
        if failing is None:
            return start
        start, known = failing + 1, end
    raise Undecided(f"No {WINDOW} precisions in a row below 2^-{_MOST_PLACES} decode every input.")


def _decide(model: Model, length: int, places: int) -> tuple[Bracket | None, Failure | None]:
    """Margin or failure of a regression read-out."""
    found = worst_error(model, length)
    if found.verdict == "undecided" or found.input is None:
        raise Undecided(f"Rounding to {places} bits is not decided within the precision limit.")
    half, error = Fraction(1, 2), found.error
    if found.verdict == "fails":
        return None, Failure(places, found.input, None if error.lower is None else error)
    assert error.lower is not None
    assert error.upper is not None
    return Bracket(half - error.upper, half - error.lower), None


def _decide_classes(
    model: TableModel, length: int, places: int
) -> tuple[Bracket | None, Failure | None]:
    """Margin or failure of a classification head.

    A failure is looked for among neighbours first, where it nearly always shows, so that the
    full-domain check need not explore a table that is far from decoding.
    """
    with Enclosure(128 + 6 * length.bit_length() + 2 * places) as ring:
        failure = _Neighbours(model, length, places, ring).failure()
    if failure is not None:
        return None, failure
    found = smallest_gap(model, length)
    counts = found.counts
    if found.verdict == "counts":
        return found.gap, None
    if found.verdict == "fails" and counts is not None:
        tie = found.gap is not None and not (found.gap.upper is None or found.gap.upper < 0)
        where = counts[0], counts[1]
        return None, Failure(places, where, winner=found.runner_up, tie=tie)
    raise Undecided(f"Rounding to {places} bits is not decided within the precision limit.")


class _Neighbours:
    """Neighbouring classes along the two edges m = 0 and m = L - n."""

    def __init__(self, model: TableModel, length: int, places: int, ring: Enclosure) -> None:
        self.model, self.length, self.places, self.ring = model, length, places, ring

    def failure(self) -> Failure | None:
        """An input that is provably not decoded, if one shows."""
        undefined = self._undefined_token()
        if undefined is not None:
            return Failure(self.places, undefined)
        curves = self.model.on(self.ring)
        near: list[tuple[Counts, int]] = []
        for n in range(self.length + 1):
            for m in sorted({0, self.length - n}):
                c: Counts = (1, n, m)
                root = self._root(curves, c)
                if root is None:
                    if self._vanishes(n, m):
                        return Failure(self.places, (n, m))
                    continue
                for k in (n - 1, n + 1):
                    if not 0 <= k <= self.length:
                        continue
                    gap = self._gap(curves, c, k, root)
                    if gap < 0:
                        return Failure(self.places, (n, m), winner=self._winner(curves, c, k, root))
                    if not gap > 0:
                        near.append((c, k))
        for c, k in near:
            if self._tie(c, k):
                return Failure(self.places, (c[1], c[2]), winner=k, tie=True)
        return None

    def _undefined_token(self) -> tuple[int, int] | None:
        model = self.model.against(0, 0)
        if all(square > 0 for _, square in model.vanishing(self.ring)):
            return None
        for at, square in sorted(model.vanishing(ExactNumbers()), key=lambda pair: pair[0]):
            if square.is_zero():
                return at
        return None

    def _vanishes(self, n: int, m: int) -> bool:
        try:
            return bool(self.model.against(0, 0).curve(ExactNumbers()).parts(n, m)[1].is_zero())
        except NotExact:
            return False

    def _root(self, curves: HeadCurves, c: Counts) -> Element | None:
        """The positive denominator; None if it is not provably positive."""
        if curves.gram is None:
            value = linear_form(curves.weights, c)
            return value if value > 0 else None
        value = quadratic_form(curves.gram, c)
        return value.sqrt() if value > 0 else None

    def _gap(self, curves: HeadCurves, c: Counts, k: int, root: Element) -> Element:
        """By how much class n beats class k."""
        own, other = curves.numerators[c[1]], curves.numerators[k]
        top = linear_form([a - b for a, b in zip(own, other, strict=True)], c)
        return top / root + curves.offsets[c[1]] - curves.offsets[k]

    def _winner(self, curves: HeadCurves, c: Counts, beside: int, root: Element) -> int:
        """A class that provably beats class n, the best of all as far as balls tell."""
        best, least = beside, self._gap(curves, c, beside, root)
        for k in range(self.length + 1):
            gap = self._gap(curves, c, k, root)
            if gap < least:
                best, least = k, gap
        return best

    def _tie(self, c: Counts, k: int) -> bool:
        """Whether class k provably scores exactly what class n does."""
        try:
            curve = self.model.against(c[1], k).curve(ExactNumbers())
            top = curve.parts(c[1], c[2])[0]
            if isinstance(curve, LinearFractional):
                return bool(top.is_zero())
            return bool(top.is_zero() and curve.offset.is_zero())
        except NotExact:
            return False


def decoding_together(sides: Iterable[Rounded], first: int) -> int:
    """The smallest p from `first` on at which all of these decode every input.

    Raises:
        Undecided: if there is none below 4096.
    """
    constructions = list(sides)
    for places in range(first, _MOST_PLACES):
        if all(side.decodes(places) for side in constructions):
            return places
    raise Undecided(f"No common precision below 2^-{_MOST_PLACES} decodes every input.")
