"""From the inputs that were considered to a proven verdict."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from countbounds.curve import AffineOverRoot, CountCurve, LinearFractional
from countbounds.decimals import Bracket
from countbounds.domain.decide import Decider, certain_sign
from countbounds.domain.search import Evaluated, Search
from countbounds.errors import Undecided
from countbounds.rings import Element

Verdict = Literal["counts", "fails", "undecided"]
_SHARP_BITS = 60
_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class WorstError:
    """The answer of the full-domain check.

    Attributes:
        verdict: "counts" if |y - n| < 1/2 on the whole domain, "fails" if not (or if y
            is undefined somewhere), "undecided" if the precision limit was reached.
        error: an enclosure of the largest |y - n| (dimensionless); infinite where y is
            undefined.
        input: (n, m) whose error reaches the enclosure's lower end: the least n, then
            the least m, of those that tie provably. None only if nothing was decided.
        length: L.
        bits: the working precision that settled the question.
    """

    verdict: Verdict
    error: Bracket
    input: tuple[int, int] | None
    length: int
    bits: int

    @property
    def domain_size(self) -> int:
        """The number of inputs covered, (L + 1)(L + 2)/2."""
        return (self.length + 1) * (self.length + 2) // 2


def conclude(search: Search, *, patient: bool) -> WorstError:
    """Name the worst input, enclose its error and compare it with 1/2.

    Args:
        search: every input that can be worst has been considered or bounded.
        patient: whether an unproven tie or a wide enclosure is worth another pass.

    Raises:
        Undecided: if more bits are needed.
    """
    bits = search.decider.ring.bits
    if search.undefined:
        return WorstError("fails", Bracket(None, None), min(search.undefined), search.length, bits)
    worst, tied = _worst(search, patient=patient)
    lower = worst.error.abs_lower()
    upper = worst.error.abs_upper() if tied else search.largest(search.seen)
    for bound in search.beyond:
        upper = upper.max(bound)
    known = _exact_error(search.decider, worst)
    settled = tied and not search.beyond
    if known is not None and settled:
        bracket = Bracket.exactly(known)
    else:
        bracket = Bracket(Bracket.of(lower).lower, Bracket.of(upper).upper)
        if patient and not (upper - lower) * (1 << _SHARP_BITS) <= upper.max(upper * 0 + 1):
            raise Undecided("The enclosure of the worst error is still wide.")
    at = (worst.n, worst.m)
    if (known is not None and known >= _HALF) or 2 * lower > 1:
        return WorstError("fails", bracket, at, search.length, bits)
    if (known is not None and settled) or 2 * upper < 1:
        return WorstError("counts", bracket, at, search.length, bits)
    raise Undecided("The worst error is not told apart from 1/2.")


def partial(search: Search) -> WorstError:
    """What is proven when the limits of precision or effort end a search early.

    One input with an error above 1/2 refutes; without one nothing is decided. The error is
    known from above only if every part of the domain was at least bounded.
    """
    bits = search.decider.ring.bits
    if search.undefined:
        return WorstError("fails", Bracket(None, None), min(search.undefined), search.length, bits)
    if not search.seen:
        return WorstError("undecided", Bracket(Fraction(0), None), None, search.length, bits)
    ordered = sorted(search.seen.values(), key=lambda e: (e.n, e.m))
    worst = max(ordered, key=lambda e: _lower(e.error))
    lower = worst.error.abs_lower()
    verdict: Verdict = "fails" if 2 * lower > 1 else "undecided"
    known = _exact_error(search.decider, worst)
    if known is not None and known >= _HALF:
        verdict = "fails"
    upper = None
    if search.complete:
        bound = search.largest(search.seen)
        for other in search.beyond:
            bound = bound.max(other)
        upper = Bracket.of(bound).upper
    bracket = Bracket(Bracket.of(lower).lower, upper)
    return WorstError(verdict, bracket, (worst.n, worst.m), search.length, bits)


def _lower(error: Element) -> Fraction:
    return Bracket.of(error.abs_lower()).lower or Fraction(0)


def _worst(search: Search, *, patient: bool) -> tuple[Evaluated, bool]:
    """The worst input, and whether every other that may be as bad provably ties with it.

    For fixed n the candidates hold a worst m, but where y does not change with m the
    least one need not be among them: the beginnings of such stretches are added.
    """
    for e in _contenders(search):
        search.consider_all((e.n, m) for m in search.pieces(e.n) if m < e.m)
    contenders = sorted(_contenders(search), key=lambda e: (e.n, e.m))
    first, *others = contenders
    for other in others:
        tie = _tie(search.decider, first, other)
        if (tie is None and patient) or (tie is False and not search.final):
            raise Undecided("Two inputs are not told apart at this precision.")
        if tie is not True:
            return max(contenders, key=lambda e: _lower(e.error)), False
    return first, True


def _contenders(search: Search) -> list[Evaluated]:
    return [e for e in search.seen.values() if not e.error.abs_upper() < search.floor]


def _tie(decider: Decider, left: Evaluated, right: Evaluated) -> bool | None:
    """Whether two inputs have the same error in magnitude; None if that is not provable."""
    signs = certain_sign(left.error), certain_sign(right.error)
    if None in signs:
        zeros = [_exact_error(decider, e) == 0 for e in (left, right)]
        return True if all(zeros) else None
    sigma = 1 if signs[0] == signs[1] else -1
    if isinstance(decider.curve, LinearFractional):

        def cross(c: LinearFractional) -> Element:
            (p, q), (r, s) = c.parts(left.n, left.m), c.parts(right.n, right.m)
            return (p - left.n * q) * s - sigma * (r - right.n * s) * q

        return _zero(decider, cross)
    return _tie_of_roots(decider, left, right, sigma)


def _tie_of_roots(decider: Decider, left: Evaluated, right: Evaluated, sigma: int) -> bool | None:
    """Whether k + u - v = 0 for u = A/sqrt(Q) on the left, v = sigma times that on the right.

    Of the four conjugates k +- u +- v at most one vanishes if no term does, and their
    product is rational in the coefficients. Terms that vanish are left out.
    """

    def constant(c: AffineOverRoot) -> Element:
        return (c.offset - left.n) - sigma * (c.offset - right.n)

    def squares(c: AffineOverRoot) -> tuple[Element, Element, Element]:
        """The squares of k, u and v, times both Q."""
        (a, q), (b, r) = c.parts(left.n, left.m), c.parts(right.n, right.m)
        k = constant(c)
        return k * k * q * r, a * a * r, b * b * q

    def product(c: AffineOverRoot) -> Element:
        x, y, z = squares(c)
        return (x - y - z) * (x - y - z) - 4 * y * z

    exact = decider.exactly(squares)
    if exact is None:
        return None
    (a, q), (b, r) = (decider.curve.parts(e.n, e.m) for e in (left, right))
    k, u, v = constant(decider.curve), a * q.rsqrt(), sigma * b * r.rsqrt()
    present = [i for i, square in enumerate(exact) if not square.is_zero()]
    if len(present) < 2:
        return not present
    if len(present) == 2:
        i, j = present
        if not (exact[i] - exact[j]).is_zero():
            return False
        signs = [certain_sign((k, u, -v)[index]) for index in present]
        return None if None in signs else signs[0] != signs[1]
    if any(certain_sign(conjugate) is None for conjugate in (k + u + v, k - u - v, k - u + v)):
        return None
    return _zero(decider, product)


def _zero(decider: Decider, formula: object) -> bool | None:
    value = decider.exactly(formula)  # type: ignore[arg-type]
    return None if value is None else bool(value.is_zero())


def _exact_error(decider: Decider, at: Evaluated) -> Fraction | None:
    """The error in magnitude where it is provably a certain rational, else None.

    For a linear-fractional curve any rational error is found; for one over a root, an
    error of exactly 0 or 1/2.
    """
    curve: CountCurve = decider.curve
    if isinstance(curve, LinearFractional):
        parts = decider.exactly(lambda c: c.parts(at.n, at.m))
        if parts is None:
            return None
        error = _ratio(parts[0] - at.n * parts[1], parts[1])
        return None if error is None else abs(error)
    a, q = curve.parts(at.n, at.m)
    for known in (-_HALF, Fraction(0), _HALF):
        target = at.n + known
        gap = curve.offset - decider.ring.number(target)
        if not (a * q.rsqrt() + gap).contains(0):
            continue

        def squared(c: AffineOverRoot, target: Fraction = target) -> Element:
            top, root = c.parts(at.n, at.m)
            distance = c.offset - target
            return top * top - distance * distance * root

        def opposite(c: AffineOverRoot, target: Fraction = target) -> Element:
            return target - c.offset

        if _zero(decider, squared) and decider.sign_of(
            a, lambda c: c.parts(at.n, at.m)[0]
        ) == decider.sign_of(-gap, opposite):
            return abs(known)
    return None


def _ratio(top: Element, bottom: Element) -> Fraction | None:
    """top / bottom where that is rational: decided by proportionality, term by term."""
    if top.is_zero():
        return Fraction(0)
    numerators, denominators = top.monomials(), bottom.monomials()
    ratio = None
    for monomial in numerators:
        for other in denominators:
            quotient = (monomial / other).rational()
            if quotient is not None:
                ratio = quotient
    if ratio is None:
        return None
    return ratio if (top - bottom * ratio).is_zero() else None
