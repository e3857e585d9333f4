"""What a full-domain check has seen so far: inputs with their errors, and open bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from countbounds.curve import LinearFractional
from countbounds.domain.decide import Decider
from countbounds.errors import Undecided
from countbounds.rings import Element


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One input and the enclosure of its signed error y - n."""

    n: int
    m: int
    error: Element

    @property
    def magnitude(self) -> Element:
        """The enclosure of |y - n|."""
        return abs(self.error)


class Search:
    """The inputs considered in one pass over the domain, at one precision.

    Attributes:
        decider: decides signs for this curve.
        length: L; the domain is n, m >= 0 with n + m <= L.
        seen: every input considered at which y is defined.
        undefined: inputs at which y is provably undefined.
        beyond: upper bounds (exact arb) for the error on parts of the domain that were
            bounded but not resolved to single inputs.
        final: whether no more bits may be had, so that a part that stays unresolved is
            bounded rather than tried again.
        pieces: n -> every m at which a stretch of the column begins on which y may be
            constant, so that the least of several tied inputs can be named.
        spent: whether a budget of pieces was used up: more bits will not help then.
        complete: whether every part of the domain has been considered or bounded.
        floor: the largest proven lower bound of an error so far (exact arb).
    """

    def __init__(self, decider: Decider, length: int, *, final: bool = False) -> None:
        self.decider = decider
        self.length = length
        self.final = final
        self.spent = False
        self.complete = False
        self.pieces: Callable[[int], Iterable[int]] = lambda n: (0,)
        self.seen: dict[tuple[int, int], Evaluated] = {}
        self.undefined: list[tuple[int, int]] = []
        self.beyond: list[Element] = []
        self.floor = decider.ring.number(_ZERO)

    def consider(self, n: int, m: int) -> None:
        """Evaluate the error at one input, once.

        Raises:
            Undecided: if it is not decided whether y is defined there.
        """
        if (n, m) in self.seen:
            return
        top, bottom = self.decider.curve.parts(n, m)
        sign = self.decider.sign_of(bottom, lambda curve: curve.parts(n, m)[1])
        if isinstance(self.decider.curve, LinearFractional):
            if sign == 0:
                self.undefined.append((n, m))
                return
            error = top / bottom - n
        else:
            if sign <= 0:
                self.undefined.append((n, m))
                return
            error = top * bottom.rsqrt() + (self.decider.curve.offset - n)
        if not error.is_finite():
            raise Undecided("An output is too large for this precision.")
        self.seen[n, m] = evaluated = Evaluated(n, m, error)
        lower = evaluated.magnitude.abs_lower()
        self.floor = self.floor.max(lower)

    def consider_all(self, inputs: Iterable[tuple[int, int]]) -> None:
        """Evaluate the error at several inputs that lie in the domain; skip the others."""
        for n, m in inputs:
            if n >= 0 and m >= 0 and n + m <= self.length:
                self.consider(n, m)

    def largest(self, inputs: Iterable[tuple[int, int]]) -> Element:
        """An upper bound (exact arb) for the errors of inputs that were considered."""
        bound = self.decider.ring.number(_ZERO)
        for at in inputs:
            if at in self.seen:
                bound = bound.max(self.seen[at].error.abs_upper())
        return bound

    def leave(self, bound: Element) -> None:
        """Note an upper bound for the error on a part that stays unresolved."""
        self.beyond.append(bound.abs_upper())


def near(point: Element, low: int, high: int, width: int = 4) -> range:
    """The integers of low..high among which the floor and the ceiling of a number are.

    Args:
        point: an enclosure of the number.
        low: the first integer of interest.
        high: the last integer of interest.
        width: the largest number of integers worth looking at.

    Returns:
        Those integers; none if the number provably lies outside [low, high].

    Raises:
        Undecided: if the enclosure is wider than that.
    """
    if point < low or point > high:
        return range(0)
    if point.is_finite():
        zero = point * 0
        first = point.lower().max(zero + low).floor().unique_fmpz()
        last = point.upper().min(zero + high).ceil().unique_fmpz()
        if first is not None and last is not None and last - first <= width:
            return range(int(first), int(last) + 1)
    raise Undecided("A critical point is not located at this precision.")


_ZERO = Fraction(0)
