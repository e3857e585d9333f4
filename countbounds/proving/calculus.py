"""Derivatives, with what makes a function differentiable."""

from __future__ import annotations

from typing import Any

import sympy as sp

from countbounds.proving.decide import demands
from countbounds.proving.formulas import Formula, Term


class NotSmoothError(Exception):
    """The function is not built from operations that are known to be differentiable."""


def derivative(function: Term, symbol: Any) -> tuple[Term, list[Formula]]:
    """The derivative of a term by a symbol, and what has to hold for it to exist.

    Rational operations, exp, log and rational powers are known; what stands under a root has
    to be positive, not only >= 0.

    Raises:
        NotSmoothError: if the symbol stands inside another function.
    """
    function = sp.sympify(function)
    needs: dict[Formula, None] = {}
    for term in sp.postorder_traversal(function):
        if symbol not in term.free_symbols:
            continue
        if isinstance(term, sp.Pow):
            if not isinstance(term.exp, sp.Rational):
                raise NotSmoothError(f"the derivative of {term} is not known")
            if term.exp.q != 1:
                needs[term.base > 0] = None
        elif not isinstance(term, (sp.Add, sp.Mul, sp.exp, sp.log, sp.Symbol)):
            raise NotSmoothError(f"the derivative of {term} is not known")
    for demand in demands(function):
        needs[demand] = None
    slope = sp.diff(function, symbol)
    for demand in demands(slope):
        needs[demand] = None
    return slope, [need for need in needs if need is not sp.true]
