"""How large <w, h>/|h| can be over a polytope of vectors h: bounds by duality.

For any vector z with <z, g> >= <w, g> at every vertex g of the polytope, each of its points
has <w, h> <= <z, h> <= |z| |h|. The best such z is the projection of w onto the cone of
the vertices, and with it the bound is reached wherever it is positive. The projection is
searched for numerically, and then the inequalities are proven, for a polytope whose
vertices move linearly with a parameter t as well: at every t in [low, high] at once.

Vectors are integer combinations of the token vectors N_t, so that inner products are taken
with their Gram matrix and no coordinates are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from countbounds.rings import Element, Enclosure

Counts = tuple[int, ...]
"""How often each token occurs: the boundary token first, then the counted, then fillers."""

_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Vertices:
    """The vertices of a polytope at two values of t, between which they move linearly.

    Attributes:
        first: each vertex at the lower t.
        last: each vertex at the upper t, in the same order.
    """

    first: tuple[Counts, ...]
    last: tuple[Counts, ...]


def corners(n: int, length: int, fillers: int) -> list[Counts]:
    """The vertices of the inputs with n counted tokens: no filler, or one in all places.

    >>> corners(3, 5, 2)
    [(1, 3, 0, 0), (1, 3, 2, 0), (1, 3, 0, 2)]
    """
    rest = length - n
    found: list[Counts] = [(1, n, *(0 for _ in range(fillers)))]
    if rest:
        found += [(1, n, *(rest if i == j else 0 for i in range(fillers))) for j in range(fillers)]
    return found


@dataclass(frozen=True, slots=True)
class Dual:
    """A proven bound: <w, h>/|h| <= sqrt(N(u)) with N in Bernstein form on u in [0, 1].

    Attributes:
        squares: the three Bernstein coefficients of N (u = 0 at the lower t).
        shares: for both ends the weights of the vertices whose combination is nearly best
            (not proven to be).
    """

    squares: tuple[Element, Element, Element]
    shares: tuple[list[Element], list[Element]]

    def below(self, first: Element, last: Element) -> bool:
        """Whether the bound is provably less than the level that runs from first to last."""
        if not (first > 0 and last > 0):
            return False
        levels = (first * first, first * last, last * last)
        return all(level - square > 0 for level, square in zip(levels, self.squares, strict=True))

    def upper(self) -> Element:
        """An upper bound over the whole range, as an exact arb."""
        largest = self.squares[0] * 0
        for square in self.squares:
            largest = largest.max(square.upper())
        return largest.sqrt().upper()


def linear_form(values: Sequence[Element], c: Counts) -> Element:
    """The form with these values on the tokens at integers c, on any ring."""
    total = values[0] * 0
    for value, count in zip(values, c, strict=True):
        if count:
            total = total + value * count
    return total


def quadratic_form(gram: Sequence[Sequence[Element]], c: Counts) -> Element:
    """The form with this symmetric matrix over the tokens at integers c, on any ring."""
    return linear_form([linear_form(row, c) for row in gram], c)


class Functional:
    """The linear form A = <w, .> and the Gram matrix Q, over the tokens.

    Args:
        linear: A of each token vector; nothing where only Q is asked for.
        gram: Q, symmetric.
        ring: the ring of both.
        length: |w|^2 where it is known, a bound of last resort.
    """

    def __init__(
        self,
        linear: Sequence[Element],
        gram: Sequence[Sequence[Element]],
        ring: Enclosure,
        length: Element | None = None,
    ) -> None:
        self.linear = tuple(linear)
        self.gram = gram
        self.ring = ring
        self.length = length
        self.zero = ring.number(Fraction(0))
        self.tiny = ring.number(Fraction(1, 1 << (ring.bits // 2)))

    def value(self, c: Counts) -> Element:
        """A at one combination."""
        return linear_form(self.linear, c)

    def transformed(self, c: Counts) -> list[Element]:
        """Q c: the inner products with every token vector."""
        return [linear_form(row, c) for row in self.gram]

    def at_most_zero(self, vertices: Vertices) -> bool:
        """Whether A is provably <= 0 on the polytope for every t."""
        return all(self.value(c) <= 0 for c in {*vertices.first, *vertices.last})

    def vanishes_nowhere(self, vertices: Vertices) -> bool:
        """Whether no combination is the zero vector, shown by a separating direction."""
        ends = (*vertices.first, *vertices.last)
        if self.linear:
            values = [self.value(c) for c in ends]
            if all(value > 0 for value in values) or all(value < 0 for value in values):
                return True
        # The direction nearest to the polytopes at both ends: the projection of (0, 1) onto
        # the cone of the lifted vectors (g, 1).
        images = [self.transformed(c) for c in ends]
        products = [[linear_form(image, c) + 1 for c in ends] for image in images]
        shares = projection(products, [self.zero + 1 for _ in ends], self.tiny)
        for j in range(len(ends)):
            along = sum((s * (products[i][j] - 1) for i, s in enumerate(shares)), self.zero)
            if not along > 0:
                return False
        return True

    def bound(self, vertices: Vertices) -> Dual | None:
        """A proven bound over the polytopes, or None where none was found."""
        single = vertices.first == vertices.last
        ends = (vertices.first,) if single else (vertices.first, vertices.last)
        images = [[self.transformed(c) for c in end] for end in ends]
        values = [[self.value(c) for c in end] for end in ends]
        products = [
            [[linear_form(image, c) for c in end] for image in row]
            for end, row in zip(ends, images, strict=True)
        ]
        margins = [self._margins(table, row) for table, row in zip(products, values, strict=True)]
        for _ in range(_ROUNDS):
            shares = [
                projection(table, [a + b for a, b in zip(row, margin, strict=True)], self.tiny)
                for table, row, margin in zip(products, values, margins, strict=True)
            ]
            duals = [
                self._combined(image, share) for image, share in zip(images, shares, strict=True)
            ]
            lacking = self._lacking(ends, duals, single=single)
            if lacking is None:
                first, last = duals[0], duals[-1]
                squares = (
                    self._pair(ends[0], shares[0], first),
                    self._pair(ends[0], shares[0], last),
                    self._pair(ends[-1], shares[-1], last),
                )
                if all(square.is_finite() for square in squares):
                    return Dual(squares, (shares[0], shares[-1]))
                break
            for margin in margins:
                for i, amount in enumerate(lacking):
                    margin[i] = (margin[i] + amount).upper()
        if self.length is None:
            return None
        return Dual((self.length, self.length, self.length), ([self.zero], [self.zero]))

    def _margins(self, table: list[list[Element]], values: list[Element]) -> list[Element]:
        """Next to nothing for each vertex, but enough to be told from zero."""
        lengths = [table[i][i].abs_upper().sqrt().upper() for i in range(len(values))]
        steepest = self.zero
        for value, length in zip(values, lengths, strict=True):
            if length > 0:
                steepest = steepest.max((value.abs_upper() / length).upper())
        return [(length * steepest * self.tiny).upper() for length in lengths]

    def _lacking(
        self, ends: tuple[tuple[Counts, ...], ...], duals: list[list[Element]], *, single: bool
    ) -> list[Element] | None:
        """By how much <z - w, g(t)> may fall short of zero, for each vertex; None if nowhere.

        Along t both factors are linear, so the product has three Bernstein coefficients.
        """
        slopes = [[a - b for a, b in zip(dual, self.linear, strict=True)] for dual in duals]
        proven, lacking = True, []
        for i in range(len(ends[0])):
            found = [linear_form(slopes[0], ends[0][i])]
            if not single:
                across = linear_form(slopes[0], ends[1][i]) + linear_form(slopes[1], ends[0][i])
                found += [across / 2, linear_form(slopes[1], ends[1][i])]
            short = self.zero
            for coefficient in found:
                if not coefficient >= 0:
                    proven = False
                    short = short.max((-coefficient).upper())
            lacking.append(short * 5 / 4)
        return None if proven else lacking

    def _combined(self, images: list[list[Element]], shares: list[Element]) -> list[Element]:
        """The inner products of z = sum of shares times vertices with every token vector."""
        return [
            sum((s * image[t] for s, image in zip(shares, images, strict=True)), self.zero)
            for t in range(len(self.linear))
        ]

    def _pair(
        self, vertices: tuple[Counts, ...], shares: list[Element], image: list[Element]
    ) -> Element:
        return sum(
            (s * linear_form(image, c) for s, c in zip(shares, vertices, strict=True)), self.zero
        )


def projection(
    products: list[list[Element]], targets: list[Element], tiny: Element
) -> list[Element]:
    """Shares s >= 0 that nearly minimise s H s / 2 - r s: numerical, by active sets.

    Args:
        products: H, the Gram matrix of the generators.
        targets: r.
        tiny: what counts as nothing, relative to a generator's length.

    Returns:
        exact arbs >= 0; nothing is proven about them.
    """
    from flint import arb_mat

    size = len(targets)
    h = [[value.mid() for value in row] for row in products]
    r = [value.mid() for value in targets]
    zero, least = tiny * 0, (tiny * tiny.sqrt()).mid()
    ridge = 1 + least
    shares = [zero] * size
    active: list[int] = []
    banned: set[int] = set()

    def solved(chosen: list[int]) -> list[Element] | None:
        # A little more on the diagonal, for generators that depend on each other.
        table = arb_mat([[h[i][j] * ridge if i == j else h[i][j] for j in chosen] for i in chosen])
        try:
            result = table.solve(arb_mat([[r[i]] for i in chosen]))
        except ZeroDivisionError:
            return None
        found = [result[i, 0].mid() for i in range(len(chosen))]
        return found if all(value.is_finite() for value in found) else None

    for _ in range(4 * size + 8):
        best, gain = None, zero
        for i in range(size):
            if i in active or i in banned or not h[i][i] > 0:
                continue
            slope = r[i] - sum((h[i][j] * shares[j] for j in active), zero)
            relative = (slope / h[i][i].sqrt()).mid()
            if relative > least * abs(r[i]) / h[i][i].sqrt() and relative > gain:
                best, gain = i, relative
        if best is None:
            break
        active.append(best)
        while active:
            found = solved(active)
            if found is None:
                banned.add(active.pop())
                continue
            if all(value > 0 for value in found):
                shares = [zero] * size
                for i, value in zip(active, found, strict=True):
                    shares[i] = value
                break
            # As far towards the solution as all shares stay >= 0; one becomes 0 and leaves.
            target = dict(zip(active, found, strict=True))
            blocking, step = active[-1], zero + 2
            for i, value in target.items():
                ratio = zero if value > 0 else (shares[i] / (shares[i] - value)).mid()
                if not value > 0 and ratio < step:
                    blocking, step = i, ratio
            moved = {i: (shares[i] + (target[i] - shares[i]) * step).mid() for i in active}
            active.remove(blocking)
            if blocking == best:
                banned.add(best)
            shares = [zero] * size
            for i in active:
                shares[i] = moved[i].max(zero)
    return shares
