"""What it costs to store a read-out: the bits that its numbers need to decode every input.

Every stored number of a construction is rounded to the nearest multiple of 2^-p, one p for all.
The rounded numbers are exact rationals, and the full-domain check decides them. `storage` finds
the smallest p at which p, p + 1, ..., p + 16 all decode, with an input at which p - 1 fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from countbounds.checking import read_bound, require_dim, require_integer, require_length
from countbounds.checking import smallest_decimal as next_decimal
from countbounds.curve import LinearFractional
from countbounds.decimals import Bracket, decimal, shorten
from countbounds.domain import worst_error
from countbounds.domain.classes import smallest_gap
from countbounds.domain.cone import Counts, linear_form, quadratic_form
from countbounds.errors import InputError, NotExact, Undecided
from countbounds.expressions import Expr, evaluate, rational
from countbounds.heads.constructions import LONGEST, construction
from countbounds.heads.head import HeadCurves, combined
from countbounds.heads.rounding import Stored
from countbounds.layer import Layer, Parameters
from countbounds.model import Model
from countbounds.rings import Element, Enclosure, ExactNumbers, Ring
from countbounds.variants import variant as variant_named
from countbounds.vectors import Vector

Readout = Literal["regression", "classification"]
READOUTS: tuple[Readout, ...] = ("regression", "classification")
WINDOW = 17
_MOST_PLACES = 4096
_ZERO = rational(0)


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
class Storage:
    """What a read-out costs to store.

    Attributes:
        variant: its name.
        length: L.
        dim: d.
        readout: "regression" or "classification".
        bound: B, which the norms keep before rounding; None where nothing can be built.
        bits_fraction: p; the numbers rounded to p, ..., p + 16 bits decode every input, and
            no smaller p has this property.
        bits_integer: the smallest i >= 0 with |x| < 2^i for every rounded number x.
        scalars: how many numbers the read-out stores: d, or (L + 1)(d + 1) for class vectors
            with biases; (L + 1) d where all biases are zero.
        scalars_total: the same with embeddings, gain and bias.
        gap: an enclosure of the margin at p: 1/2 minus the worst error, or the smallest gap.
        fails_at: an input at which rounding to p - 1 bits fails; None for p = 0.
        reason: why nothing can be stored; None where something can.
    """

    variant: str
    length: int
    dim: int
    readout: Readout
    bound: Fraction | None
    bits_fraction: int | None
    bits_integer: int | None
    scalars: int
    scalars_total: int
    gap: Bracket | None
    fails_at: Failure | None
    reason: str | None = None

    @staticmethod
    def impossible(
        variant: str, length: int, dim: int, bound: Fraction | None, reason: str
    ) -> Storage:
        """The result where no regression read-out counts at all."""
        return Storage(
            variant, length, dim, "regression", bound, None, None, 0, 0, None, None, reason
        )

    @property
    def bits_per_scalar(self) -> int | None:
        """A sign, the integer bits and the bits of the fraction."""
        if self.bits_integer is None or self.bits_fraction is None:
            return None
        return 1 + self.bits_integer + self.bits_fraction

    @property
    def readout_bits(self) -> int | None:
        """The bits of the read-out alone."""
        width = self.bits_per_scalar
        return None if width is None else width * self.scalars

    @property
    def total_bits(self) -> int | None:
        """The bits of everything stored."""
        width = self.bits_per_scalar
        return None if width is None else width * self.scalars_total

    def as_dict(self) -> dict[str, Any]:
        """The result with numbers as text, as the command line prints it in JSON."""
        possible = self.reason is None
        return {
            "variant": self.variant,
            "length": self.length,
            "dim": self.dim,
            "readout": self.readout,
            "bound": None if self.bound is None else decimal(self.bound),
            "bits_per_scalar": self.bits_per_scalar,
            "bits_fraction": self.bits_fraction,
            "bits_integer": self.bits_integer,
            "scalars": self.scalars if possible else None,
            "scalars_total": self.scalars_total if possible else None,
            "readout_bits": self.readout_bits,
            "total_bits": self.total_bits,
            "gap": None if self.gap is None else self.gap.as_strings(apart=Fraction(0)),
            "fails_at": None if self.fails_at is None else self.fails_at.as_dict(),
            "reason": self.reason,
        }


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
        biased = any(bias.value != 0 for bias in self.biases)
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
        biased = any(bias.value != 0 for bias in biases)
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


def storage(
    variant: str,
    length: int,
    dim: int,
    readout: Readout,
    bound: str | int | float | Fraction | None = None,
) -> Storage:
    """What a construction's read-out costs to store.

    Args:
        variant: a name of `countbounds.variants.NAMES`.
        length: L, from 1 to 10^18 for regression, to 10^5 for classification.
        dim: d, from 3 to 10^6.
        readout: "regression" or "classification".
        bound: B > 0, read exactly; by default that of `check` for regression, and 1 for
            classification.

    Raises:
        InputError: if an argument is out of range, or the construction does not count at
            the bound.
        Undecided: if a check is, or more than 4096 bits are needed.

    >>> result = storage("softmax-post-ln", 10, 16, "regression")
    >>> result.bits_per_scalar, result.scalars, result.total_bits
    (14, 16, 896)
    """
    if readout not in READOUTS:
        raise InputError(
            f'The read-out is "regression" or "classification", not "{shorten(readout)}".'
        )
    prepared = prepare(variant, length, dim, readout, bound)
    if isinstance(prepared, str):
        given = None if bound is None else read_bound(bound)
        return Storage.impossible(variant, length, dim, given, prepared)
    return result_of(variant, length, dim, readout, *prepared)


def prepare(
    variant: str,
    length: int,
    dim: int,
    readout: Readout,
    bound: str | int | float | Fraction | None = None,
) -> tuple[Fraction, Rounded] | str:
    """The bound and the construction of a read-out; a sentence where there is none.

    Raises:
        InputError: as `storage`.
    """
    chosen = variant_named(variant)
    require_dim(dim)
    if readout == "classification":
        require_integer(length, "length L of a classification head", 1, LONGEST, "10^5")
        used = Fraction(1) if bound is None else read_bound(bound)
        model = construction(variant, length, dim, used).model
        vectors = [model.head.vector(k) for k in range(length + 1)]
        biases = [model.head.bias(k) for k in range(length + 1)]
        return used, Rounded(length, model.layer, model.parameters, vectors, biases)
    require_length(length)
    given = None if bound is None else read_bound(bound)
    longest = chosen.longest(dim) if chosen.longest is not None else None
    if longest is not None and length > longest:
        return (
            f"{variant} with a regression read-out counts at d = {dim} to L_cap({dim}) = {longest} "
            f"at most, at any bound; L = {length} is impossible."
        )
    used = next_decimal(chosen.guaranteed_bound(length, dim)) if given is None else given
    parameters = chosen.build(length, dim, used)
    if (
        given is not None
        and worst_error(Model(chosen.layer, parameters), length).verdict == "fails"
    ):
        raise InputError(
            f"The construction of {variant} does not count to L = {length} at B = {decimal(used)}; "
            "give a larger bound, or none for the one that it is guaranteed at."
        )
    return used, Rounded(length, chosen.layer, parameters)


def result_of(
    variant: str, length: int, dim: int, readout: Readout, bound: Fraction, rounded: Rounded
) -> Storage:
    """The result for a prepared construction."""
    places = rounded.least()
    answer = rounded.at(places)
    return Storage(
        variant=variant,
        length=length,
        dim=dim,
        readout=readout,
        bound=bound,
        bits_fraction=places,
        bits_integer=answer.integer,
        scalars=rounded.scalars,
        scalars_total=rounded.scalars_total,
        gap=answer.margin,
        fails_at=rounded.at(places - 1).failure if places else None,
    )


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
