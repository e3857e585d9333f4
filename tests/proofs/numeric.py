"""Truth of a statement at numbers, in high precision: a second look at what theorems say.

It shares nothing with the engine's deciders: mpmath evaluates terms, and a relation holds if it
does up to a tolerance far below any constant of a theorem.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mpmath
import sympy as sp

from countbounds.proving.formulas import Every, Total, dot
from countbounds.proving.proof import Statement

DIGITS = 60
TOLERANCE = mpmath.mpf(10) ** -25


@dataclass(frozen=True)
class Sample:
    """Numbers for the symbols of a statement.

    Attributes:
        values: by symbol (int, Fraction or mpf; integers for integer symbols), and by function
            symbol (a Python function of mpf).
        vectors: coordinates by vector; their inner products become values.
        entries: the entries 1..d by entry symbol.
    """

    values: Mapping[Any, Any] = field(default_factory=dict)
    vectors: Mapping[str, list[Any]] = field(default_factory=dict)
    entries: Mapping[Any, list[Any]] = field(default_factory=dict)


Sampler = Callable[[random.Random], Sample | None]
"""Draws a sample; None if the draw is not one that satisfies the hypotheses."""


class Unknown(Exception):
    """A relation is closer to equality than the tolerance tells."""


def holds(statement: Statement, sample: Sample) -> tuple[bool, bool]:
    """Whether the hypotheses hold at a sample, and if so whether the conclusion does."""
    with mpmath.workdps(DIGITS):
        values = {
            symbol: value if callable(value) else _number(value)
            for symbol, value in sample.values.items()
        }
        for u, left in sample.vectors.items():
            for v, right in sample.vectors.items():
                values[dot(u, v)] = mpmath.fsum(
                    _number(x) * _number(y) for x, y in zip(left, right, strict=True)
                )
        entries = {s: [_number(x) for x in column] for s, column in sample.entries.items()}
        for symbol in statement.integers:
            assert values[symbol] == int(values[symbol]), symbol
        assumed = all(
            truth(formula, values, entries, False) for formula in statement.hypotheses.values()
        ) and all(
            truth(formula, {**values, **_row(entries, i)}, entries, False)
            for formulas in statement.entries.values()
            for formula in formulas
            for i in range(len(next(iter(entries.values()))))
        )
        return assumed, not assumed or truth(statement.conclusion, values, entries)


def truth(
    formula: Any,
    values: Mapping[Any, Any],
    entries: Mapping[Any, list[Any]],
    lenient: bool = True,
) -> bool:
    """Whether a formula holds at numbers; an `Every` is tried at integers or points between.

    Lenient: < and > may be equalities up to the tolerance, else they must not be.
    """

    def part(inner: Any, same: bool = True) -> bool:
        return truth(inner, values, entries, lenient == same)

    if isinstance(formula, Every):
        points = _points(formula, values)
        return all(_every(formula, point, values, entries, lenient) for point in points)
    if formula in (sp.true, sp.false):
        return bool(formula)
    if isinstance(formula, (sp.And, sp.Or)):
        return (all if isinstance(formula, sp.And) else any)(part(one) for one in formula.args)
    if isinstance(formula, sp.Not):
        return not part(formula.args[0], False)
    if isinstance(formula, sp.Implies):
        return not part(formula.args[0], False) or part(formula.args[1])
    left, right = (evaluated(side, values, entries) for side in formula.args)
    near = TOLERANCE * max(1, abs(left), abs(right))
    room = near if lenient else -near
    return bool(
        {
            "==": lambda: abs(left - right) <= near,
            "!=": lambda: abs(left - right) > near,
            "<": lambda: left < right + room,
            "<=": lambda: left <= right + near,
            ">": lambda: left > right - room,
            ">=": lambda: left >= right - near,
        }[formula.rel_op]()
    )


def evaluated(term: Any, values: Mapping[Any, Any], entries: Mapping[Any, list[Any]]) -> Any:
    """A term as an mpf."""
    if isinstance(term, Total):
        count = len(next(iter(entries.values())))
        return mpmath.fsum(
            evaluated(term.args[0], {**values, **_row(entries, i)}, entries) for i in range(count)
        )
    if isinstance(term, sp.Symbol):
        return values[term]
    if isinstance(term, sp.Rational):
        return mpmath.mpf(int(term.p)) / int(term.q)
    parts = [evaluated(part, values, entries) for part in term.args]
    if type(term) in values:
        return values[type(term)](*parts)
    operations = {
        sp.Add: lambda: mpmath.fsum(parts),
        sp.Mul: lambda: mpmath.fprod(parts),
        sp.Pow: lambda: _power(*parts),
        sp.floor: lambda: _floor(*parts),
        sp.exp: lambda: mpmath.exp(*parts),
        sp.log: lambda: mpmath.log(*parts),
    }
    return operations[type(term)]()


def _power(base: Any, exponent: Any) -> Any:
    if exponent == int(exponent):
        return base ** int(exponent)
    return mpmath.power(base if abs(base) > TOLERANCE else mpmath.mpf(0), exponent)


def _floor(value: Any) -> Any:
    nearest = mpmath.nint(value)
    return nearest if abs(nearest - value) < TOLERANCE else mpmath.floor(value)


def _row(entries: Mapping[Any, list[Any]], index: int) -> dict[Any, Any]:
    return {symbol: column[index] for symbol, column in entries.items()}


def _number(value: Any) -> Any:
    if hasattr(value, "numerator") and not isinstance(value, int):
        return mpmath.mpf(int(value.numerator)) / int(value.denominator)
    return mpmath.mpf(value)


def _points(formula: Every, values: Mapping[Any, Any]) -> list[Any]:
    """Integers, or integers and points between, about all numbers that occur."""
    numbers = [v for v in values.values() if not callable(v)]
    most = max([10, *(int(abs(v)) + 2 for v in numbers if abs(v) < 200)])
    whole = [mpmath.mpf(k) for k in range(-most, most + 1)]
    if formula.integer:
        return whole
    return [k + mpmath.mpf(j) / 7 for k in whole for j in range(7)]


def _every(
    formula: Every,
    point: Any,
    values: Mapping[Any, Any],
    entries: Mapping[Any, list[Any]],
    lenient: bool,
) -> bool:
    here = {**values, formula.symbol: point}
    if not all(truth(condition, here, entries, not lenient) for condition in formula.conditions):
        return True
    return truth(formula.formula, here, entries, lenient)
