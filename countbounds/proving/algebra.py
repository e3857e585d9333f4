"""Identities of terms with rational operations and roots, by two independent routes.

Both sides are read as rational functions of their symbols, roots and opaque functions. One
route lets sympy bring the difference over one denominator and expand; the other computes with
python-flint's multivariate polynomials from the leaves up. In both, a power y^q of a root y is
replaced by what stands under the root.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from countbounds.proving.formulas import Term


def is_identity(left: Term, right: Term) -> bool:
    """Whether both sides agree wherever both are well defined.

    Raises:
        ArithmeticError: if the two routes contradict each other.
    """
    left, right = sp.sympify(left), sp.sympify(right)
    by_sympy, by_flint = _by_sympy(left, right), _by_flint(left, right)
    if by_sympy != by_flint:
        raise ArithmeticError(f"sympy says {by_sympy}, flint {by_flint}: {left} = {right}")
    return by_sympy


def _root(term: Any) -> tuple[Any, int] | None:
    """What stands under a root, and its degree."""
    if isinstance(term, sp.Pow) and isinstance(term.exp, sp.Rational) and term.exp.q != 1:
        return term.base, int(term.exp.q)
    return None


def _is_opaque(term: Any) -> bool:
    return isinstance(term, (sp.Symbol, sp.Function, sp.exp))


# --- sympy -------------------------------------------------------------------------------


def _by_sympy(left: Any, right: Any) -> bool:
    variables: dict[Any, Any] = {}
    powers: list[tuple[Any, int, Any]] = []

    def polynomial(term: Any) -> Any:
        """The term with a symbol for each root and opaque function."""
        if isinstance(term, sp.Rational):
            return term
        if _is_opaque(term):
            return variables.setdefault(term, sp.Dummy(f"x{len(variables)}"))
        root = _root(term)
        if root is not None:
            base, degree = root
            if root not in variables:
                inner = polynomial(base)
                variables[root] = sp.Dummy(f"x{len(variables)}")
                powers.append((variables[root], degree, inner))
            return variables[root] ** int(term.exp.p)
        if isinstance(term, (sp.Add, sp.Mul)):
            return term.func(*(polynomial(part) for part in term.args))
        if isinstance(term, sp.Pow) and isinstance(term.exp, sp.Integer):
            return polynomial(term.base) ** term.exp
        raise TypeError(f"This is no term for an identity: {term}")

    top, _ = sp.fraction(sp.together(polynomial(left - right)))
    for variable, degree, inner in reversed(powers):
        reduced = 0
        for (power,), coefficient in sp.Poly(sp.expand(top), variable).terms():
            reduced += coefficient * variable ** (power % degree) * inner ** (power // degree)
        top, _ = sp.fraction(sp.together(reduced))
    return bool(sp.expand(top) == 0)


# --- flint -------------------------------------------------------------------------------


def _by_flint(left: Any, right: Any) -> bool:
    from flint import Ordering, fmpq, fmpq_mpoly_ctx

    leaves: list[Any] = []
    for term in (*sp.postorder_traversal(left), *sp.postorder_traversal(right)):
        leaf = _root(term) or (term if _is_opaque(term) else None)
        if leaf is not None and leaf not in leaves:
            leaves.append(leaf)
    if not leaves:
        leaves = [sp.Dummy("x")]
    context = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(leaves))], Ordering.lex)
    variables = context.gens()

    def fraction(term: Any) -> tuple[Any, Any]:
        one = context.constant(1)
        if isinstance(term, sp.Rational):
            return context.constant(fmpq(int(term.p), int(term.q))), one
        if _is_opaque(term):
            return variables[leaves.index(term)], one
        root = _root(term)
        if root is not None:
            return _power((variables[leaves.index(root)], one), int(term.exp.p))
        if isinstance(term, sp.Pow) and isinstance(term.exp, sp.Integer):
            return _power(fraction(term.base), int(term.exp))
        if isinstance(term, sp.Add):
            top, bottom = context.constant(0), one
            for part in term.args:
                a, b = fraction(part)
                top, bottom = top * b + a * bottom, bottom * b
            return top, bottom
        if isinstance(term, sp.Mul):
            top, bottom = one, one
            for part in term.args:
                a, b = fraction(part)
                top, bottom = top * a, bottom * b
            return top, bottom
        raise TypeError(f"This is no term for an identity: {term}")

    (a, b), (c, d) = fraction(left), fraction(right)
    difference = a * d - c * b
    for index in range(len(leaves) - 1, -1, -1):  # outer roots before what stands under them
        if isinstance(leaves[index], tuple):
            base, degree = leaves[index]
            difference = _reduced(difference, index, degree, fraction(base), context)
    return bool(difference == 0)


def _power(value: tuple[Any, Any], exponent: int) -> tuple[Any, Any]:
    top, bottom = value if exponent >= 0 else value[::-1]
    return top ** abs(exponent), bottom ** abs(exponent)


def _reduced(polynomial: Any, index: int, degree: int, base: tuple[Any, Any], context: Any) -> Any:
    """A multiple of the polynomial, with base for the degree-th power of a variable."""
    by_power: dict[int, Any] = {}
    for exponents, coefficient in polynomial.to_dict().items():
        rest = list(exponents)
        quotient, rest[index] = divmod(int(exponents[index]), degree)
        by_power.setdefault(quotient, {})[tuple(rest)] = coefficient
    result, most = context.constant(0), max(by_power, default=0)
    for quotient, terms in by_power.items():
        factor = base[0] ** quotient * base[1] ** (most - quotient)
        result += context.from_dict(terms) * factor
    return result
