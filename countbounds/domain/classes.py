"""The full-domain check of a classification head: the smallest winning gap.

The score of class k at c = (1, n, m_1, ..., m_f) is s_k(c) = <r_k, h(c)> + beta_k, and n should
win: the gap at c is the smallest s_n - s_k over all k other than n. For fixed n and k it is a
curve like that of a regression read-out, with r_n - r_k in place of the read-out. So without
a norm after attention it is smallest at a vertex of the simplex of the m_j. With one it
is smallest at a vertex too where <r_n - r_k, .> >= 0 at all of them (there it is
quasi-concave); for the other pairs mixtures and inputs between are searched by branch and
bound, as in `countbounds.domain.mixtures`.

At the vertices, only classes that may be nearest are looked at (`countbounds.domain.rivals`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from countbounds.decimals import Bracket, is_integer, shorten
from countbounds.domain import PRECISION_LIMIT
from countbounds.domain.cone import Counts, Functional, corners, linear_form, quadratic_form
from countbounds.domain.decide import certain_sign
from countbounds.domain.mixtures import Mixtures, Part, Seen, SeveralCurves, Vanishing
from countbounds.domain.rivals import Blocks, Edge, are_lines, neighbours
from countbounds.domain.verdict import Verdict
from countbounds.errors import InputError, NotExact
from countbounds.rings import Element, Enclosure, ExactNumbers, Ring

_SHARP_BITS = 40


class ClassCurves(SeveralCurves, Protocol):
    """The scores of all classes, on one ring."""

    @property
    def weights(self) -> tuple[Element, ...]:
        """The denominator over the tokens, where Q is None."""
        ...


class ClassSource(Protocol):
    """A layer with a classification head and any number of fillers."""

    @property
    def fillers(self) -> int:
        """How many fillers there are."""
        ...

    @property
    def classes(self) -> int:
        """How many classes there are; class k stands for the count k."""
        ...

    def on(self, ring: Ring) -> ClassCurves:
        """The curves on a ring."""
        ...


@dataclass(frozen=True)
class SmallestGap:
    """The answer of the full-domain check of a classification head.

    Attributes:
        verdict: "counts" if the right class wins on the whole domain, "fails" if not (a tie
            is none, and neither is an output that is undefined), "undecided" if the limits
            were reached.
        gap: an enclosure of the smallest winning gap (negative where a wrong class wins);
            None where an output is undefined or the class of a count is missing.
        counts: (n, m_1, ..., m_f), an input whose gap reaches the enclosure's upper end.
        runner_up: a class whose score there lies below (or above) that of class n by the
            gap: where several nearly tie, not always the nearest.
        length: L.
        bits: the working precision that settled the question.
    """

    verdict: Verdict
    gap: Bracket | None
    counts: Counts | None
    runner_up: int | None
    length: int
    bits: int


def smallest_gap(source: ClassSource, length: int, precision: int | None = None) -> SmallestGap:
    """The smallest winning gap over all n, m_1, ..., m_f >= 0 with sum <= L, and the verdict.

    Args:
        source: the layer.
        length: L >= 1.
        precision: the working precision, in bits, at which an open question is given up.

    Raises:
        InputError: if the length is not an integer >= 1.
    """
    if not is_integer(length) or length < 1:
        raise InputError(f"The length L is an integer from 1 on, not {shorten(repr(length))}.")
    if length >= source.classes:
        missing = (source.classes, *(0 for _ in range(source.fillers)))
        return SmallestGap("fails", None, missing, None, length, 0)
    bits = 128 + 6 * length.bit_length()
    last = max(PRECISION_LIMIT, bits) if precision is None else max(precision, 64)
    while True:
        bits = min(bits, last)
        with Enclosure(bits) as ring:
            search = _Gaps(source, ring, length)
            found = search.result()
        enough = found.verdict != "undecided" and not search.blurred(found)
        if enough or bits == last:
            return found
        bits *= 4


class _Gaps:
    """One pass at one precision. What is searched is the largest loss, minus the gap."""

    def __init__(self, source: ClassSource, ring: Enclosure, length: int) -> None:
        self.source = source
        self.ring = ring
        self.length = length
        self.curves = source.on(ring)
        self.tokens = 2 + source.fillers
        self.seen = Seen(source, -ring.infinity, ring, Fraction(0))
        self.pair: tuple[int, int] | None = None
        self.largest: Element = -ring.infinity
        self.inside: dict[tuple[int, int], None] = {}

    def result(self) -> SmallestGap:
        if self.curves.gram is not None and not self.curves.definite:
            least = (1, *(0 for _ in range(self.tokens - 1)))
            search = Vanishing(self.curves.gram, self.seen)
            search.explore(Part(least, list(range(1, self.tokens)), self.length))
        for edge in self._edges():
            self._rivals(edge)
        seen, bits = self.seen, self.ring.bits
        if seen.undefined:
            return SmallestGap("fails", None, min(seen.undefined)[1:], None, self.length, bits)
        runner_up = self._inside()
        bound = self.largest
        for other in seen.beyond:
            bound = bound.max(other)
        upper = -seen.floor
        lower = None if seen.unknown else -bound
        gap = Bracket(None if lower is None else Bracket.of(lower).lower, Bracket.of(upper).upper)
        counts = None if seen.best is None else seen.best[1:]
        verdict: Verdict = "undecided"
        if upper < 0 or (counts is not None and runner_up is not None and self._tie(runner_up)):
            verdict = "fails"
        elif lower is not None and lower > 0 and counts is not None:
            verdict = "counts"
        return SmallestGap(verdict, gap, counts, runner_up, self.length, bits)

    def blurred(self, found: SmallestGap) -> bool:
        """Whether more bits would say more exactly how large a gap is that is not 0."""
        if found.gap is None or self.inside or self.seen.beyond:
            return False
        lower, upper = found.gap.lower, found.gap.upper
        if lower is None or upper is None or lower <= 0 <= upper:
            return False
        return upper - lower > min(abs(lower), abs(upper)) / (1 << _SHARP_BITS)

    def _edges(self) -> Iterator[Edge]:
        """The edges of the domain: no filler, and each filler in all free places."""
        curves, fillers, length = self.curves, self.source.fillers, self.length
        shift = None if self._same_shift() else list(curves.offsets)
        excess = None
        if curves.gram is not None and fillers:
            excess = [self._excess(n) for n in range(length + 1)]
        for filler in range(-1, fillers):

            def at(n: int, filler: int = filler) -> Counts:
                rest = length - n
                return (1, n, *(rest if j == filler else 0 for j in range(fillers)))

            start = at(0)
            step = tuple(b - a for a, b in zip(start, at(1), strict=True))
            forms = list(curves.numerators)
            if curves.gram is None:  # one root for all terms: beta joins the line
                forms = [
                    tuple(a + beta * w for a, w in zip(row, curves.weights, strict=True))
                    for row, beta in zip(forms, curves.offsets, strict=True)
                ]
            roots = [self._root(at(n)) for n in range(length + 1)]
            if any(root is None for root in roots):
                continue
            yield Edge(
                [linear_form(row, start) for row in forms],
                [linear_form(row, step) for row in forms],
                shift,
                [root for root in roots if root is not None],
                at,
                excess,
            )

    def _same_shift(self) -> bool:
        """Whether beta is the same for all classes, or part of the lines."""
        first, *others = self.curves.offsets
        return self.curves.gram is None or all((other - first).is_zero() for other in others)

    def _excess(self, n: int) -> Element:
        """By what share of itself <w, h>/|h| may grow between the corners at n.

        h is a sum of the corners g_i with shares >= 0; if each has an angle of at most
        theta with g_0, then |h| >= cos(theta) times the sum of the |g_i|.
        """
        gram = self.curves.gram
        assert gram is not None
        first, *others = corners(n, self.length, self.source.fillers)
        base = quadratic_form(gram, first)
        image = [linear_form(row, first) for row in gram]
        least = self.ring.number(Fraction(1))
        for other in others:
            square = quadratic_form(gram, other) * base
            cosine = linear_form(image, other) / square.sqrt() if square > 0 else -least
            least = least.min(cosine)
        return 1 / least - 1 if least > 0 else self.ring.infinity

    def _rivals(self, edge: Edge) -> None:
        """Consider every class that may be nearest somewhere on an edge."""

        def consider(n: int, k: int) -> None:
            loss = edge.loss(n, k)
            if not loss.is_finite():
                self.seen.unknown = True
                return
            self.largest = self.largest.max(loss.upper())
            if loss.lower() > self.seen.floor:
                self.seen.floor, self.seen.best = loss.lower(), edge.inputs(n)
                self.pair = (n, k)
            if edge.excess is not None and not edge.difference(n, k) <= 0:
                self.inside[n, k] = None

        for n, k in neighbours(edge):
            consider(n, k)
        if not are_lines(edge):
            Blocks(edge, lambda: self.seen.floor, consider).explore()

    def _root(self, c: Counts) -> Element | None:
        """What <r, N(c)> is to be divided by for <r, h(c)>; None if that is undefined."""
        gram = self.curves.gram
        if gram is None:
            return linear_form(self.curves.weights, c)
        square = self.seen.square(gram, c)
        return None if square is None else square.sqrt()

    def _inside(self) -> int | None:
        """Search between the vertices for the pairs that may be closest there."""
        runner_up = None if self.pair is None else self.pair[1]
        gram = self.curves.gram
        if gram is None:
            return runner_up
        for n, k in self.inside:
            curves, before = self.curves, self.seen.floor
            linear = [
                a - b for a, b in zip(curves.numerators[k], curves.numerators[n], strict=True)
            ]
            search = Mixtures(
                Functional(linear, gram, self.ring),
                self.seen,
                curves.offsets[k] - curves.offsets[n],
                0,
            )
            least = (1, n, *(0 for _ in range(self.source.fillers)))
            search.explore(Part(least, list(range(2, self.tokens)), self.length - n))
            if self.seen.floor > before:
                runner_up = k
        return runner_up

    def _tie(self, runner_up: int) -> bool:
        """Whether the best input is provably a tie with the runner-up."""
        c = self.seen.best
        if c is None or not self._gap(self.curves, c, runner_up).contains(0):
            return False
        try:
            curves = self.source.on(ExactNumbers())
            top, shift = self._parts(curves, c, runner_up)
            if curves.gram is None:
                bottom = linear_form(curves.weights, c)
                return bool((top + shift * bottom).is_zero())
            if top.is_zero() or shift.is_zero():
                return bool(top.is_zero() and shift.is_zero())
            signs = [certain_sign(value) for value in self._parts(self.curves, c, runner_up)]
            square = quadratic_form(curves.gram, c)
            squares_agree = bool((top * top - shift * shift * square).is_zero())
            return squares_agree and sorted(signs, key=str) == [-1, 1]
        except NotExact:
            return False

    def _gap(self, curves: ClassCurves, c: Counts, runner_up: int) -> Element:
        top, shift = self._parts(curves, c, runner_up)
        root = self._root(c)
        return self.ring.infinity if root is None else top / root + shift

    def _parts(self, curves: ClassCurves, c: Counts, k: int) -> tuple[Element, Element]:
        """<r_n - r_k, N(c)> and beta_n - beta_k."""
        own, other = curves.numerators[c[1]], curves.numerators[k]
        difference = [a - b for a, b in zip(own, other, strict=True)]
        top = linear_form(difference, c)
        return top, curves.offsets[c[1]] - curves.offsets[k]
