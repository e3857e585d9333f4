"""Implications between formulas over the reals, decided by z3 and by root isolation.

A term is well defined where its denominators are not zero, what stands under a root is not
negative and what stands under a logarithm is positive: its demands. Facts are well defined;
the demands of a goal are proven from the facts before the goal is.

Roots of rational degree become new variables y >= 0 with y^q equal to what stands under them,
reciprocals variables r with r d = 1, exponentials variables > 0. Every other function (log,
floor, a sum) is a variable of which nothing is known but what the facts say.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from countbounds.proving.formulas import Formula, Term
from countbounds.proving.roots import NotUnivariate, decided_by_roots

EFFORT = 10_000_000
"""z3's own measure of work (`rlimit`) after which a question is given up."""


class DisagreementError(Exception):
    """Two decision procedures contradict each other: a fault of one of them."""


@dataclass(frozen=True)
class Answer:
    """Whether an implication was proven, and by what.

    Attributes:
        proven: whether it was.
        by: the deciders that agreed, or what stopped them.
    """

    proven: bool
    by: str


@dataclass
class _Encoder:
    """Formulas for z3.

    Attributes:
        atoms: the variable for each symbol, root, reciprocal or opaque function.
        known: what holds of these variables.
    """

    z3: Any
    atoms: dict[Any, Any] = field(default_factory=dict)
    known: list[Any] = field(default_factory=list)

    def formula(self, formula: Formula) -> Any:
        z3, parts = self.z3, sp.sympify(formula)
        if parts in (sp.true, sp.false):
            return z3.BoolVal(bool(parts))
        if isinstance(parts, sp.core.relational.Relational):
            left, right = self.sides(parts)
            return {
                "==": lambda: left == right,
                "!=": lambda: left != right,
                "<": lambda: left < right,
                "<=": lambda: left <= right,
                ">": lambda: left > right,
                ">=": lambda: left >= right,
            }[parts.rel_op]()
        joined = {sp.And: z3.And, sp.Or: z3.Or, sp.Not: z3.Not, sp.Implies: z3.Implies}
        if type(parts) in joined:
            return joined[type(parts)](*(self.formula(part) for part in parts.args))
        raise TypeError(f"This is no formula that can be decided: {formula}")

    def sides(self, relation: Any) -> tuple[Any, Any]:
        """Both sides of a relation, or its difference and zero."""
        return self.term(relation.lhs), self.term(relation.rhs)

    def term(self, term: Term) -> Any:
        z3 = self.z3
        if term in self.atoms:
            return self.atoms[term]
        if isinstance(term, sp.Rational):
            return z3.RealVal(f"{term.p}/{term.q}")
        if isinstance(term, sp.Add):
            return z3.Sum([self.term(part) for part in term.args])
        if isinstance(term, sp.Mul):
            return z3.Product([self.term(part) for part in term.args])
        if isinstance(term, sp.Pow) and isinstance(term.exp, sp.Integer) and term.exp > 0:
            return z3.Product([self.term(term.base)] * int(term.exp))
        return self.atom(term)

    def atom(self, term: Term) -> Any:
        """A new variable, with what is known of it."""
        value = self.z3.FreshReal()
        if isinstance(term, sp.Pow) and isinstance(term.exp, sp.Rational):
            if term.exp < 0:
                self.known.append(value * self.term(term.base**-term.exp) == 1)
            elif term.exp.p == 1:
                power = self.z3.Product([value] * int(term.exp.q))
                self.known += [value >= 0, power == self.term(term.base)]
            else:
                root = self.term(term.base ** sp.Rational(1, term.exp.q))
                self.known.append(value == self.z3.Product([root] * int(term.exp.p)))
        elif isinstance(term, sp.exp):
            self.known.append(value > 0)
        elif not isinstance(term, (sp.Symbol, sp.Function)):
            raise TypeError(f"This is no term that can be decided: {term}")
        self.atoms[term] = value
        return value


class _LinearEncoder(_Encoder):
    """Every monomial, once products are expanded, becomes a variable of which nothing is known."""

    def sides(self, relation: Any) -> tuple[Any, Any]:
        total = self.z3.RealVal(0)
        difference = sp.expand(relation.lhs - relation.rhs)
        for monomial, coefficient in difference.as_coefficients_dict().items():
            if not isinstance(coefficient, sp.Rational):
                raise TypeError(f"This is no rational coefficient: {coefficient}")
            variable = 1 if monomial == 1 else self.atoms.setdefault(monomial, self.z3.FreshReal())
            total += self.z3.RealVal(str(coefficient)) * variable
        return total, self.z3.RealVal(0)


def demands(formula: Formula) -> list[Formula]:
    """What makes the terms of a formula well defined, inner terms first."""
    found: dict[Formula, None] = {}
    for term in sp.postorder_traversal(sp.sympify(formula)):
        if isinstance(term, sp.Pow) and isinstance(term.exp, sp.Rational):
            if term.exp.q != 1:
                found[term.base >= 0] = None
            if term.exp < 0:
                found[sp.Ne(term.base, 0)] = None
        elif isinstance(term, sp.log):
            found[term.args[0] > 0] = None
    return [one for one in found if one is not sp.true]


def implied(facts: Sequence[Formula], goal: Formula) -> Answer:
    """Whether the goal is well defined and holds wherever the facts do.

    The parts of a conjunction are decided one by one.
    """
    known = [part for fact in facts for part in _parts(fact)]
    by: dict[str, None] = {}
    for part in _parts(goal):
        if part in known:
            answer = Answer(True, "given")
        else:
            for demand in demands(part):
                if not (answer := _implied(known, demand)).proven:
                    reason = f"not shown to be well defined ({demand}): {answer.by}"
                    return Answer(False, reason)
            answer = _implied(known, part)
        if not answer.proven:
            return Answer(False, f"{part}: {answer.by}" if part != goal else answer.by)
        by[answer.by] = None
    return Answer(True, "; ".join(by))


def _parts(formula: Formula) -> list[Formula]:
    """The formulas that a conjunction joins."""
    whole = sp.sympify(formula)
    return list(whole.args) if isinstance(whole, sp.And) else [whole]


def _implied(facts: Sequence[Formula], goal: Formula) -> Answer:
    """Whether the goal, all of whose demands hold, holds wherever the facts do."""
    if goal in facts or goal == sp.true:
        return Answer(True, "given")
    demanded = [demand for formula in (*facts, goal) for demand in demands(formula)]
    by_z3, said = _asked(facts, demanded, goal)
    with contextlib.suppress(NotUnivariate):
        by_roots = decided_by_roots([*facts, *demanded], goal)
        if by_z3 is not None and by_z3 != by_roots:
            raise DisagreementError(f"z3 says {by_z3}, root isolation {by_roots}: {goal}")
        return Answer(by_roots, f"{said}; exact roots" if by_z3 is not None else "exact roots")
    return Answer(by_z3 is True, said)


def _asked(
    facts: Sequence[Formula], demanded: Sequence[Formula], goal: Formula
) -> tuple[bool | None, str]:
    """z3's answer, None if it gives up, and words for it.

    All terms are well defined as demanded. It is asked first about linear arithmetic over
    monomials, which is fast and can only prove.
    """
    import z3

    linear = _LinearEncoder(z3)
    if _refuted(linear, "QF_LRA", [linear.formula(fact) for fact in facts], goal)[0]:
        return True, "z3, linear"
    encoder = _Encoder(z3)
    asserted = [encoder.formula(fact) for fact in [*facts, *demanded]]
    return _refuted(encoder, "QF_NRA", asserted, goal)


def _refuted(
    encoder: _Encoder, logic: str, asserted: list[Any], goal: Formula
) -> tuple[bool | None, str]:
    """Whether the assertions contradict the goal's negation; None if z3 gives up."""
    negated = encoder.z3.Not(encoder.formula(goal))
    solver = encoder.z3.SolverFor(logic)
    solver.set("rlimit", EFFORT)
    solver.add(*asserted, *encoder.known, negated)
    answer = str(solver.check())
    if answer == "unknown":
        return None, f"z3 gives up ({solver.reason_unknown()})"
    return (True, "z3") if answer == "unsat" else (False, "z3 has a counterexample")
