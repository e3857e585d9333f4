"""Which wrong classes come nearest, along one edge of the inputs, without trying all.

Along an edge (no fillers, or one filler in all free places) the scores of class k times a positive
root r(n) are P_k + Q_k n + beta_k r(n), so class k loses to class n at n by

    (P_n - P_k + (Q_n - Q_k) n)/r(n) + beta_n - beta_k.

**Lines** (no beta). If Q_k increases with k and each class beats its two neighbours at its own n,
then the neighbours are the nearest of all: for k > n the difference of classes k and n
at n is a sum of differences of neighbours j and j + 1, each of which increases with n and is
negative at n = j >= n already. So L + 1 inputs with two rivals each are enough.

**Blocks** (anything else). A range of n against a range of classes is settled at once if bounds of
the three terms show that no loss in it exceeds the largest so far; ranges that are not are
halved. All scores are taken relative to one class of the range, so that what is bounded is small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from countbounds.domain.cone import Counts
from countbounds.rings import Element

_LEAF = 4


@dataclass(frozen=True)
class Edge:
    """All scores along one edge, at n = 0, ..., L.

    Attributes:
        start: P_k for each class.
        slope: Q_k for each class.
        shift: beta_k for each class; None where all are equal.
        roots: r(n) for each n, positive.
        inputs: the input at n.
        excess: for each n, by what share of itself a positive difference of classes may grow
            between the corners; nothing where it cannot.
    """

    start: list[Element]
    slope: list[Element]
    shift: list[Element] | None
    roots: list[Element]
    inputs: Callable[[int], Counts]
    excess: list[Element] | None = None

    @property
    def last(self) -> int:
        """L."""
        return len(self.roots) - 1

    def difference(self, n: int, k: int) -> Element:
        """(P_k - P_n + (Q_k - Q_n) n)/r(n)."""
        top = self.start[k] - self.start[n] + (self.slope[k] - self.slope[n]) * n
        return top / self.roots[n]

    def loss(self, n: int, k: int) -> Element:
        """By how much class k beats class n at n (negative: by how much it loses)."""
        value = self.difference(n, k)
        return value if self.shift is None else value + self.shift[k] - self.shift[n]

    def most(self, n: int, k: int) -> Element:
        """An upper bound of the loss at n over all fillers, from this edge's side."""
        loss = self.loss(n, k)
        if self.excess is not None:
            inside = self.difference(n, k) * self.excess[n]
            loss = loss + inside.max(inside * 0)
        return loss


def are_lines(edge: Edge) -> bool:
    """Whether neighbours are provably the nearest rivals everywhere on the edge."""
    if edge.shift is not None:
        return False
    classes, last = len(edge.start), edge.last
    for k in range(classes - 1):
        if not edge.slope[k + 1] > edge.slope[k]:
            return False
        if k < last:
            if not (edge.loss(k, k + 1) < 0 and edge.loss(k + 1, k) < 0):
                return False
        elif not edge.start[k + 1] - edge.start[k] + (edge.slope[k + 1] - edge.slope[k]) * last < 0:
            return False
    return True


def neighbours(edge: Edge) -> Iterable[tuple[int, int]]:
    """Each n with the classes beside it."""
    for n in range(edge.last + 1):
        if n:
            yield n, n - 1
        if n + 1 < len(edge.start):
            yield n, n + 1


class Blocks:
    """Ranges of n against ranges of classes.

    Args:
        edge: the scores.
        floor: the largest loss so far, as it grows.
        consider: is called with each pair (n, k) that may be worse.
    """

    def __init__(
        self,
        edge: Edge,
        floor: Callable[[], Element],
        consider: Callable[[int, int], None],
    ) -> None:
        self.edge = edge
        self.floor = floor
        self.consider = consider

    def explore(self) -> None:
        """Consider every pair whose loss may exceed the floor."""
        pending = [((0, self.edge.last), [(0, len(self.edge.start) - 1)])]
        while pending:
            numbers, classes = pending.pop()
            kept = self._kept(numbers, classes)
            low, high = numbers
            if not kept:
                continue
            if high - low < _LEAF:
                for n in range(low, high + 1):
                    self._single(n, kept)
                continue
            middle = (low + high) // 2
            pending += [((middle + 1, high), kept), ((low, middle), kept)]

    def _single(self, n: int, classes: list[tuple[int, int]]) -> None:
        for first, last in classes:
            for k in range(first, last + 1):
                if k != n and not self.edge.most(n, k) < self.floor():
                    self.consider(n, k)

    def _kept(
        self, numbers: tuple[int, int], classes: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """The ranges of classes that are not settled, none much longer than that of n."""
        low, high = numbers
        bound = _Bound(self.edge, low, high)
        floor = self.floor()
        kept: list[tuple[int, int]] = []
        pending = list(reversed(classes))
        while pending:
            first, last = pending.pop()
            if bound.over(first, last) < floor:
                continue
            if last - first > max(high - low, _LEAF - 1):
                middle = (first + last) // 2
                pending += [(middle + 1, last), (first, middle)]
            else:
                kept.append((first, last))
        return kept


class _Bound:
    """Bounds of losses for low <= n <= high, relative to the class in the middle."""

    def __init__(self, edge: Edge, low: int, high: int) -> None:
        self.edge, self.low, self.high = edge, low, high
        self.centre = (low + high) // 2
        numbers = range(low, high + 1)
        self.least = _extreme(edge.roots[low : high + 1], largest=False)
        self.largest = _extreme(edge.roots[low : high + 1], largest=True)
        lines = [self._line(n, n) for n in numbers]
        self.own_line = _extreme(lines, largest=False)
        self.own = self.own_line
        if edge.shift is not None:
            base = edge.shift[self.centre]
            terms = [(edge.shift[n] - base) * edge.roots[n] for n in numbers]
            sums = [line + term for line, term in zip(lines, terms, strict=True)]
            self.own = _extreme(sums, largest=False)
        self.excess = None
        if edge.excess is not None:
            self.excess = _extreme(edge.excess[low : high + 1], largest=True)

    def over(self, first: int, last: int) -> Element:
        """An upper bound of the loss against the classes first..last, over all fillers."""
        edge, lines, tops = self.edge, [], []
        for k in range(first, last + 1):
            line = self._line(self.low, k).max(self._line(self.high, k))
            lines.append(line)
            if edge.shift is not None:
                shift = edge.shift[k] - edge.shift[self.centre]
                line = line + (shift * self.least).max(shift * self.largest)
            tops.append(line)
        top = _extreme(tops, largest=True) - self.own
        bound = (top / self.least).max(top / self.largest)
        if self.excess is not None:
            line = (_extreme(lines, largest=True) - self.own_line) / self.least
            bound = bound + (line * self.excess).max(line * 0)
        return bound

    def _line(self, n: int, k: int) -> Element:
        edge, centre = self.edge, self.centre
        return edge.start[k] - edge.start[centre] + (edge.slope[k] - edge.slope[centre]) * n


def _extreme(values: list[Element], *, largest: bool) -> Element:
    found = values[0]
    for value in values[1:]:
        found = found.max(value) if largest else found.min(value)
    return found
