"""Formulas of a theorem: sympy relations over plain symbols, and one bounded quantifier.

Symbols carry no sympy assumptions, so that sympy infers nothing from a domain: what is known
about a symbol is a fact of the proof, and is used only where a step names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

Term = Any  # a sympy expression
Formula = Any  # a sympy relation, or And, Or, Not, Implies of some; sympy has no stubs

HALF = sp.Rational(1, 2)


@dataclass(frozen=True)
class Every:
    """For every value of a symbol under the conditions, the formula holds.

    Attributes:
        symbol: the bound symbol.
        integer: whether it runs over the integers (else over the reals).
        conditions: formulas about it.
        formula: what holds.
    """

    symbol: Any
    integer: bool
    conditions: tuple[Formula, ...]
    formula: Formula

    def __post_init__(self) -> None:
        """Keep the conditions from changing later."""
        object.__setattr__(self, "conditions", tuple(self.conditions))

    def at(self, term: Term) -> tuple[tuple[Formula, ...], Formula]:
        """The conditions and the formula with a term for the symbol."""
        return (
            tuple(substituted(condition, {self.symbol: term}) for condition in self.conditions),
            substituted(self.formula, {self.symbol: term}),
        )

    def same_as(self, other: Any) -> bool:
        """Whether the other says the same, whatever its symbol is called."""
        if not isinstance(other, Every) or other.integer != self.integer:
            return False
        symbol = sp.Dummy()
        return self.at(symbol) == other.at(symbol)

    def __str__(self) -> str:
        over = "integers" if self.integer else "reals"
        under = "".join(f", {condition}" for condition in self.conditions)
        return f"for all {over} {self.symbol}{under}: {self.formula}"


def every(symbol: Any, conditions: Iterable[Formula], formula: Formula) -> Every:
    """For every integer under the conditions."""
    return Every(symbol, True, tuple(conditions), formula)


def every_real(symbol: Any, conditions: Iterable[Formula], formula: Formula) -> Every:
    """For every real number under the conditions."""
    return Every(symbol, False, tuple(conditions), formula)


def symbols(names: str) -> Any:
    """Symbols without assumptions, from names apart by spaces; one alone is not a tuple."""
    found = tuple(sp.Symbol(name) for name in names.split())
    return found if len(found) > 1 else found[0]


def substituted(formula: Any, values: Mapping[Any, Term]) -> Any:
    """A formula, or an `Every`, with terms for free symbols, all at once."""
    if isinstance(formula, Every):
        kept = {s: t for s, t in values.items() if s != formula.symbol}
        if any(formula.symbol in sp.sympify(t).free_symbols for t in kept.values()):
            fresh = sp.Dummy(formula.symbol.name)
            renamed = {formula.symbol: fresh}
            formula = Every(
                fresh,
                formula.integer,
                tuple(substituted(c, renamed) for c in formula.conditions),
                substituted(formula.formula, renamed),
            )
        return Every(
            formula.symbol,
            formula.integer,
            tuple(substituted(c, kept) for c in formula.conditions),
            substituted(formula.formula, kept),
        )
    return sp.sympify(formula).subs(dict(values), simultaneous=True)


def parts_of(formula: Any) -> tuple[Formula, ...]:
    """The conditions and the formula of an `Every`; a formula itself."""
    if isinstance(formula, Every):
        return (*formula.conditions, formula.formula)
    return (formula,)


def free_symbols(formula: Any) -> set[Any]:
    """The symbols that are free in a formula."""
    if isinstance(formula, Every):
        inner = set().union(*(free_symbols(part) for part in parts_of(formula)))
        return inner - {formula.symbol}
    return set(sp.sympify(formula).free_symbols)


def is_same(formula: Any, other: Any) -> bool:
    """Whether two statements are the same, up to the names of bound symbols."""
    if isinstance(formula, Every):
        return formula.same_as(other)
    return bool(formula == other)


def is_integer(term: Term, integers: Iterable[Any]) -> bool:
    """Whether a term is an integer by its form: integer polynomials in integers and floors."""
    term, known = sp.sympify(term), frozenset(integers)
    if isinstance(term, sp.Integer):
        return True
    if isinstance(term, sp.Symbol):
        return term in known
    if isinstance(term, sp.floor):
        return True
    if isinstance(term, (sp.Add, sp.Mul)):
        return all(is_integer(part, known) for part in term.args)
    if isinstance(term, sp.Pow):
        base, exponent = term.args
        return isinstance(exponent, sp.Integer) and exponent >= 0 and is_integer(base, known)
    return False


def dot(left: str, right: str) -> Any:
    """The inner product of two vectors, a symbol; the order of the names does not matter."""
    if any(character in name for name in (left, right) for character in ",<>"):
        raise ValueError(f"These are no names of vectors: {left!r}, {right!r}")
    first, second = sorted((left, right))
    return sp.Symbol(f"<{first},{second}>")


def about_entries(formula: Any, entries: Iterable[Any]) -> bool:
    """Whether single entries occur in a formula, outside of sums over all of them."""
    known = set(entries)
    for part in parts_of(formula):
        whole = sp.sympify(part)
        outside = whole.xreplace({total: sp.Dummy() for total in whole.atoms(Total)})
        if outside.free_symbols & known:
            return True
    return False


def has_sums(formula: Any) -> bool:
    """Whether sums over all entries occur in a formula."""
    return any(sp.sympify(part).atoms(Total) for part in parts_of(formula))


class Total(sp.Function):  # type: ignore[misc]
    """The sum of a term over the indices 1..d of a family of entries."""

    nargs = 1


_FORMULAS = (
    sp.Eq, sp.Ne, sp.StrictLessThan, sp.LessThan, sp.StrictGreaterThan, sp.GreaterThan,
    sp.And, sp.Or, sp.Not, sp.Implies, sp.logic.boolalg.BooleanAtom,
)  # fmt: skip
_TERMS = (sp.Rational, sp.Add, sp.Mul, sp.exp, sp.log, sp.floor, Total)


def require_plain(formula: Any) -> None:
    """Refuse what is no formula or real term of this engine.

    Terms are made of rational numbers, symbols without assumptions, + and *, powers with rational
    exponents, exp, log, floor, sums over entries, and functions of which nothing is known.

    Raises:
        TypeError: if something else is inside.
    """
    for part in parts_of(formula):
        for node in sp.preorder_traversal(sp.sympify(part)):
            if isinstance(node, sp.Symbol):
                plain = set(node._assumptions_orig) <= {"commutative"}
            elif isinstance(node, sp.Pow):
                plain = isinstance(node.exp, sp.Rational)
            elif isinstance(node, sp.core.function.AppliedUndef):
                plain = node.is_real is None
            else:
                plain = isinstance(node, (*_FORMULAS, *_TERMS))
            if not plain:
                raise TypeError(f"This is no formula or term of the engine: {node}")
