"""Implications in one real variable, by isolating the roots of all polynomials in them.

Between two neighbouring roots every polynomial keeps its sign, so a formula is decided by one
rational point of each gap and by the roots themselves. At a root, the sign of a factor that
does not vanish is that at a rational point so near that no root of it lies between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from countbounds.proving.formulas import Formula

HIGHEST_DEGREE = 60


class NotUnivariate(Exception):
    """The formulas are not about rational functions of a single symbol."""


def decided_by_roots(facts: Sequence[Formula], goal: Formula) -> bool:
    """Whether the goal holds at every real number at which the facts do.

    Raises:
        NotUnivariate: if the formulas have another form.
    """
    formulas = [sp.sympify(formula) for formula in (*facts, goal)]
    free = set().union(*(formula.free_symbols for formula in formulas))
    if len(free) != 1:
        raise NotUnivariate
    (x,) = free
    relations: dict[Any, tuple[Any, Any]] = {}
    for relation in {r for f in formulas for r in f.atoms(sp.core.relational.Relational)}:
        top, bottom = sp.fraction(sp.together(relation.lhs - relation.rhs))
        if not (top.is_polynomial(x) and bottom.is_polynomial(x)):
            raise NotUnivariate
        relations[relation] = (sp.Poly(top, x), sp.Poly(bottom, x))
    if any(
        p.degree() > HIGHEST_DEGREE or p.domain not in (sp.ZZ, sp.QQ)
        for pair in relations.values()
        for p in pair
    ):
        raise NotUnivariate
    factors = _factors([p for pair in relations.values() for p in pair])
    return all(_holds(formulas, relations, signs) for signs in _cells(factors))


def _factors(polynomials: Sequence[Any]) -> list[Any]:
    """The different irreducible factors of positive degree."""
    found: dict[Any, None] = {}
    for polynomial in polynomials:
        if not polynomial.is_zero:
            for factor, _ in polynomial.factor_list()[1]:
                found[factor] = None
    return list(found)


def _cells(factors: Sequence[Any]) -> list[dict[Any, int]]:
    """The signs of all factors on every gap between roots, and at every root."""
    if not factors:
        return [{}]
    product = sp.prod([factor.as_expr() for factor in factors])
    x = factors[0].gen
    isolated = [ends for ends, _ in sp.Poly(product, x).intervals()]
    isolated = [_apart(sp.Poly(product, x), ends) for ends in isolated]
    points = []
    for index, (low, high) in enumerate(isolated):
        below = isolated[index - 1][1] if index else low - 2
        points.append((below + low) / 2 if below < low else low)
        points.append((low, high))
    points.append(isolated[-1][1] + 1 if isolated else sp.Integer(0))
    return [_signs(factors, point) for point in points]


def _apart(product: Any, ends: tuple[Any, Any]) -> tuple[Any, Any]:
    """The interval narrowed until its ends are no roots, or until it is the root itself."""
    low, high = ends
    if low == high:
        return ends
    for _ in range(200):
        if product.eval(low) != 0 and product.eval(high) != 0:
            return low, high
        low, high = product.refine_root(low, high, eps=(high - low) / 4)
        if low == high:
            return low, high
    raise NotUnivariate


def _signs(factors: Sequence[Any], point: Any) -> dict[Any, int]:
    """Signs at a rational point, or at the one root in an interval."""
    if not isinstance(point, tuple):
        return {factor: int(sp.sign(factor.eval(point))) for factor in factors}
    low, high = point
    if low == high:
        return _signs(factors, low)
    found = {}
    for factor in factors:
        inside = factor.count_roots(low, high)
        found[factor] = 0 if inside else int(sp.sign(factor.eval(low)))
    return found


def _holds(
    formulas: list[Any], relations: dict[Any, tuple[Any, Any]], signs: dict[Any, int]
) -> bool:
    """Whether the last formula holds in a cell, or one of the others does not."""
    values = {relation: _value(relation, pair, signs) for relation, pair in relations.items()}
    truths = [bool(formula.xreplace(values)) for formula in formulas]
    return truths[-1] or not all(truths[:-1])


def _value(relation: Any, pair: tuple[Any, Any], signs: dict[Any, int]) -> Any:
    sign = _sign(pair[0], signs) * _sign(pair[1], signs)
    return {
        "==": sp.S(sign == 0),
        "!=": sp.S(sign != 0),
        "<": sp.S(sign < 0),
        "<=": sp.S(sign <= 0),
        ">": sp.S(sign > 0),
        ">=": sp.S(sign >= 0),
    }[relation.rel_op]


def _sign(polynomial: Any, signs: dict[Any, int]) -> int:
    if polynomial.is_zero:
        return 0
    constant, factors = polynomial.factor_list()
    sign = int(sp.sign(constant))
    for factor, power in factors:
        sign *= signs[factor] ** power
    return sign
