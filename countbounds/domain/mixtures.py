"""Branch and bound for the largest offset + slope n + <w, h>/|h| among mixtures of fillers.

What is cut off is proven to stay below the worst input so far by a dual vector
(`countbounds.domain.cone`), for a whole range of one token's number at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, isfinite
from typing import Any, Protocol, TypeAlias

from countbounds.domain.cone import Counts, Dual, Functional, Vertices, quadratic_form
from countbounds.errors import NotExact
from countbounds.rings import Element, Enclosure, ExactNumbers, Ring

_FEW_POINTS = 12
_MOST_PIECES = 2000
_MOST_BELOW = 400
_MOST_ROUNDINGS = 16

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
    def length(self) -> Element | None:
        """|w|^2 of a regression read-out with Q, where it is known."""
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


@dataclass(frozen=True)
class Limits:
    """How much effort a search for mixtures takes before it bounds what is left.

    Attributes:
        along: pieces along n.
        across: pieces at fixed n, in all.
    """

    along: int
    across: int


LONG, SHORT = Limits(2000, 6000), Limits(200, 600)


@dataclass(frozen=True)
class Part:
    """Some inputs: a least one, and up to `room` more of some tokens."""

    least: Counts
    axes: list[int]
    room: int

    @property
    def simplex(self) -> Vertices:
        """Its vertices."""
        corners = [self.least]
        if self.room:
            corners += [_plus(self.least, axis, self.room) for axis in self.axes]
        return Vertices(tuple(corners), tuple(corners))


def parts(n: int, fillers: int, length: int) -> Iterator[tuple[Part, list[Part]]]:
    """The mixtures with n counted tokens, cut up by the last two fillers present.

    Yields:
        for each last filler j: the inputs that hold j and no later one, and as their parts
        those that hold i < j as well and none between.
    """
    rest = length - n
    for j in range(1, fillers):
        last = (1, n, *(int(t == j) for t in range(fillers)))
        tokens = list(range(2, 2 + fillers))
        within = [
            Part(_plus(last, tokens[i], 1), [tokens[j], tokens[i], *tokens[:i]], rest - 2)
            for i in range(j)
        ]
        yield Part(last, tokens[: j + 1], rest - 1), within


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
        threshold: Fraction,
    ) -> None:
        self.floor = floor.upper()
        self.best: Counts | None = None
        self.beyond: list[Element] = []
        self.undefined: list[Counts] = []
        self.unknown = False
        self.pieces = LONG.across
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

    def explore_mixtures(self, fillers: int, length: int, pieces: int) -> None:
        """Consider every input with two fillers at least that can be worst.

        Ranges of n are settled with all fillers at once. What is left over when the effort
        is spent is bounded.
        """
        least = (1, *(0 for _ in range(1 + fillers)))
        others = list(range(2, 2 + fillers))
        effort = Effort(pieces)

        def vertices(low: int, high: int) -> Vertices:
            return _vertices(least, 1, others, length, low, high)

        for n in self._unsettled(vertices, length - 2, effort):
            for part, within in parts(n, fillers, length):
                if not self._settled(part.simplex):
                    for smaller in within:
                        self._descend(smaller, effort)

    def explore(self, part: Part) -> None:
        """Consider every input of a part that can be worst."""
        self._explore(part, Effort(_MOST_PIECES))

    def _explore(self, part: Part, effort: Effort) -> None:
        axis, *others = part.axes

        def vertices(low: int, high: int) -> Vertices:
            return _vertices(part.least, axis, others, part.room, low, high)

        for t in self._unsettled(vertices, part.room, effort):
            self._descend(Part(_plus(part.least, axis, t), others, part.room - t), effort)

    def _unsettled(
        self, vertices: Callable[[int, int], Vertices], last: int, effort: Effort
    ) -> Iterator[int]:
        """The numbers of 0..last that are neither settled in some range nor given up."""
        pending = [(0, last)]
        while pending:
            low, high = pending.pop()
            ends = vertices(low, high)
            if self._settled(ends):
                continue
            effort.left -= 1
            if effort.left < 0 and self._given_up(ends, effort):
                continue
            if low == high:
                yield low
            else:
                middle = (low + high) // 2
                pending += [(middle + 1, high), (low, middle)]

    def _descend(self, part: Part, effort: Effort) -> None:
        room, axes = part.room, part.axes
        if not axes or room == 0:
            self.consider(part.least)
        elif comb(room + len(axes), len(axes)) <= _FEW_POINTS:
            for c in _points(part.least, axes, room):
                self.consider(c)
        elif effort.outer is not None:
            self._explore(part, effort)
        elif self.seen.pieces > 0:
            inner = Effort(min(_MOST_BELOW, self.seen.pieces), outer=effort)
            self._explore(part, inner)
            self.seen.pieces -= _MOST_BELOW - max(inner.left, 0)
        elif not self._settled(part.simplex) and not self._leave(part.simplex):
            self.seen.unknown = True

    def _given_up(self, vertices: Vertices, effort: Effort) -> bool:
        """Whether a part that is not settled is left, bounded or unknown."""
        if self._leave(vertices):
            return True
        if effort.left < -_MOST_BELOW:
            self.seen.unknown = True
            return True
        return False

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
            total = sum(shares, shares[0] * 0)
            if not total > 0:
                continue
            point = [
                float(sum((w * c[t] for w, c in zip(shares, end, strict=True)), total * 0) / total)
                for t in range(len(end[0]))
            ]
            if not all(isfinite(x) for x in point):
                continue
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
