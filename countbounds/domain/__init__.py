"""The full-domain check: the worst error of a count curve over all (n, m), for any L.

The cost grows with the digits of L: few inputs can be worst, and which they are is
proven for each kind of curve in `linear_fractional` and `affine_over_root`; `verdict`
compares them. The argument is written out in docs/theory.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from countbounds.curve import CountCurve, LinearFractional
from countbounds.decimals import Bracket, is_integer, shorten
from countbounds.domain import affine_over_root, linear_fractional
from countbounds.domain.decide import CurveSource, Decider, ExactTwin
from countbounds.domain.search import Search
from countbounds.domain.verdict import Verdict, WorstError, conclude, partial
from countbounds.errors import InputError, NotExact, Undecided
from countbounds.rings import Enclosure, ExactNumbers

LONGEST = 10**18
PRECISION_LIMIT = 8192

__all__ = [
    "LONGEST",
    "PRECISION_LIMIT",
    "CountCurve",
    "CurveSource",
    "Verdict",
    "WorstError",
    "worst_error",
]


def worst_error(source: CurveSource, length: int, precision: int | None = None) -> WorstError:
    """The largest |y(n, m) - n| over all n, m >= 0 with n + m <= L, and the verdict.

    Args:
        source: the layer with its parameters (`countbounds.model.Model`), or any object
            with a `curve(ring)` method.
        length: L >= 1.
        precision: the working precision, in bits, at which an open question is given
            up as undecided; by default `PRECISION_LIMIT`, or more for a length of so
            many digits that it takes more to begin with.

    Returns:
        verdict, enclosure of the worst error, and an input that reaches its lower end.

    Raises:
        InputError: if the length is not an integer >= 1, or the precision not an integer.

    >>> from countbounds import Layer, Model, Parameters
    >>> p = Parameters.of([0, 0, 0], [2, 0, 0], [-1, 0, 0], ["1/2", 0, 0])
    >>> report = worst_error(Model(Layer(attention="softmax"), p), 1)
    >>> report.verdict, report.input, report.error.lower
    ('fails', (1, 0), Fraction(1, 2))
    """
    if not is_integer(length) or length < 1:
        raise InputError(f"The length L is an integer from 1 on, not {shorten(repr(length))}.")
    if precision is not None and (not is_integer(precision) or precision < 1):
        raise InputError(f"The precision is a number of bits, not {shorten(repr(precision))}.")
    twin = ExactTwin(source)
    search = None
    first = 96 + 5 * length.bit_length()
    precision = max(PRECISION_LIMIT, 8 * first) if precision is None else max(precision, 64)
    for bits in _precisions(first, precision):
        final = bits >= precision
        with Enclosure(bits) as ring:
            try:
                missing = _undefined_token(source, ring, length)
                if missing is not None:
                    return WorstError("fails", Bracket(None, None), missing, length, bits)
                search = Search(Decider(source, ring, twin), length, final=final)
                if isinstance(search.decider.curve, LinearFractional):
                    linear_fractional.explore(search)
                else:
                    affine_over_root.explore(search)
                search.complete = True
                return conclude(search, patient=not final and bits < 4 * first)
            except Undecided:
                twin.wanted = True
                if search is not None and search.spent and bits >= 2 * first:
                    break
    if search is None:
        return WorstError("undecided", Bracket(Fraction(0), None), None, length, precision)
    with Enclosure(search.decider.ring.bits):
        return partial(search)


def _undefined_token(source: CurveSource, ring: Enclosure, length: int) -> tuple[int, int] | None:
    """The least input with a token that the norm leaves undefined, if there is one.

    Raises:
        Undecided: if that is not decided at this precision.
    """
    exact: dict[tuple[int, int], bool] = {}
    for at, value in source.vanishing(ring):
        if value > 0:
            continue
        if not exact:
            try:
                exact = {at: twin.is_zero() for at, twin in source.vanishing(ExactNumbers())}
            except NotExact as error:
                raise Undecided("Whether a token's vector vanishes is not decided.") from error
        if exact[at]:
            return at
        raise Undecided("Whether a token's vector vanishes is not decided.")
    return None


def _precisions(first: int, last: int) -> Iterator[int]:
    bits = min(first, last)
    while bits < last:
        yield bits
        bits *= 2
    yield last
