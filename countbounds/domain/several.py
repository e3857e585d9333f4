"""The full-domain check with several distinct fillers.

Let c = (1, n, m_1, ..., m_k) with n + m_1 + ... + m_k <= L.

Without a norm after attention y is linear-fractional in c with a positive denominator, so
for fixed n it is largest and smallest at a vertex of the simplex of the m_j: at m = 0 or
where one filler takes all of L - n. Each filler alone decides.

With such a norm y = tau + <w, h>/|h|, h linear in c. Where <w, h> > 0 this is quasi-concave
in m for fixed n, where <w, h> <= 0 quasi-convex. So the smaller side is again decided by each
filler alone, but the largest value may lie at a mixture of fillers. Mixtures are searched by
branch and bound: along n with all fillers at once; then, where n is fixed, for each pair i < j
those in which i and j are the last two fillers present, along the number of one filler after
the other. What is cut off is proven to stay below the worst input so far by a dual vector
(`countbounds.domain.cone`), for a whole range of n at once: the cost grows with the digits of L.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from countbounds.decimals import Bracket
from countbounds.domain import PRECISION_LIMIT, worst_error
from countbounds.domain.cone import Counts, Functional
from countbounds.domain.decide import CurveSource
from countbounds.domain.mixtures import (
    LONG,
    SHORT,
    Limits,
    Mixtures,
    Seen,
    SeveralCurves,
    SourceOfForms,
)
from countbounds.domain.verdict import Verdict
from countbounds.rings import Enclosure

_HALF = Fraction(1, 2)


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
    source: SeveralSource, length: int, precision: int | None = None, *, thorough: bool = True
) -> SeveralError:
    """The largest |y - n| over all n, m_1, ..., m_k >= 0 with sum <= L, and the verdict.

    Args:
        source: the layer.
        length: L >= 1.
        precision: the working precision, in bits, at which an open question is given up.
        thorough: whether a worse mixture is looked for where one filler alone already fails.

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
    fails = worst.verdict == "fails"
    if fillers < 2 or length < 2 or worst.error.lower is None or (fails and not thorough):
        return worst
    first = 128 + 6 * length.bit_length()
    last = max(PRECISION_LIMIT, first) if precision is None else max(precision, 64)
    mixed = None
    for bits in (first, 2 * first, 4 * first):
        with Enclosure(min(bits, last)) as ring:
            curves = source.on(ring)
            if curves.gram is None:
                return worst
            limits = SHORT if fails else LONG
            mixed = _mixtures(source, curves, worst.error, length, ring, limits)
        if mixed.verdict != "undecided" or fails or bits >= last:
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
    source: SeveralSource,
    curves: SeveralCurves,
    known: Bracket,
    length: int,
    ring: Enclosure,
    limits: Limits,
) -> SeveralError:
    """The worst error among inputs with two fillers at least, where it exceeds what is known.

    Args:
        source: the layer.
        curves: its curves on the ring.
        known: the worst error among inputs with one filler at most.
        length: L.
        ring: where to compute.
        limits: when to stop.
    """
    # A little above what is known, so that what ties with it can be cut off.
    slack = Fraction(1 << 12, 1 << (ring.bits // 2))
    start = known.lower if known.upper is None else known.upper
    seen = Seen(source, ring.number((start or Fraction(0)) * (1 + slack)), ring, _HALF)
    seen.pieces = limits.across
    offset = curves.offsets[0]
    for sign in (1, -1):
        assert curves.gram is not None
        linear = [sign * a for a in curves.numerators[0]]
        functional = Functional(linear, curves.gram, ring, curves.length)
        search = Mixtures(functional, seen, sign * offset, -sign)
        search.vanishing = sign == 1 and not curves.definite
        search.explore_mixtures(source.fillers, length, limits.along)
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
