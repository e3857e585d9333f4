"""The engine can fail: for each rule, what is false or does not follow is not proven."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import sympy as sp

from countbounds.proving.algebra import is_identity
from countbounds.proving.decide import implied
from countbounds.proving.formulas import (
    HALF,
    Every,
    Total,
    dot,
    every,
    every_real,
    is_integer,
    substituted,
    symbols,
)
from countbounds.proving.library import NOT_PROVED, PROVED, Run, judged, run
from countbounds.proving.proof import (
    Fact,
    NotDischargedError,
    Proof,
    Statement,
    Theorem,
)
from countbounds.proving.roots import NotUnivariate, decided_by_roots

x, y, z, L, n, k = symbols("x y z L n k")
zero, one = sp.Integer(0), sp.Integer(1)


def statement(conclusion: Any = sp.true, **more: Any) -> Statement:
    return Statement("a title", "a source", conclusion, **more)


def attempt(prove: Callable[[Proof], Any], known: Any = None, **more: Any) -> str:
    """What stops a proof; empty if it ends."""
    theorem = Theorem("attempt", statement(**more), prove)
    return run(theorem, {"attempt": theorem, **(known or {})}).fault


def shown(rule: Callable[[Proof], Any], **more: Any) -> bool:
    """Whether a single step is discharged."""
    fault = attempt(rule, **more)
    return fault == "the proof does not reach its conclusion"


def both(good: Callable[[Proof], Any], bad: Callable[[Proof], Any], **more: Any) -> None:
    """A step that is discharged, and one near it that is not."""
    assert shown(good, **more)
    fault = attempt(bad, **more)
    assert fault
    assert fault != "the proof does not reach its conclusion"


# --- reals -------------------------------------------------------------------------------

REALS: list[tuple[list[Any], Any, Any]] = [
    ([x > 1], x**2 > 1, x**2 > 2),
    ([x >= 1], x**2 >= 1, x**2 > 1),
    ([x > 0, y > 0], (x + y) / 2 >= sp.sqrt(x * y), (x + y) / 2 > sp.sqrt(x * y)),
    ([x > 0], sp.sqrt(x + 1) < 1 + x / 2, sp.sqrt(x + 1) < 1 + 9 * x / 20),
    ([x > 0], 1 / x > 0, 1 / x > 1),
    ([x**2 + y**2 <= 1], x + y <= sp.sqrt(2), x + y <= sp.Rational(141, 100)),
    ([], sp.Or(x < 1, x > 0), sp.Or(x < 1, x > 1)),
    ([x**3 >= 8], x >= 2, x > 2),
    ([x > 1], x ** sp.Rational(9, 10) < x, x ** sp.Rational(9, 10) > x),
    ([x > 1], x ** sp.Rational(-3, 2) < 1, x ** sp.Rational(-3, 2) < HALF),
    ([sp.exp(x) > 2, y >= sp.exp(x)], y > 2, y > 3),
    ([sp.Implies(x > 0, y > 0), x > 1], y > 0, y > 1),
    ([sp.Eq(sp.floor(x), 3), y > sp.floor(x)], y > 3, y > x),
]


@pytest.mark.parametrize(("facts", "good", "bad"), REALS)
def test_reals(facts: list[Any], good: Any, bad: Any) -> None:
    assert implied(facts, good).proven
    assert not implied(facts, bad).proven
    assert not implied(facts[1:], good).proven or not facts or len(facts) > 1


@pytest.mark.parametrize(
    ("facts", "goal"),
    [
        ([], x / x**2 >= x / x**2),
        ([], sp.Eq(sp.sqrt(x) ** 4, x**2) | (sp.sqrt(x + y) >= 0)),
        ([x >= 0], sp.log(x) <= sp.log(x)),
        ([], 1 / (x**2 - 1) < 1 + 1 / (x**2 - 1) + x**2),
    ],
)
def test_terms_that_are_not_well_defined(facts: list[Any], goal: Any) -> None:
    answer = implied(facts, goal)
    assert not answer.proven or goal == sp.true


def test_opaque_functions_are_not_interpreted() -> None:
    for false_or_unknown in (
        sp.exp(x) > 1,
        sp.exp(x) > sp.exp(x / 2),
        sp.floor(x) <= x,
        sp.log(x + 1) <= x,
    ):
        assert not implied([x > 0], false_or_unknown).proven


def test_a_question_that_is_too_hard_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("countbounds.proving.decide.EFFORT", 100)
    answer = implied([x > 0, y > 0, z > 0, x * y * z > 7], x + y + z > 3)
    assert not answer.proven
    assert "gives up" in answer.by


ROOTS: list[tuple[list[Any], Any, bool]] = [
    ([x**2 < 2], x < sp.Rational(3, 2), True),
    ([x**2 < 2], x < sp.Rational(7, 5), False),
    ([sp.Eq(x**2, 2), x > 0], x**5 - 4 * x >= 0, True),
    ([sp.Eq(x**2, 2), x > 0], x**5 - 4 * x > 0, False),
    ([], x**4 - 2 * x**2 + 1 >= 0, True),
    ([], x**4 - 2 * x**2 + 1 > 0, False),
    ([x > 0, x < 1], x * (1 - x) <= sp.Rational(1, 4), True),
    ([x > 0, x < 1], x * (1 - x) < sp.Rational(1, 4), False),
    ([x > 1], (x**3 - x) / (x - 1) > 2, True),
    ([x > 1], (x**3 - x) / (x - 1) > sp.Rational(21, 10), False),
    ([sp.Ne(x, 0)], sp.Or(1 / x > 0, 1 / x < 0), True),
    ([x > 0, x < 0], x > 5, True),
]


@pytest.mark.parametrize(("facts", "goal", "truth"), ROOTS)
def test_exact_roots(facts: list[Any], goal: Any, truth: bool) -> None:
    assert decided_by_roots(facts, goal) is truth
    assert implied(facts, goal).proven is truth


def test_exact_roots_know_their_limits() -> None:
    for formula in (x > y, sp.exp(x) > 0, x**100 > x):
        with pytest.raises(NotUnivariate):
            decided_by_roots([], formula)


# --- identities --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "truth"),
    [
        ((x + y) ** 3, x**3 + 3 * x**2 * y + 3 * x * y**2 + y**3, True),
        ((x + y) ** 3, x**3 + 3 * x**2 * y + 3 * x * y**2 - y**3, False),
        (1 / (x - y) + 1 / (x + y), 2 * x / (x**2 - y**2), True),
        (1 / (x - y) + 1 / (x + y), 2 * y / (x**2 - y**2), False),
        (sp.sqrt(x) ** 3, x * sp.sqrt(x), True),
        (sp.sqrt(x + sp.sqrt(y)) ** 4, x**2 + 2 * x * sp.sqrt(y) + y, True),
        (sp.sqrt(x + sp.sqrt(y)) ** 4, x**2 + x * sp.sqrt(y) + y, False),
        (1 / sp.sqrt(x), sp.sqrt(x) / x, True),
        (sp.sqrt(x**2), x, False),
        (sp.exp(x) * (1 + y), sp.exp(x) + y * sp.exp(x), True),
        (sp.Integer(2), sp.Rational(4, 2), True),
        (sp.Integer(2), sp.Integer(3), False),
    ],
)
def test_identities(left: Any, right: Any, truth: bool) -> None:
    assert is_identity(left, right) is truth
    assert shown(lambda p: p.identity(left, right, p.given["s"]), hypotheses={"s": x > y}) is (
        truth and left not in (1 / (x - y) + 1 / (x + y), 1 / sp.sqrt(x), sp.sqrt(x) ** 3,
                               sp.sqrt(x + sp.sqrt(y)) ** 4)
    )  # fmt: skip


def test_an_identity_needs_well_defined_sides() -> None:
    given = {"apart": sp.And(x > y, y > 0)}
    both(
        lambda p: p.identity(1 / (x - y) + 1 / (x + y), 2 * x / (x**2 - y**2), p.given["apart"]),
        lambda p: p.identity(1 / (x - y) + 1 / (x + y), 2 * x / (x**2 - y**2)),
        hypotheses=given,
    )


# --- integers ----------------------------------------------------------------------------


def test_what_is_an_integer() -> None:
    for term in (n, n * k - 3, n**2, sp.floor(x / 2), zero):
        assert is_integer(term, [n, k])
    for term in (x, n / 2, n**-1, HALF, n * x, sp.sqrt(n), 2**n):
        assert not is_integer(term, [n, k])


def test_integer_gap() -> None:
    both(lambda p: p.integer_gap(n), lambda p: p.integer_gap(x), integers=(n,))
    both(lambda p: p.integer_gap(n * n - 1), lambda p: p.integer_gap(n / 2), integers=(n,))
    both(
        lambda p: p.integer_gap(sp.floor(1 / x), p.given["x"]),
        lambda p: p.integer_gap(sp.floor(1 / x)),
        hypotheses={"x": x > 0},
    )


def test_products_of_consecutive_integers() -> None:
    def consecutive(p: Proof, goal: Any, term: Any) -> Fact:
        return p.reals(goal, p.integer_gap(term))

    both(
        lambda p: consecutive(p, n * (n - 1) >= 0, n),
        lambda p: consecutive(p, n * (n - 1) > 0, n),
        integers=(n,),
    )
    both(
        lambda p: consecutive(p, n * (n - 1) >= 0, n),
        lambda p: consecutive(p, n * (n - 2) >= 0, n),
        integers=(n,),
    )


def test_floor() -> None:
    given = {"n": sp.Eq(x, n**2 + sp.Rational(1, 4))}
    both(
        lambda p: p.floor(x, n**2, p.given["n"]),
        lambda p: p.floor(x, n**2 + 1, p.given["n"]),
        integers=(n,),
        hypotheses=given,
    )
    both(
        lambda p: p.floor(x, n**2, p.given["n"]),
        lambda p: p.floor(x, x - sp.Rational(1, 4), p.given["n"]),
        integers=(n,),
        hypotheses=given,
    )


def test_irrational_roots() -> None:
    for bad in (
        lambda p: p.no_square(4, n, k),
        lambda p: p.no_square(-2, n, k),
        lambda p: p.no_square(2, n, x),
        lambda p: p.reals(sp.Ne(n**2, 2 * k**2), p.no_square(2, n, k)),  # both may be 0
    ):
        both(lambda p: p.no_square(2, n, k), bad, integers=(n, k))


def test_residues() -> None:
    square = sp.Or(*(sp.Eq(sp.floor(n**2 / 4), n**2 / 4 - c) for c in (0, sp.Rational(1, 4))))

    def one_residue(q: Proof, half: Any, equation: Fact, value: Any) -> Fact:
        return q.reals(square, equation, q.floor(n**2 / 4, value(half), equation))

    def good(p: Proof) -> Fact:
        return p.residue(
            n,
            2,
            square,
            [
                lambda q, h, e: one_residue(q, h, e, lambda h: h**2),
                lambda q, h, e: one_residue(q, h, e, lambda h: h**2 + h),
            ],
        )

    def one_is_missing(p: Proof) -> Fact:
        return p.residue(n, 2, square, [lambda q, h, e: one_residue(q, h, e, lambda h: h**2)])

    def swapped(p: Proof) -> Fact:
        return p.residue(n, 2, square, [
            lambda q, h, e: one_residue(q, h, e, lambda h: h**2 + h),
            lambda q, h, e: one_residue(q, h, e, lambda h: h**2),
        ])  # fmt: skip

    def of_a_real(p: Proof) -> Fact:
        return p.residue(x, 1, x**2 >= 0, [lambda q, h, e: q.reals(x**2 >= 0)])

    for bad in (one_is_missing, swapped, of_a_real):
        both(good, bad, integers=(n,))


def test_induction() -> None:
    def by(formula: Any, start: int) -> Callable[[Proof], Fact]:
        return lambda p: p.induction(
            n,
            start,
            formula,
            lambda q, n, from_start, here: q.reals(
                substituted(formula, {symbols("n"): n + 1}), from_start, here
            ),
        )

    both(by(n**2 >= n, 0), by(n**2 >= n + 1, 0))  # false at the start
    both(by(n**2 >= n, 0), by(n**2 <= 3 * n, 0))  # true at the start, not kept
    assert shown(by(n**3 - n >= 0, 1))
    assert not shown(by(n**2 >= 2 * n, 1))


# --- sums, vectors -----------------------------------------------------------------------

w, g = symbols("w g")
ENTRIES: dict[str, Any] = {"entries": {w: (), g: ()}}


def cauchy(factor: Any) -> Callable[[Proof], Fact]:
    return lambda p: p.sums(
        lambda s, a, b: s**2 <= factor * a * b,
        [w * g, w**2, g**2],
        extra=[lambda s, a, b: a >= 0, lambda s, a, b: b >= 0],
    )


def test_sums() -> None:
    both(cauchy(one), cauchy(sp.Rational(99, 100)), **ENTRIES)
    without_extra = lambda p: p.sums(lambda s, a, b: s**2 <= a * b, [w * g, w**2, g**2])  # noqa: E731
    both(cauchy(one), without_extra, **ENTRIES)
    both(cauchy(one), lambda p: p.sums(lambda s: s >= 1, [w**2]), **ENTRIES)


def test_facts_about_single_entries_stay_inside() -> None:
    limited: dict[str, Any] = {"entries": {w: (w <= 1,)}}
    both(
        lambda p: p.sums(lambda s, c: s <= c, [w, one]),
        lambda p: p.sums(lambda s, c: s <= c, [2 * w, one]),
        **limited,
    )
    assert "single entries" in attempt(lambda p: None, hypotheses={"w": w > 0}, entries={w: ()})
    assert "single entries" in attempt(
        lambda p: p.sums(lambda s: s >= 0, [w], p.reals(sp.Or(w >= 0, w < 0, evaluate=False))),
        **ENTRIES,
    ) or not shown(lambda p: p.sums(lambda s: s >= 0, [w]), **ENTRIES)
    # a sum over all entries is a number like any other
    total = {"total": Total(w**2) >= 1}
    assert shown(
        lambda p: p.sums(lambda s: s >= 0, [w**2], p.given["total"]), hypotheses=total, **ENTRIES
    )


def test_squares() -> None:
    uu, vv, uv = dot("u", "u"), dot("v", "v"), dot("u", "v")
    vectors: dict[str, Any] = {"vectors": ("u", "v"), "hypotheses": {"v": vv > 0}}

    def cauchy_schwarz(p: Proof, goal: Any) -> Fact:
        facts = [p.square({"u": vv, "v": -uv}), p.square({"u": one}), p.given["v"]]
        return p.reals(goal, *facts)

    both(
        lambda p: cauchy_schwarz(p, uv**2 <= uu * vv),
        lambda p: cauchy_schwarz(p, uv**2 < uu * vv),
        **vectors,
    )
    assert not shown(lambda p: cauchy_schwarz(p, 2 * uv**2 <= uu * vv), **vectors)
    assert not shown(lambda p: p.square({"t": one}), **vectors)
    assert not shown(lambda p: p.reals(uu >= 0), **vectors)  # without the rule: a mere symbol


# --- calculus ----------------------------------------------------------------------------


def test_rises() -> None:
    given = {"ends": sp.And(y > 0, y < z)}

    def rises(function: Any, **more: Any) -> Callable[[Proof], Fact]:
        return lambda p: p.rises(function, x, y, z, p.given["ends"], **more)

    both(rises(x**2), rises(-(x**2)), hypotheses=given)
    both(rises(sp.log(x), strictly=True), rises(-sp.log(x)), hypotheses=given)
    both(rises(sp.sqrt(x)), rises(sp.floor(x)), hypotheses=given)
    both(rises(x**2), lambda p: p.rises(x**2, x, y, z), hypotheses=given)
    both(rises(x**2), lambda p: p.rises(x**2, x, -z, y, p.given["ends"]), hypotheses=given)
    both(rises(x**2), lambda p: p.rises(x**2, y, x, z, p.given["ends"]), hypotheses=given)
    both(rises(x**2), lambda p: p.rises(x**2, x**2, y, z, p.given["ends"]), hypotheses=given)
    both(rises(x - 1 / x), rises(1 / (x - 1) - 1 / x), hypotheses=given)
    closed = {"ends": sp.And(y >= 0, y <= z)}
    both(rises(x**2), rises(x**2, strictly=True), hypotheses=closed)
    both(rises(x**3), rises(x ** sp.Rational(1, 2)), hypotheses=closed)  # no derivative at 0


def test_a_derivative_whose_sign_is_shown_by_hand() -> None:
    """x - log x increases from 1 on; the sign of 1 - 1/x is found in two steps."""
    given = {"ends": sp.And(y >= 1, y <= z)}

    def by_hand(q: Proof, new: Any, slope: Any, between: list[Fact]) -> Fact:
        return q.reals(slope >= 0, *between, q.given["ends"])

    def of_something_else(q: Proof, new: Any, slope: Any, between: list[Fact]) -> Fact:
        return q.reals(sp.Integer(1) + slope**2 >= 0, *between, q.given["ends"])

    both(
        lambda p: p.rises(x - sp.log(x), x, y, z, p.given["ends"], show=by_hand),
        lambda p: p.rises(x - sp.log(x), x, y, z, p.given["ends"], show=of_something_else),
        hypotheses=given,
    )


def test_enclosures() -> None:
    both(
        lambda p: p.enclosed(sp.log(2) > sp.Rational(69, 100)),
        lambda p: p.enclosed(sp.log(2) > sp.Rational(7, 10)),
    )
    on = {"symbol": x, "low": 1, "high": 3}
    good = lambda p: p.enclosed(sp.log(x) > x / 9 - sp.Rational(1, 8), **on)  # noqa: E731
    for bad in (
        lambda p: p.enclosed(sp.log(x) > x / 9, **on),  # false at 1
        lambda p: p.enclosed(sp.log(x) >= (x - 1) / 3, **on),  # equal at 1
        lambda p: p.enclosed(sp.log(x - 2) < x, **on),  # not defined everywhere
        lambda p: p.enclosed(sp.log(x) < y, **on),  # another symbol
        lambda p: p.enclosed(sp.Eq(sp.exp(x), 3), **on),
        lambda p: p.reals(sp.log(x) < 2, p.enclosed(sp.log(x) < 2, **on)),  # only on [1, 3]
        lambda p: p.at(p.enclosed(sp.log(x) < 2, **on), sp.Integer(4)),
    ):
        both(good, bad)
    given = {"x": sp.And(x > 1, x < 2)}
    assert shown(
        lambda p: p.reals(
            sp.exp(-x) * x < sp.Rational(2, 5),
            p.at(p.enclosed(sp.exp(-x) * x < sp.Rational(2, 5), x, 0, 4), x, p.given["x"]),
        ),
        hypotheses=given,
    )


def test_axioms_check_their_terms() -> None:
    both(
        lambda p: p.axiom("log lies below its tangent", x, facts=[p.given["x"]]),
        lambda p: p.axiom("log lies below its tangent", x),
        hypotheses={"x": x > 0},
    )
    both(
        lambda p: p.axiom("log of a product", x, x, facts=[p.given["x"]]),
        lambda p: p.axiom("log of a product", x, -x, facts=[p.given["x"]]),
        hypotheses={"x": x > 0},
    )
    assert attempt(lambda p: p.axiom("what I need")).startswith("KeyError")


# --- scopes, quantifiers, cases ----------------------------------------------------------


def test_cases_have_to_be_all() -> None:
    def split(last: Any, goal: Any) -> Callable[[Proof], Fact]:
        return lambda p: p.cases(
            goal,
            [x < 0, last],
            [lambda q, below: q.reals(goal, below), lambda q, above: q.reals(goal, above)],
        )

    both(split(x > -1, x**2 >= 0), split(x > 0, x**2 >= 0))
    assert not shown(split(x > -1, x**2 > 0))


def test_facts_do_not_leave_their_case() -> None:
    kept: list[Fact] = []

    def leak(p: Proof) -> Fact:
        def inner(q: Proof, below: Fact) -> Fact:
            kept.append(below)
            return q.reals(x**2 >= 0)

        p.cases(x**2 >= 0, [x < 0, x >= 0], [inner, lambda q, f: q.reals(x**2 >= 0)])
        return p.reals(x < 1, kept[0])

    fault = attempt(leak)
    assert "not valid outside its case" in fault
    fault = attempt(lambda p: p.reals(x < 1, kept[0]))  # nor their proof
    assert "not valid outside its case" in fault


def test_facts_are_not_made_by_hand() -> None:
    assert "TypeError" in attempt(lambda p: p.reals(x > 0, Fact(object(), x > 0, p)))
    assert "TypeError" in attempt(lambda p: p.reals(x > 0, x > 0))


def test_every() -> None:
    squares = every(n, (n >= 1,), n**2 >= n)

    def show(q: Proof, new: Any, conditions: list[Fact]) -> Fact:
        return q.reals(new**2 >= new, *conditions)

    def weaker(q: Proof, new: Any, conditions: list[Fact]) -> Fact:
        return q.reals(new**2 >= new - 1, *conditions)

    def one_only(q: Proof, new: Any, conditions: list[Fact]) -> Fact:
        return q.reals(n**2 >= n, q.given["n"])

    def every_by(way: Any, p: Proof) -> Fact:
        return p.every(squares, way)

    for bad in (weaker, one_only):
        both(
            lambda p: p.every(squares, show),
            partial(every_by, bad),
            hypotheses={"n": n >= 1},
        )
    false = every(n, (n >= 0,), n**2 > n)
    assert not shown(lambda p: p.every(false, lambda q, s, f: q.reals(s**2 > s, *f)))


def test_at() -> None:
    given = {"all": every(n, (n >= 0, n <= L), n * x <= y), "L": L >= 3, "real": x > 0}
    inside: dict[str, Any] = {"hypotheses": given, "integers": (L,)}

    def at_term(term: Any, p: Proof) -> Fact:
        return p.at(p.given["all"], term, p.given["L"], p.given["real"])

    for term in (L + 1, sp.Integer(-1), L / 2, x):
        both(
            lambda p: p.at(p.given["all"], L - 1, p.given["L"]),
            partial(at_term, term),
            **inside,
        )
    assert not shown(lambda p: p.at(p.given["L"], zero), **inside)
    reals: dict[str, Any] = {"hypotheses": {"all": every_real(x, (x >= 0,), x**2 <= y * x)}}
    both(lambda p: p.at(p.given["all"], HALF), lambda p: p.at(p.given["all"], -HALF), **reals)


def test_bound_symbols_are_not_captured() -> None:
    formula = every(n, (n >= 0,), n + x >= x)
    moved = substituted(formula, {x: n})
    assert isinstance(moved, Every)
    assert moved.symbol != n
    assert moved.at(one)[1] == (n + 1 >= n)
    assert formula.same_as(every(k, (k >= 0,), k + x >= x))
    assert not formula.same_as(every(x, (x >= 0,), x + x >= x))
    assert not formula.same_as(every_real(n, (n >= 0,), n + x >= x))


def test_definitions_are_new() -> None:
    def define(p: Proof) -> Fact:
        symbol, fact = p.define("s", x + 1)
        return p.reals(symbol > x, fact)

    both(define, lambda p: p.define("s", 1 / x))


def test_unfolding() -> None:
    given = {"s": sp.Eq(x, y + 1), "x": x > 0, "other": sp.Eq(x**2, y)}

    def good(p: Proof) -> Fact:
        return p.unfold(p.given["x"], p.given["s"])

    assert "y + 1 > 0" in str(
        run(
            Theorem("t", statement(y + 1 > 0, hypotheses=given), lambda p: p.qed(good(p))), {}
        ).steps
    )
    both(good, lambda p: p.unfold(p.given["x"], p.given["other"]), hypotheses=given)
    both(good, lambda p: p.unfold(p.given["x"], p.given["x"]), hypotheses=given)


# --- theorems ----------------------------------------------------------------------------

POSITIVE = statement(x**2 + 1 > 0)
HALVES = Theorem(
    "halves",
    statement(x / 2 < x, hypotheses={"x": x > 0}),
    lambda p: p.qed(p.given["x"]),
)


def test_a_conclusion_has_to_be_reached() -> None:
    hypotheses = {"x": x > 1}
    goal = x**2 > x
    assert attempt(lambda p: p.qed(p.given["x"]), conclusion=goal, hypotheses=hypotheses) == ""
    weaker = lambda p: p.qed(p.reals(x**2 > x - 1, p.given["x"]))  # noqa: E731
    assert attempt(weaker, conclusion=goal, hypotheses=hypotheses)
    unused = lambda p: p.qed()  # noqa: E731
    assert attempt(unused, conclusion=goal, hypotheses=hypotheses)
    silent = lambda p: p.reals(x**2 > x, p.given["x"])  # noqa: E731
    assert attempt(silent, conclusion=goal, hypotheses=hypotheses)


def test_a_proof_does_not_end_inside_a_case() -> None:
    def inside(p: Proof) -> None:
        def end(q: Proof, below: Fact) -> Fact:
            q.qed(below)
            return below

        p.cases(x < 0, [x < 0, x >= 0], [end, end])

    assert attempt(inside, conclusion=x < 0)


def test_hypotheses_have_to_make_sense() -> None:
    assert attempt(lambda p: p.qed(), hypotheses={"odd": 1 / x > 0}, conclusion=sp.true)
    good = {"x": x > 0, "even": 1 / x > 0}
    assert attempt(lambda p: p.qed(), hypotheses=good, conclusion=sp.true) == ""


def test_use_discharges_hypotheses() -> None:
    known = {"halves": HALVES}
    good = lambda p: p.use("halves", {x: y + 1}, p.given["y"])  # noqa: E731
    for bad in (
        lambda p: p.use("halves", {x: y + 1}),
        lambda p: p.use("halves", {x: y - 1}, p.given["y"]),
        lambda p: p.use("quarters", {x: y}, p.given["y"]),
        lambda p: p.use("halves", {x: 1 / (y - 1)}, p.given["y"]),
    ):
        both(good, bad, known=known, hypotheses={"y": y > 0})


def test_use_of_integers_and_statements_about_all() -> None:
    def of_all(conditions: Any) -> Statement:
        return statement(
            y >= 0, integers=(L,), hypotheses={"all": every(n, conditions, n * y >= 0), "L": L >= 1}
        )

    lemma = Theorem("lemma", of_all((n >= 0, n <= L)), lambda p: None)
    known = {"lemma": lemma}
    here: dict[str, Any] = {
        "integers": (k,),
        "hypotheses": {"all": every(n, (n >= 0, n <= k), n * y >= 0), "k": k >= 1},
    }
    good = lambda p: p.use("lemma", {L: k}, *p.given.values())  # noqa: E731
    both(good, lambda p: p.use("lemma", {L: k + 1}, *p.given.values()), known=known, **here)
    both(good, lambda p: p.use("lemma", {L: k}, p.given["k"]), known=known, **here)
    both(good, lambda p: p.use("lemma", {L: x}, *p.given.values()), known=known, **here)


def test_use_of_vectors() -> None:
    uu, vv, uv = dot("u", "u"), dot("v", "v"), dot("u", "v")
    lemma = Theorem("lemma", statement(uv**2 <= uu * vv, vectors=("u", "v")), lambda p: None)
    here: dict[str, Any] = {"known": {"lemma": lemma}, "vectors": ("u", "v")}
    both(
        lambda p: p.use("lemma", {}, vectors={"u": {"u": one, "v": one}}),
        lambda p: p.use("lemma", {}, vectors={"u": {"t": one}}),
        **here,
    )
    assert not shown(lambda p: p.use("lemma", {uv: zero}), known={"lemma": lemma})


def test_circles_prove_nothing() -> None:
    def using(name: str) -> Callable[[Proof], None]:
        return lambda p: p.qed(p.use(name, {}))

    goal = statement(x > 0)
    theorems = {
        "first": Theorem("first", goal, using("second")),
        "second": Theorem("second", goal, using("first")),
        "third": Theorem("third", goal, using("first")),
        "itself": Theorem("itself", goal, using("itself")),
        "fine": Theorem("fine", POSITIVE, lambda p: p.qed()),
        "on it": Theorem("on it", POSITIVE, using("fine")),
        "broken": Theorem("broken", goal, lambda p: p.qed()),
        "on broken": Theorem("on broken", goal, using("broken")),
    }
    runs = {name: run(theorem, theorems) for name, theorem in theorems.items()}
    found = {name: outcome.verdict for name, outcome in judged(runs).items()}
    assert found == {
        "first": NOT_PROVED, "second": NOT_PROVED, "third": NOT_PROVED, "itself": NOT_PROVED,
        "fine": PROVED, "on it": PROVED, "broken": NOT_PROVED, "on broken": NOT_PROVED,
    }  # fmt: skip


def test_what_was_not_run_is_not_proven() -> None:
    alone = {"on it": Run("on it", (), ("fine",), "", 0.0)}
    assert judged(alone)["on it"].verdict == NOT_PROVED


def test_a_fault_in_a_proof_proves_nothing() -> None:
    def broken(p: Proof) -> None:
        p.qed()
        raise ValueError("a slip")

    assert attempt(broken, conclusion=x**2 >= 0) == "ValueError: a slip"
    with pytest.raises(NotDischargedError):
        Proof(HALVES, {}).reals(x > 1)


# --- vectors by their entries ------------------------------------------------------------

BESSEL = Theorem(
    "cauchy",
    statement(dot("u", "v") ** 2 <= dot("u", "u") * dot("v", "v"), vectors=("u", "v")),
    lambda p: None,
)
ROWS: dict[str, Any] = {"known": {"cauchy": BESSEL}, **ENTRIES}


def test_rows_of_entries() -> None:
    both(
        lambda p: p.use("cauchy", {}, rows={"u": w, "v": g}),
        lambda p: p.use("cauchy", {}, rows={"u": w, "v": None}),  # no index at hand
        **ROWS,
    )
    found: list[Fact] = []

    def each(q: Proof, about: list[Fact]) -> list[Fact]:
        found.append(q.use("cauchy", {}, rows={"u": None, "v": g}))
        return [q.reals(g**2 <= Total(g**2), found[0])]

    def bounded(p: Proof) -> Fact:
        return p.sums(
            lambda s, c: s <= c * Total(g**2),
            [g**2, one],
            p.reals(Total(g**2) >= 0, p.sums(lambda s: s >= 0, [g**2])),
            show=each,
        )

    assert shown(bounded, **ROWS)

    def leaks(p: Proof) -> Fact:
        bounded(p)
        return p.reals(g**2 <= Total(g**2), found[-1])

    assert "not valid outside" in attempt(leaks, **ROWS)
    assert not shown(lambda p: p.use("cauchy", {}, rows={"u": 1 / w, "v": g}), **ROWS)


def test_facts_about_entries_do_not_enter_a_row() -> None:
    def outside(p: Proof) -> Fact:
        known = p.reals(sp.Implies(g >= 1, g**2 >= 1))
        return p.sums(lambda s: s >= 0, [g**2], show=lambda q, about: [q.reals(g**2 >= 0, known)])

    assert "single entries" in attempt(outside, **ENTRIES)


def test_entries_are_not_captured_by_sums() -> None:
    """Total(c g) = c Total(g) for a number c, not for an entry."""
    c = symbols("c")
    lemma = Theorem(
        "linear",
        statement(sp.Eq(Total(c * g), c * Total(g)), entries={w: (), g: ()}),
        lambda p: p.qed(p.sums(lambda s, t: sp.Eq(s, c * t), [c * g, g])),
    )
    known = {"linear": lemma}
    assert run(lemma, known).fault == ""
    both(
        lambda p: p.use("linear", {c: x}),
        lambda p: p.use("linear", {c: g}),
        known=known,
        **ENTRIES,
    )
