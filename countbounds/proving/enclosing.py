"""Inequalities of closed terms, at a number or on an interval, by arb enclosures.

An interval is halved until the enclosure of the difference of both sides has one sign on every
piece. Equality on the way is never decided, so only strict inequalities with room can be shown.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import Any

import sympy as sp

from countbounds.proving.formulas import Formula

BITS = 256
MOST_PIECES = 20_000


def holds_on(goal: Formula, symbol: Any, low: Fraction, high: Fraction) -> bool:
    """Whether a strict inequality is shown for every value of the symbol in [low, high].

    Args:
        goal: a relation <, <=, > or >= of terms in the symbol alone.
        symbol: the symbol.
        low: the interval's lower end.
        high: its upper end.

    Raises:
        TypeError: if the goal has another form.
    """
    if goal in (sp.true, sp.false):  # of numbers: sympy compares them when it builds the relation
        return bool(goal)
    if low > high:
        raise TypeError(f"This is no interval: [{low}, {high}]")
    if not isinstance(goal, (sp.StrictLessThan, sp.LessThan, sp.StrictGreaterThan, sp.GreaterThan)):
        raise TypeError(f"This is no inequality: {goal}")
    if goal.free_symbols - {symbol}:
        raise TypeError(f"This has other symbols than {symbol}: {goal}")
    from flint import arb, ctx, fmpq

    before, ctx.prec = ctx.prec, BITS
    try:
        difference = _function(goal.gts - goal.lts, symbol)
        # terms that cancel in the difference have to be defined, too
        sides = [_function(goal.gts, symbol), _function(goal.lts, symbol)]

        def ball(start: Fraction, end: Fraction) -> Any:
            middle, radius = (start + end) / 2, (end - start) / 2
            wide = arb(fmpq(radius.numerator, radius.denominator))
            return arb(fmpq(middle.numerator, middle.denominator)) + arb(0, wide.upper())

        pieces, tried = [(low, high)], 0
        while pieces:
            tried += 1
            if tried > MOST_PIECES:
                return False
            start, end = pieces.pop()
            x = ball(start, end)
            if difference(x) > 0 and all(side(x).is_finite() for side in sides):
                continue
            if start == end:
                return False
            middle = (start + end) / 2
            pieces += [(start, middle), (middle, end)]
        return True
    finally:
        ctx.prec = before


def _function(term: Any, symbol: Any) -> Callable[[Any], Any]:
    """The term as a function on balls; undefined values are balls of no sign."""
    from flint import arb, fmpq

    def value(part: Any, x: Any) -> Any:
        if part == symbol:
            return x
        if isinstance(part, sp.Rational):
            return arb(fmpq(int(part.p), int(part.q)))
        inner = [value(one, x) for one in part.args]
        if isinstance(part, sp.Pow) and part.exp == sp.Rational(1, 2):
            return inner[0].sqrt()
        if isinstance(part, sp.Pow) and isinstance(part.exp, sp.Integer):
            return inner[0] ** int(part.exp)
        if isinstance(part, sp.Add):
            return sum(inner, arb(0))
        if isinstance(part, sp.Mul):
            return prod(inner, start=arb(1))
        if isinstance(part, (sp.exp, sp.log)):
            return inner[0].exp() if isinstance(part, sp.exp) else inner[0].log()
        raise TypeError(f"This is no term that can be enclosed: {part}")

    return lambda x: value(term, x)
