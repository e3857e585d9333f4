"""Proofs: facts that are made by rules only, and theorems whose conclusion has to be a fact.

A proof is a Python function that calls the rules of `Proof`. Each call names the facts it
uses and returns a new one, or raises `NotDischargedError`; a fact cannot be made otherwise. A
theorem is proven if its function ends in `Proof.qed` with its own conclusion.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import sympy as sp

from countbounds.proving.algebra import is_identity
from countbounds.proving.axioms import AXIOMS
from countbounds.proving.calculus import NotSmoothError, derivative
from countbounds.proving.decide import DisagreementError, demands, implied
from countbounds.proving.enclosing import holds_on
from countbounds.proving.formulas import (
    Every,
    Formula,
    Term,
    Total,
    about_entries,
    dot,
    free_symbols,
    has_sums,
    is_integer,
    is_same,
    parts_of,
    require_plain,
    substituted,
)

_MINT = object()


class NotDischargedError(Exception):
    """A step of a proof is not shown; the message says which and why."""


@dataclass(frozen=True)
class Step:
    """One step of a proof, as it is shown.

    Attributes:
        rule: the kind of step.
        claim: what it shows, in words or as a formula.
        by: what discharged it.
        why: the idea, in words; may be empty.
        depth: how many assumptions deep it stands.
        seconds: how long it took.
    """

    rule: str
    claim: str
    by: str
    why: str
    depth: int
    seconds: float


class Fact:
    """A formula that a proof has shown, valid inside the scope that made it."""

    __slots__ = ("_formula", "_scope")

    def __init__(self, mint: object, formula: Any, scope: Proof) -> None:
        if mint is not _MINT:
            raise TypeError("Facts are made by the rules of a proof only.")
        self._formula, self._scope = formula, scope

    @property
    def formula(self) -> Any:
        """What holds."""
        return self._formula

    @property
    def scope(self) -> Proof:
        """Where it holds."""
        return self._scope

    def __repr__(self) -> str:
        return str(self.formula)


@dataclass(frozen=True)
class Statement:
    """What a theorem says: for all values of its symbols, hypotheses imply the conclusion.

    Attributes:
        title: its name in words.
        source: where it comes from.
        conclusion: a formula, or an `Every`.
        hypotheses: formulas by name, in an order in which each is well defined by the former.
        integers: the symbols that stand for integers; all others stand for reals.
        vectors: names of vectors of a real inner product space; `dot` makes their products.
        entries: symbols for the i-th entries of families, i = 1..d, and what holds of each.
        words: the statement in a sentence.
    """

    title: str
    source: str
    conclusion: Any
    hypotheses: Mapping[str, Any] = field(default_factory=dict)
    integers: tuple[Any, ...] = ()
    vectors: tuple[str, ...] = ()
    entries: Mapping[Any, tuple[Formula, ...]] = field(default_factory=dict)
    words: str = ""


@dataclass(frozen=True)
class Theorem:
    """A statement with its proof.

    Attributes:
        name: by which it is called up.
        statement: what it says.
        prove: the function that proves it.
    """

    name: str
    statement: Statement
    prove: Callable[[Proof], None]


class Proof:
    """A scope of a proof: what is given and what has been shown.

    Attributes:
        given: the hypotheses by name, as facts.
    """

    def __init__(
        self,
        theorem: Theorem,
        library: Mapping[str, Theorem],
        steps: list[Step] | None = None,
        outer: Proof | None = None,
    ) -> None:
        self.theorem, self._library, self._outer = theorem, library, outer
        self.steps: list[Step] = [] if steps is None else steps
        self._used: set[str] = set() if outer is None else outer._used
        self._integers: set[Any] = set(outer._integers if outer else theorem.statement.integers)
        self._taken: set[Any] = set(outer._taken) if outer else set()
        self.given: dict[str, Fact] = dict(outer.given) if outer else {}
        self._finished = False
        self._is_row = False  # whether entries stand for those of one index here
        if outer is None:
            self._assume_hypotheses()

    # --- scopes --------------------------------------------------------------------------

    @property
    def used(self) -> frozenset[str]:
        """The theorems used so far."""
        return frozenset(self._used)

    @property
    def finished(self) -> bool:
        """Whether the conclusion has been reached."""
        return self._finished

    def _assume_hypotheses(self) -> None:
        statement = self.theorem.statement
        self._plain(statement.conclusion)
        for name, formula in statement.hypotheses.items():
            self._take(free_symbols(formula))
            self._check_defined(formula, list(self.given.values()), name)
            if about_entries(formula, statement.entries):
                raise NotDischargedError(f"the hypothesis {name!r} is about single entries")
            self.given[name] = self._fact(formula)
        for symbol, formulas in statement.entries.items():
            self._take({symbol}.union(*(free_symbols(formula) for formula in formulas)))
            for formula in formulas:
                self._check_defined(formula, list(self.given.values()), str(symbol))
        self._take(free_symbols(statement.conclusion))

    def _check_defined(self, formula: Any, facts: Sequence[Fact], name: str) -> None:
        """Refuse a hypothesis whose terms are not well defined by the former ones."""
        self._plain(formula)
        known = [f.formula for f in facts if not isinstance(f.formula, Every)]
        for part in parts_of(formula):
            for demand in demands(part):
                if not implied(known, demand).proven:
                    raise NotDischargedError(f"the hypothesis {name!r} needs {demand}")
            known.append(part)

    def _take(self, names: Iterable[Any]) -> None:
        self._taken |= set(names)

    def _fact(self, formula: Any) -> Fact:
        self._plain(formula)
        return Fact(_MINT, formula, self)

    def _plain(self, formula: Any) -> None:
        """Refuse what is no formula or term of the engine."""
        try:
            require_plain(formula)
        except TypeError as error:
            raise NotDischargedError(str(error)) from error

    def _defined(
        self, term: Any, facts: Sequence[Fact], values: Mapping[Any, Term] = MappingProxyType({})
    ) -> None:
        """Refuse unless a term, or formula, with values for its symbols is well defined."""
        self._plain(term)
        for demand in demands(sp.sympify(term)):
            self._proven(facts, substituted(demand, values))

    def _stays_defined(
        self, hypothesis: Any, facts: Sequence[Fact], values: Mapping[Any, Term]
    ) -> None:
        """The same for a hypothesis, whose demands may vanish when values are put in."""
        if not isinstance(hypothesis, Every):
            self._defined(hypothesis, facts, values)
            return
        inner = self._inner()
        images = {**values, hypothesis.symbol: inner._fresh(hypothesis.symbol.name)}
        known = list(facts)
        for part in parts_of(hypothesis):
            inner._defined(part, known, images)
            known.append(inner._fact(substituted(part, images)))

    def _fresh(self, name: str, *formulas: Any) -> Any:
        """A symbol that occurs nowhere yet."""
        known = set(self._taken).union(*(free_symbols(formula) for formula in formulas))
        symbol = sp.Dummy(name)
        while symbol in known:
            symbol = sp.Dummy(name)
        self._take({symbol})
        return symbol

    def _inner(self) -> Proof:
        return Proof(self.theorem, self._library, self.steps, self)

    @property
    def depth(self) -> int:
        """How many scopes deep this one stands."""
        return 0 if self._outer is None else self._outer.depth + 1

    def _formulas(self, facts: Iterable[Any]) -> list[Formula]:
        """The formulas of facts that are valid here; an `Every` is of no use to a decider."""
        found = []
        for fact in facts:
            if not isinstance(fact, Fact):
                raise TypeError(f"This is no fact: {fact!r}")
            scope: Proof | None = self
            other_row = False
            while scope is not None and scope is not fact.scope:
                other_row = other_row or scope._is_row
                scope = scope._outer
            if scope is None:
                raise NotDischargedError(f"the fact {fact} is not valid outside its case")
            if other_row and about_entries(fact.formula, self.theorem.statement.entries):
                raise NotDischargedError(f"the fact {fact} is about single entries")
            if not isinstance(fact.formula, Every):
                found.append(fact.formula)
        return found

    def _show(self, rule: str, claim: Any, by: str, why: str, begun: float) -> None:
        seconds = time.perf_counter() - begun
        self.steps.append(Step(rule, str(claim), by, why, self.depth, seconds))

    def _proven(self, facts: Iterable[Any], goal: Formula) -> str:
        """Who decided that the facts imply the goal.

        Raises:
            NotDischargedError: if nobody did.
        """
        formulas = self._formulas(facts)
        try:
            answer = implied(formulas, goal)
        except (DisagreementError, TypeError, ArithmeticError) as error:
            raise NotDischargedError(str(error)) from error
        if not answer.proven:
            raise NotDischargedError(f"{goal} is not shown: {answer.by}")
        return answer.by

    # --- rules ---------------------------------------------------------------------------

    def reals(self, goal: Formula, *facts: Fact, why: str = "") -> Fact:
        """What follows from the facts over the reals."""
        begun = time.perf_counter()
        by = self._proven(facts, goal)
        self._show("reals", goal, by, why, begun)
        return self._fact(goal)

    def identity(self, left: Term, right: Term, *facts: Fact, why: str = "") -> Fact:
        """left = right as terms; the facts are for their being well defined."""
        begun = time.perf_counter()
        goal = sp.Eq(left, right, evaluate=False)
        self._defined(goal, facts)
        try:
            equal = is_identity(left, right)
        except (ArithmeticError, TypeError) as error:
            raise NotDischargedError(str(error)) from error
        if not equal:
            raise NotDischargedError(f"{goal} is not an identity")
        self._show("identity", goal, "sympy; flint", why, begun)
        return self._fact(goal)

    def enclosed(
        self, goal: Formula, symbol: Any = None, low: Term = 0, high: Term = 0, why: str = ""
    ) -> Fact:
        """A strict inequality of numbers, or for a symbol between two rational numbers.

        With a symbol the fact is about all its values from low to high.
        """
        begun = time.perf_counter()
        new, low, high = symbol is None, sp.Rational(low), sp.Rational(high)
        if new:
            symbol = sp.Dummy("x")
        try:
            shown = holds_on(goal, symbol, Fraction(low.p, low.q), Fraction(high.p, high.q))
        except TypeError as error:
            raise NotDischargedError(str(error)) from error
        if not shown:
            raise NotDischargedError(f"{goal} is not shown by enclosures")
        found = goal if new else Every(symbol, False, (low <= symbol, symbol <= high), goal)
        self._show("enclosed", found, "arb", why, begun)
        return self._fact(found)

    def axiom(self, name: str, *terms: Term, facts: Sequence[Fact] = (), why: str = "") -> Fact:
        """A fact of analysis, for terms."""
        begun = time.perf_counter()
        axiom, terms = AXIOMS[name], tuple(sp.sympify(term) for term in terms)
        for term in terms:
            self._defined(term, facts)
        formula = axiom.says(*terms)
        for need in axiom.needs(*terms):
            self._proven(facts, need)
        self._defined(formula, facts)
        self._show("axiom", formula, name, why, begun)
        return self._fact(formula)

    def define(self, name: str, term: Term, *facts: Fact, why: str = "") -> tuple[Any, Fact]:
        """A new symbol for a term, and the fact that they are equal."""
        begun = time.perf_counter()
        self._defined(term, facts)
        symbol = self._fresh(name, term)
        if is_integer(term, self._integers):
            self._integers.add(symbol)
        fact = self._fact(sp.Eq(symbol, term, evaluate=False))
        self._show("definition", fact, "", why, begun)
        return symbol, fact

    def unfold(self, fact: Fact, *equations: Fact, why: str = "") -> Fact:
        """A fact with terms for symbols that are equal to them: equations symbol = term."""
        begun = time.perf_counter()
        self._formulas([fact, *equations])
        images = {}
        for equation in equations:
            formula = equation.formula
            if not isinstance(formula, sp.Eq) or not isinstance(formula.lhs, sp.Symbol):
                raise NotDischargedError(f"{equation} does not say what a symbol is")
            images[formula.lhs] = formula.rhs
        self._refuse_capture([fact.formula], images.values())
        found = substituted(fact.formula, images)
        self._show("unfold", found, "", why, begun)
        return self._fact(found)

    def at(self, fact: Fact, term: Term, *facts: Fact, why: str = "") -> Fact:
        """What holds for all values, at one of them."""
        begun = time.perf_counter()
        self._formulas([fact])
        universal = fact.formula
        if not isinstance(universal, Every):
            raise NotDischargedError(f"{fact} is not about all values of a symbol")
        if universal.integer and not is_integer(term, self._integers):
            raise NotDischargedError(f"{term} is not known to be an integer")
        self._defined(term, facts)
        self._refuse_capture([universal], [term])
        conditions, formula = universal.at(term)
        by, known = set(), list(facts)
        for before, condition in zip(universal.conditions, conditions, strict=True):
            self._defined(before, known, {universal.symbol: term})
            by.add(self._proven(known, condition))
            known.append(self._fact(condition))
        self._show("at", formula, "; ".join(sorted(by)), why, begun)
        return self._fact(formula)

    def every(
        self,
        universal: Every,
        show: Callable[[Proof, Any, list[Fact]], Fact],
        why: str = "",
    ) -> Fact:
        """For all values: `show(scope, symbol, conditions)` proves it for a new symbol."""
        begun = time.perf_counter()
        self._plain(universal)
        inner = self._inner()
        symbol = inner._fresh(universal.symbol.name, universal)
        if universal.integer:
            inner._integers.add(symbol)
        conditions, formula = universal.at(symbol)
        known: list[Fact] = []
        for condition in conditions:
            known.append(inner._fact(condition))
        found = show(inner, symbol, known)
        inner._expect(found, formula)
        self._show("every", universal, "the steps above", why, begun)
        return self._fact(universal)

    def _expect(self, found: Any, goal: Any) -> None:
        """Refuse unless the fact found is valid here and is the goal."""
        self._formulas([found])
        if not is_same(found.formula, goal):
            raise NotDischargedError(f"{found} was shown where {goal} was to be")

    def cases(
        self,
        goal: Formula,
        conditions: Sequence[Formula],
        show: Sequence[Callable[[Proof, Fact], Fact]],
        *facts: Fact,
        why: str = "",
    ) -> Fact:
        """The goal from each of several conditions, one of which holds by the facts."""
        begun = time.perf_counter()
        conditions = list(conditions)
        for condition in conditions:  # before Or can simplify them away
            self._defined(condition, facts)
        by = self._proven(facts, sp.Or(*conditions))
        for condition, one in zip(conditions, show, strict=True):
            inner = self._inner()
            inner._expect(one(inner, inner._fact(condition)), goal)
        self._show("cases", goal, f"the steps above; all cases by {by}", why, begun)
        return self._fact(goal)

    def residue(
        self,
        term: Term,
        modulus: int,
        goal: Formula,
        show: Sequence[Callable[[Proof, Any, Fact], Fact]],
        why: str = "",
    ) -> Fact:
        """The goal for an integer term m q + r, r = 0..m - 1: `show[r](scope, q, equation)`."""
        begun = time.perf_counter()
        if not is_integer(term, self._integers):
            raise NotDischargedError(f"{term} is not known to be an integer")
        if not len(show) == modulus > 0:
            raise NotDischargedError(f"there are {modulus} residues, not {len(show)}")
        self._defined(term, ())
        for rest, one in enumerate(show):
            inner = self._inner()
            quotient = inner._fresh("q", term, goal)
            inner._integers.add(quotient)
            equation = inner._fact(sp.Eq(term, modulus * quotient + rest, evaluate=False))
            inner._expect(one(inner, quotient, equation), goal)
        self._show("residue", goal, f"the steps above; residues modulo {modulus}", why, begun)
        return self._fact(goal)

    def integer_gap(self, term: Term, *facts: Fact, why: str = "") -> Fact:
        """An integer term is <= 0 or >= 1."""
        begun = time.perf_counter()
        if not is_integer(term, self._integers):
            raise NotDischargedError(f"{term} is not known to be an integer")
        self._defined(term, facts)
        goal = sp.Or(sp.sympify(term) <= 0, sp.sympify(term) >= 1)
        self._show("integer gap", goal, "", why, begun)
        return self._fact(goal)

    def no_square(self, factor: int, left: Term, right: Term, *facts: Fact, why: str = "") -> Fact:
        """No square of an integer is a non-square times the square of another but zero."""
        begun = time.perf_counter()
        for term in (left, right):
            if not is_integer(term, self._integers):
                raise NotDischargedError(f"{term} is not known to be an integer")
            self._defined(term, facts)
        if factor < 0 or sp.integer_nthroot(factor, 2)[1]:
            raise NotDischargedError(f"{factor} is the square of an integer, or negative")
        goal = sp.Or(sp.Eq(right, 0), sp.Ne(left**2, factor * right**2))
        self._show("no square", goal, "", why, begun)
        return self._fact(goal)

    def floor(self, term: Term, value: Term, *facts: Fact, why: str = "") -> Fact:
        """An integer value with value <= term < value + 1 is the floor of the term."""
        begun = time.perf_counter()
        if not is_integer(value, self._integers):
            raise NotDischargedError(f"{value} is not known to be an integer")
        by = self._proven(facts, sp.And(value <= term, term < value + 1))
        goal = sp.Eq(sp.floor(term), value, evaluate=False)
        self._show("floor", goal, by, why, begun)
        return self._fact(goal)

    def square(self, coefficients: Mapping[str, Term], *facts: Fact, why: str = "") -> Fact:
        """The square of the norm of a combination of vectors is >= 0."""
        begun = time.perf_counter()
        known = self.theorem.statement.vectors
        odd = [name for name in coefficients if name not in known]
        if odd:
            raise NotDischargedError(f"{odd[0]} is not a vector of the theorem")
        names = list(coefficients)
        total = sp.Add(
            *(coefficients[u] * coefficients[v] * dot(u, v) for u in names for v in names)
        )
        for coefficient in coefficients.values():
            self._defined(coefficient, facts)
        goal = total >= 0
        self._show("square", goal, "", why, begun)
        return self._fact(goal)

    def sums(
        self,
        goal: Callable[..., Formula],
        summands: Sequence[Term],
        *facts: Fact,
        extra: Sequence[Callable[..., Formula]] = (),
        show: Callable[[Proof, list[Fact]], Iterable[Fact]] | None = None,
        why: str = "",
    ) -> Fact:
        """goal(T_1, ..., T_k) for the sums T_j over i = 1..d of summands in the i-th entries.

        Shown for empty sums and from partial sums to those with one summand more; the facts
        must not be about entries. What the statement says of each entry holds of the summand,
        and what `show(scope, these facts)` proves of the entries of any one index.
        """
        begun = time.perf_counter()
        entries = self.theorem.statement.entries
        for fact in facts:
            if about_entries(fact.formula, entries):
                raise NotDischargedError(f"the fact {fact} is about single entries")
        inner = self._inner()
        inner._is_row = True
        summands = [sp.sympify(summand) for summand in summands]
        partial = [inner._fresh(f"T{j}", *summands) for j in range(len(summands))]
        relations = [relation(*partial) for relation in (goal, *extra)]
        about = [inner._fact(formula) for known in entries.values() for formula in known]
        outer = set(inner._taken)
        about += [] if show is None else list(show(inner, list(about)))
        for relation in relations:
            inner._defined(relation, facts)
            if about_entries(relation, entries) or free_symbols(relation) & (inner._taken - outer):
                raise NotDischargedError(f"the relation {relation} is about single entries")
        for summand in summands:
            inner._defined(summand, [*facts, *about])

        def all_of(values: Sequence[Term]) -> Formula:
            images = dict(zip(partial, values, strict=True))
            return sp.And(*(substituted(relation, images) for relation in relations))

        by = {inner._proven(facts, all_of([sp.Integer(0)] * len(summands)))}
        before = inner._fact(all_of(partial))
        after = [t + summand for t, summand in zip(partial, summands, strict=True)]
        by |= {inner._proven([before, *about, *facts], all_of(after))}
        totals = dict(zip(partial, map(Total, summands), strict=True))
        found = substituted(relations[0], totals)
        self._show("sums", found, "; ".join(sorted(by)), why, begun)
        return self._fact(found)

    def induction(
        self,
        symbol: Any,
        start: int,
        formula: Formula,
        step: Callable[[Proof, Any, Fact, Fact], Fact],
        *facts: Fact,
        why: str = "",
    ) -> Fact:
        """formula for all integers symbol >= start; `step(scope, n, n >= start, formula(n))`."""
        begun = time.perf_counter()
        if type(start) is not int or not isinstance(symbol, sp.Symbol):
            raise NotDischargedError(f"{start!r} is no integer to start from")
        inner = self._inner()
        n = inner._fresh(symbol.name, formula)
        inner._integers.add(n)
        from_start = inner._fact(n >= start)
        inner._defined(formula, [from_start, *facts], {symbol: n})
        base = self._proven(facts, substituted(formula, {symbol: sp.Integer(start)}))
        here = inner._fact(substituted(formula, {symbol: n}))
        found = step(inner, n, from_start, here)
        inner._expect(found, substituted(formula, {symbol: n + 1}))
        universal = Every(symbol, True, (symbol >= start,), formula)
        self._show("induction", universal, f"base by {base}; the steps above", why, begun)
        return self._fact(universal)

    def rises(
        self,
        function: Term,
        symbol: Any,
        low: Term,
        high: Term,
        *facts: Fact,
        strictly: bool = False,
        show: Callable[[Proof, Any, Term, list[Fact]], Fact] | None = None,
        why: str = "",
    ) -> Fact:
        """function(low) <= function(high) for low <= high, as the derivative is >= 0 between.

        The derivative's sign follows from the facts and low <= x <= high, or is shown by
        `show(scope, x, derivative, facts about x)`, x being new. Strictly: < everywhere, > 0.
        """
        begun = time.perf_counter()
        if not isinstance(symbol, sp.Symbol):
            raise NotDischargedError(f"{symbol} is no symbol")
        low, high = sp.sympify(low), sp.sympify(high)
        for end in (low, high):
            self._defined(end, facts)
        by = {self._proven(facts, low < high if strictly else low <= high)}
        inner = self._inner()
        x = inner._fresh(symbol.name, function, low, high)
        self._plain(function)
        between = [inner._fact(low <= x), inner._fact(x <= high)]
        try:
            slope, needs = derivative(substituted(function, {symbol: x}), x)
        except NotSmoothError as error:
            raise NotDischargedError(str(error)) from error
        for need in needs:
            by.add(inner._proven([*facts, *between], need))
        sign = slope > 0 if strictly else slope >= 0
        if show is None:
            by.add(inner._proven([*facts, *between], sign))
        else:
            inner._expect(show(inner, x, slope, between), sign)
        left, right = (substituted(function, {symbol: end}) for end in (low, high))
        goal = left < right if strictly else left <= right
        self._show("rises", goal, "; ".join(sorted(by)), why, begun)
        return self._fact(goal)

    def use(
        self,
        name: str,
        values: Mapping[Any, Term],
        *facts: Fact,
        vectors: Mapping[str, Mapping[str, Term]] | None = None,
        rows: Mapping[str, Term | None] | None = None,
        why: str = "",
    ) -> Fact:
        """The conclusion of another theorem, with terms for its symbols.

        Its hypotheses have to be among the facts or to follow from them over the reals. Its
        vectors become combinations of vectors here; or `rows`, vectors of R^d with the given
        terms as entries (None: the unit vector of the index at hand, inside of `sums`).
        """
        begun = time.perf_counter()
        if name not in self._library:
            raise NotDischargedError(f"there is no theorem {name!r}")
        self._used.add(name)
        statement = self._library[name].statement
        if not all(isinstance(symbol, sp.Symbol) for symbol in values):
            raise NotDischargedError("only symbols can be replaced by terms")
        images = {symbol: sp.sympify(term) for symbol, term in values.items()}
        parts = (statement.conclusion, *statement.hypotheses.values())
        for symbol in set().union(*map(free_symbols, parts)) - set(statement.entries):
            images.setdefault(symbol, symbol)  # what is not replaced means the same here
        if rows is None:
            images |= self._inner_products(statement, vectors or {})
        else:
            images |= self._sums_of_products(statement, rows)
        self._check_entries(name, statement, images)
        self._refuse_capture(
            [statement.conclusion, *statement.hypotheses.values()], images.values()
        )
        for symbol in statement.integers:
            if not is_integer(images.get(symbol, symbol), self._integers):
                raise NotDischargedError(
                    f"{images.get(symbol, symbol)} is not known to be an integer"
                )
        for term in images.values():
            self._defined(term, facts)
        by = set()
        for label, hypothesis in statement.hypotheses.items():
            needed = substituted(hypothesis, images)
            self._stays_defined(hypothesis, facts, images)
            if any(is_same(fact.formula, needed) for fact in facts):
                self._formulas(facts)
                by.add("given")
            elif isinstance(needed, Every):
                raise NotDischargedError(f"the hypothesis {label!r} of {name!r} is not given")
            else:
                by.add(self._proven(facts, needed))
        conclusion = substituted(statement.conclusion, images)
        self._show("use", conclusion, "; ".join([name, *sorted(by)]), why, begun)
        return self._fact(conclusion)

    def _check_entries(self, name: str, statement: Statement, images: Mapping[Any, Term]) -> None:
        """Refuse unless the other theorem's entries are ours, and we know as much of them."""
        here = self.theorem.statement.entries
        for symbol, formulas in statement.entries.items():
            if symbol not in here or symbol in images:
                raise NotDischargedError(f"the entries {symbol} of {name!r} are not at hand")
            known = [formula for about in here.values() for formula in about]
            if any(substituted(formula, images) not in known for formula in formulas):
                raise NotDischargedError(f"{name!r} knows more of the entries {symbol}")

    def _inner_products(
        self, statement: Statement, vectors: Mapping[str, Mapping[str, Term]]
    ) -> dict[Any, Term]:
        """The images of all inner products when vectors become combinations of vectors here."""
        here = self.theorem.statement.vectors
        images: dict[str, Mapping[str, Term]] = {}
        for name in statement.vectors:
            images[name] = vectors.get(name, {name: sp.Integer(1)})
            odd = [vector for vector in images[name] if vector not in here]
            if odd:
                raise NotDischargedError(f"{odd[0]} is not a vector of the theorem")
        return {
            dot(u, v): sp.Add(
                *(a * b * dot(x, y) for x, a in images[u].items() for y, b in images[v].items())
            )
            for u in statement.vectors
            for v in statement.vectors
        }

    def _sums_of_products(
        self, statement: Statement, rows: Mapping[str, Term | None]
    ) -> dict[Any, Term]:
        """The images of all inner products when vectors are given by their entries."""
        scope: Proof | None = self
        while scope is not None and not scope._is_row:
            scope = scope._outer
        for name in statement.vectors:
            if rows[name] is None and scope is None:
                raise NotDischargedError("there is no index at hand")
            if rows[name] is not None and demands(sp.sympify(rows[name])):
                raise NotDischargedError(f"{rows[name]} is not defined everywhere")

        def product(left: Term | None, right: Term | None) -> Term:
            if left is None or right is None:
                if left is right:
                    return sp.Integer(1)
                return sp.sympify(right if left is None else left)
            return Total(sp.sympify(left) * sp.sympify(right))

        return {
            dot(u, v): product(rows[u], rows[v])
            for u in statement.vectors
            for v in statement.vectors
        }

    def _refuse_capture(self, formulas: Iterable[Any], terms: Iterable[Term]) -> None:
        """Refuse to put single entries into formulas with sums over all of them."""
        entries = self.theorem.statement.entries
        if any(has_sums(formula) for formula in formulas):
            for term in terms:
                if about_entries(term, entries):
                    raise NotDischargedError(f"{term} is about single entries, the formula sums")

    def both(self, *facts: Fact, why: str = "") -> Fact:
        """All the facts as one formula."""
        return self.reals(sp.And(*self._formulas(facts)), *facts, why=why)

    def qed(self, *facts: Fact, why: str = "") -> None:
        """The theorem's own conclusion, from facts."""
        begun = time.perf_counter()
        if self._outer is not None:
            raise NotDischargedError("a proof ends outside all cases")
        goal = self.theorem.statement.conclusion
        if any(is_same(fact.formula, goal) for fact in facts):
            self._formulas(facts)
            by = "given"
        elif isinstance(goal, Every):
            raise NotDischargedError(f"{goal} was not shown")
        else:
            by = self._proven(facts, goal)
        self._show("qed", goal, by, why, begun)
        self._finished = True
