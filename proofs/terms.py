"""Terms that several theorems speak of, as functions of their symbols."""

from __future__ import annotations

from typing import Any

import sympy as sp

from countbounds.proving.formulas import HALF, Every, Formula, Term, every, symbols

L, n, m = symbols("L n m")
B, d = symbols("B d")


def least_weight(length: Term) -> Term:
    """a* = floor((L - 1)^2/4)."""
    return sp.floor((length - 1) ** 2 / 4)


def least_value(length: Term) -> Term:
    """A* = a* + L - 1/2."""
    return least_weight(length) + length - HALF


def rounds(output: Term, number: Term) -> Formula:
    """|y - n| < 1/2."""
    return sp.And(number - HALF < output, output < number + HALF)


def on_edge(output: Any, length: Term) -> Every:
    """Rounding at every input without letters: 0 <= n <= L."""
    return every(n, (n >= 0, n <= length), rounds(output(n), n))
