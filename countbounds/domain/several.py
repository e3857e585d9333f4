"""The full-domain check with several distinct fillers.

Let c = (1, n, m_1, ..., m_k) with n + m_1 + ... + m_k <= L.

Without a norm after attention y is linear-fractional in c with a positive denominator, so
for fixed n it is largest and smallest at a vertex of the simplex of the m_j: at m = 0 or
where one filler takes all of L - n. Each filler alone decides.

With such a norm y = tau + <w, h>/|h|, h linear in c. Where <w, h> > 0 this is quasi-concave
in m for fixed n, where <w, h> <= 0 quasi-convex. So the smaller side is again decided by each
filler alone, but the largest value may lie at a mixture of fillers. Mixtures are searched by
branch and bound: those in which i and j > i are the last two fillers present, for each pair,
first along n, then along one filler's number after the other. What is cut off is proven to
stay below the worst input so far by a dual vector (`countbounds.domain.cone`), for a whole
range of n at once, so that the cost grows with the digits of L.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any, Protocol, TypeAlias

from countbounds.decimals import Bracket
from countbounds.domain import PRECISION_LIMIT, worst_error
from countbounds.domain.cone import Counts, Dual, Functional, Vertices, quadratic_form
from countbounds.domain.decide import CurveSource
from countbounds.domain.verdict import Verdict
from countbounds.errors import NotExact
from countbounds.rings import Element, Enclosure, ExactNumbers, Ring

_FEW_POINTS = 12
_MOST_PIECES = 2000
_MOST_IN_ALL = 6000
_MOST_BELOW = 400
_MOST_ROUNDINGS = 16
_HALF = Fraction(1, 2)

Gram: TypeAlias = Sequence[Sequence[Element]]


class SeveralCurves(Protocol):
    """The curves of a layer with any number of fillers, on one ring."""

    @property
    def numerators(self) -> tuple[tuple[Element, ...], ...]:
        """For each output, the linear form A over the tokens."""
        ...

    @property
    def offsets(self) -> tuple[Element, ...]:
        """For each output, tau."""
        ...

    @property
    def gram(self) -> tuple[tuple[Element, ...], ...] | None:
        """The quadratic form Q, or None where the curve is linear-fractional."""
        ...

    @property
    def definite(self) -> bool:
        """Whether Q is known to be positive at every input."""
        ...


class SourceOfForms(Protocol):
    """Anything whose curves have forms on every ring."""

    def on(self, ring: Ring) -> SeveralCurves:
        """The curves on a ring."""
        ...


class SeveralSource(SourceOfForms, Protocol):
    """A regression layer with any number of fillers."""

    @property
    def fillers(self) -> int:
        """How many there are."""
        ...

    def alone(self, filler: int | None) -> CurveSource:
        """The layer with one of its fillers (from 0), or with none."""
        ...


@dataclass(frozen=True)
class SeveralError:
    """The answer of the full-domain check with several fillers.

    Attributes:
        verdict: "counts" if |y - n| < 1/2 on the whole domain, "fails" if not (or if y is
            undefined somewhere), "undecided" if the limits were reached.
        error: an enclosure of the largest |y - n|; infinite where y is undefined.
        counts: (n, m_1, ..., m_k), an input whose error reaches the enclosure's lower end;
            None only if nothing was decided.
        length: L.
        bits: the working precision that settled the question.
    """

    verdict: Verdict
    error: Bracket
    counts: Counts | None
    length: int
    bits: int


def worst_error_of_several(
    source: SeveralSource, length: int, precision: int | None = None
) -> SeveralError:
    """The largest |y - n| over all n, m_1, ..., m_k >= 0 with sum <= L, and the verdict.

    Args:
        source: the layer.
        length: L >= 1.
        precision: the working precision, in bits, at which an open question is given up.

    Raises:
        InputError: if the length is not an integer >= 1.
    """
    fillers = source.fillers
    alone: list[int | None] = list(range(fillers)) or [None]
    found = []
    for filler in alone:
        result = worst_error(source.alone(filler), length, precision)
        counts = None
        if result.input is not None:
            n, m = result.input
            counts = (n, *(m if j == filler else 0 for j in range(fillers)))
        found.append(SeveralError(result.verdict, result.error, counts, length, result.bits))
    worst = combined(found)
    if fillers < 2 or length < 2 or worst.error.lower is None:
        return worst
    first = 128 + 6 * length.bit_length()
    last = max(PRECISION_LIMIT, first) if precision is None else max(precision, 64)
    mixed = None
    for bits in (first, 2 * first, 4 * first):
        with Enclosure(min(bits, last)) as ring:
            curves = source.on(ring)
            if curves.gram is None:
                return worst
            mixed = _mixtures(source, curves, worst.error, length, ring)
        if mixed.verdict != "undecided" or worst.verdict == "fails" or bits >= last:
            break
    return worst if mixed is None else combined([worst, mixed])


def combined(found: list[SeveralError]) -> SeveralError:
    """The worst of several parts of one domain."""
    verdicts = {each.verdict for each in found}
    verdict: Verdict = "counts" if verdicts == {"counts"} else "undecided"
    if "fails" in verdicts:
        verdict = "fails"
    length, bits = found[0].length, max(each.bits for each in found)
    lowers = [each.error.lower for each in found]
    worst = [each.counts for each in found if each.error.lower is None]
    lower: Fraction | None = None
    upper: Fraction | None = None
    if None not in lowers:
        lower = max(filter(None, lowers), default=Fraction(0))
        worst = [each.counts for each in found if each.error.lower == lower]
        uppers = [each.error.upper for each in found]
        if None not in uppers:
            upper = max(filter(None, uppers), default=Fraction(0))
    at = min((counts for counts in worst if counts is not None), default=None)
    return SeveralError(verdict, Bracket(lower, upper), at, length, bits)


def _mixtures(
    source: SeveralSource, curves: SeveralCurves, known: Bracket, length: int, ring: Enclosure
) -> SeveralError:
    """The worst error among inputs with two fillers at least, where it exceeds what is known.

    Args:
        source: the layer.
        curves: its curves on the ring.
        known: the worst error among inputs with one filler at most.
        length: L.
        ring: where to compute.
    """
    # A little above what is known, so that a tie of a mixture with it can be cut off.
    slack = Fraction(1, 1 << (ring.bits // 2))
    start = known.lower if known.upper is None else known.upper
    seen = Seen(source, ring.number((start or Fraction(0)) * (1 + slack)), ring)
    offset = curves.offsets[0]
    for sign in (1, -1):
        assert curves.gram is not None
        functional = Functional([sign * a for a in curves.numerators[0]], curves.gram, ring)
        search = Mixtures(functional, seen, sign * offset, -sign)
        search.vanishing = sign == 1 and not curves.definite
        for region in regions(source.fillers, length):
            search.explore(*region)
    if seen.undefined:
        first = min(seen.undefined)[1:]
        return SeveralError("fails", Bracket(None, None), first, length, ring.bits)
    counts, lower = None, Fraction(0)
    if seen.best is not None:
        counts, lower = seen.best[1:], Bracket.of(seen.floor).lower or lower
    bound = seen.floor
    for other in seen.beyond:
        bound = bound.max(other)
    upper = None if seen.unknown else Bracket.of(bound).upper
    verdict: Verdict = "undecided"
    if lower >= _HALF:
        verdict = "fails"
    elif upper is not None and upper < _HALF:
        verdict = "counts"
    return SeveralError(verdict, Bracket(lower, upper), counts, length, ring.bits)


def regions(fillers: int, length: int) -> Iterator[tuple[Counts, list[int], int]]:
    """The inputs with two fillers at least, cut up by the last two fillers present.

    Yields:
        the least input of each part (a 1 for the boundary token first), the tokens of which
        there may be more, the counted one first, and how many tokens may be added.
    """
    for j in range(1, fillers):
        for i in range(j):
            least = tuple(int(t in (0, 2 + i, 2 + j)) for t in range(2 + fillers))
            yield least, [1, 2 + j, 2 + i, *range(2, 2 + i)], length - 2


class Seen:
    """What a search of mixtures has found so far, at one precision.

    Attributes:
        floor: the largest proven lower bound of an error so far, or where the search
            began (exact arb).
        best: an input (with the boundary token) whose error is at least that, if one was
            found.
        beyond: upper bounds for parts of the domain that stayed unresolved.
        undefined: inputs at which y is provably undefined.
        unknown: whether it stayed open somewhere whether y is defined.
        pieces: how many pieces may still be looked at where n is fixed.
        threshold: what the largest value is compared with in the end.
    """

    def __init__(
        self,
        source: SourceOfForms,
        floor: Element,
        ring: Enclosure,
        threshold: Fraction = _HALF,
    ) -> None:
        self.floor = floor.upper()
        self.best: Counts | None = None
        self.beyond: list[Element] = []
        self.undefined: list[Counts] = []
        self.unknown = False
        self.pieces = _MOST_IN_ALL
        self.threshold = ring.number(threshold)
        self.ring = ring
        self._source = source
        self._exact: Any = None

    def square(self, gram: Gram, c: Counts) -> Element | None:
        """Q at an input; None where it is not proven to be positive, which is noted."""
        square = quadratic_form(gram, c)
        if square > 0:
            return square
        if self._is_zero(c):
            self.undefined.append(c)
        else:
            self.unknown = True
        return None

    def _is_zero(self, c: Counts) -> bool:
        try:
            if self._exact is None:
                self._exact = self._source.on(ExactNumbers()).gram
            return bool(quadratic_form(self._exact, c).is_zero())
        except NotExact:
            return False


@dataclass(slots=True)
class Effort:
    """How many pieces may still be looked at.

    Attributes:
        left: their number.
        outer: the effort along n, for a search at a fixed n.
    """

    left: int
    outer: Effort | None = None


class Mixtures:
    """Branch and bound for the largest offset + slope n + <w, h>/|h|.

    Args:
        functional: <w, .> and the Gram matrix.
        seen: what was found so far; shared between searches of one domain.
        offset: the constant.
        slope: the integer factor of n.
    """

    def __init__(self, functional: Functional, seen: Seen, offset: Element, slope: int) -> None:
        self.functional = functional
        self.seen = seen
        self.offset = offset
        self.slope = slope
        self.vanishing = False

    def consider(self, c: Counts) -> None:
        """Evaluate one input."""
        seen = self.seen
        square = seen.square(self.functional.gram, c)
        if square is None:
            return
        value = self.functional.value(c) / square.sqrt() + self._offset(c[1])
        if not value.is_finite():
            seen.unknown = True
            return
        if value.upper() > seen.floor:
            seen.beyond.append(value.upper())
        if value.lower() > seen.floor:
            seen.floor, seen.best = value.lower(), c

    def explore(self, least: Counts, axes: list[int], room: int) -> None:
        """Consider every input of a part that can be worst: `least` and up to `room` more.

        Where the effort has a limit, what is left over is bounded instead: first the inputs
        with a fixed n, for which the bound is sharp, and only then ranges of n.
        """
        self._explore(least, axes, room, Effort(_MOST_PIECES))

    def _explore(self, least: Counts, axes: list[int], room: int, effort: Effort) -> None:
        axis, *others = axes
        pending = [(0, room)]
        while pending:
            low, high = pending.pop()
            effort.left -= 1
            vertices = _vertices(least, axis, others, room, low, high)
            if self._settled(vertices):
                continue
            if effort.left < 0:
                if self._leave(vertices):
                    continue
                if effort.left < -_MOST_BELOW:
                    self.seen.unknown = True
                    continue
            if low < high:
                middle = (low + high) // 2
                pending += [(middle + 1, high), (low, middle)]
            else:
                self._descend(_plus(least, axis, low), others, room - low, effort, vertices)

    def _descend(
        self, least: Counts, axes: list[int], room: int, effort: Effort, vertices: Vertices
    ) -> None:
        if not axes or room == 0:
            self.consider(least)
        elif comb(room + len(axes), len(axes)) <= _FEW_POINTS:
            for c in _points(least, axes, room):
                self.consider(c)
        elif effort.outer is not None:
            self._explore(least, axes, room, effort)
        elif self.seen.pieces > 0:
            inner = Effort(min(_MOST_BELOW, self.seen.pieces), outer=effort)
            self._explore(least, axes, room, inner)
            self.seen.pieces -= _MOST_BELOW - max(inner.left, 0)
        elif not self._leave(vertices):
            self.seen.unknown = True

    def _settled(self, vertices: Vertices) -> bool:
        """Whether no input of a part can be worse than the worst so far, nor undefined.

        If <w, h> <= 0 everywhere, the largest value for each n lies at an input with one
        filler at most: at a vertex of the whole simplex by quasi-convexity, or at one with
        <w, h> > 0 if there is one.
        """
        if self.vanishing and not self.functional.vanishes_nowhere(vertices):
            return False
        if self.functional.at_most_zero(vertices):
            return True
        dual = self.functional.bound(vertices)
        if dual is None:
            return False
        if dual.below(*self._levels(vertices)):
            return True
        self._try(vertices, dual)
        return dual.below(*self._levels(vertices))

    def _levels(self, vertices: Vertices, level: Element | None = None) -> tuple[Element, Element]:
        level = self.seen.floor if level is None else level
        first, last = (end[0][1] for end in (vertices.first, vertices.last))
        return level - self._offset(first), level - self._offset(last)

    def _offset(self, n: int) -> Element:
        return self.offset + self.slope * n

    def _leave(self, vertices: Vertices) -> bool:
        """Bound a part that stays unresolved, below the threshold if that can be shown.

        Returns:
            whether a bound was found.
        """
        seen = self.seen
        dual = self.functional.bound(vertices)
        if dual is None or (self.vanishing and not self.functional.vanishes_nowhere(vertices)):
            return False
        first, last = (end[0][1] for end in (vertices.first, vertices.last))
        bound = (dual.upper() + self._offset(first).max(self._offset(last))).upper()
        between = (seen.floor + seen.threshold) / 2
        if (
            not bound < seen.threshold
            and between < seen.threshold
            and dual.below(*self._levels(vertices, between))
        ):
            bound = between.upper()
        seen.beyond.append(bound)
        return True

    def _try(self, vertices: Vertices, dual: Dual) -> None:
        """Consider the inputs next to where the bound is reached."""
        for end, shares in zip((vertices.first, vertices.last), dual.shares, strict=True):
            weights = [float(share) for share in shares]
            total = sum(weights)
            if not total > 0:
                continue
            point = [
                sum(w * c[t] for w, c in zip(weights, end, strict=True)) / total
                for t in range(len(end[0]))
            ]
            room = max(sum(c) for c in end)
            choices = [
                _beside(x, min(among), max(among))
                for x, among in zip(point, zip(*end, strict=True), strict=True)
            ]
            for count, c in enumerate(product(*choices)):
                if count == _MOST_ROUNDINGS:
                    break
                if sum(c) <= room:
                    self.consider(c)


class Vanishing(Mixtures):
    """The search for inputs at which h = 0, so that the norm is undefined.

    Args:
        gram: Q over the tokens.
        seen: where they are noted.
    """

    def __init__(self, gram: Gram, seen: Seen) -> None:
        super().__init__(Functional((), gram, seen.ring), seen, seen.threshold * 0, 0)

    def consider(self, c: Counts) -> None:
        """Look at one input."""
        self.seen.square(self.functional.gram, c)

    def _settled(self, vertices: Vertices) -> bool:
        return self.functional.vanishes_nowhere(vertices)

    def _leave(self, vertices: Vertices) -> bool:
        return False


def _beside(x: float, least: int, most: int) -> list[int]:
    """The integers next to a guess, within bounds."""
    down = min(max(least, int(x)), most)
    return [down] if x <= down or down == most else [down, down + 1]


def _vertices(
    least: Counts, axis: int, others: list[int], room: int, low: int, high: int
) -> Vertices:
    """With t = low and t = high more of one token, and all that is left of one other."""
    ends = []
    for t in (low, high):
        base = _plus(least, axis, t)
        ends.append((base, *(_plus(base, other, room - t) for other in others)))
    return Vertices(*ends)


def _plus(c: Counts, token: int, more: int) -> Counts:
    return (*c[:token], c[token] + more, *c[token + 1 :])


def _points(least: Counts, axes: list[int], room: int) -> Iterator[Counts]:
    axis, *others = axes
    for t in range(room + 1):
        c = _plus(least, axis, t)
        if others:
            yield from _points(c, others, room - t)
        else:
            yield c
