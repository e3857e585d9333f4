"""Order and floors of closed forms, proven.

Precision is raised until the enclosures are apart; equality is recognised exactly
where the numbers are sums of square roots and exponentials of such sums.
"""

from __future__ import annotations

from fractions import Fraction

from countbounds.decimals import Bracket
from countbounds.errors import NotExact, Undecided
from countbounds.expressions import Expr, Real, as_formula, evaluate
from countbounds.rings import Enclosure, ExactNumbers

_FIRST_BITS = 128
_LAST_BITS = 1 << 17


def compare(left: Real, right: Real) -> int:
    """The sign of left - right: -1, 0 or 1.

    Raises:
        Undecided: if the two are not told apart by 2^17 bits.

    >>> from countbounds.expressions import sqrt
    >>> compare(sqrt(2) * sqrt(8), 4), compare(sqrt(2), Fraction(7, 5))
    (0, 1)
    """
    difference = as_formula(left) - right
    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        with Enclosure(bits) as ring:
            value = evaluate(difference, ring)
            if value > 0:
                return 1
            if value < 0:
                return -1
        if bits == _FIRST_BITS and _is_zero(difference):
            return 0
        bits *= 4
    raise Undecided("Two numbers are not told apart; they may be equal.")


def floor_of(value: Real) -> int:
    """The largest integer at or below a closed form.

    Raises:
        Undecided: if it is not decided by 2^17 bits.

    >>> from countbounds.expressions import exp, sqrt
    >>> floor_of(exp(8)), floor_of(sqrt(2) * sqrt(8))
    (2980, 4)
    """
    formula = as_formula(value)
    if formula.value is not None:
        return formula.value.__floor__()
    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        bracket = enclose(formula, bits)
        if bracket.lower is not None and bracket.upper is not None:
            low, high = bracket.lower.__floor__(), bracket.upper.__floor__()
            if low == high:
                return low
            if high == low + 1 and _is_zero(formula - high):
                return high
        bits *= 4
    raise Undecided("A floor is not decided; the number may be an integer.")


def enclose(value: Real, bits: int = _FIRST_BITS) -> Bracket:
    """An enclosure of a closed form; exact for a rational one."""
    formula = as_formula(value)
    if formula.value is not None:
        return Bracket.exactly(formula.value)
    with Enclosure(bits) as ring:
        return Bracket.of(evaluate(formula, ring))


def exact_value(value: Real) -> Fraction | None:
    """The rational number that a closed form is, or None where it is not provably one."""
    try:
        result: Fraction | None = evaluate(as_formula(value), ExactNumbers()).rational()
    except NotExact:
        return None
    return result


def _is_zero(formula: Expr) -> bool:
    try:
        return bool(evaluate(formula, ExactNumbers()).is_zero())
    except NotExact:
        return False
