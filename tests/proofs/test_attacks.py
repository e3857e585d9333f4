"""False statements whose proofs try to slip something past the engine: none may go through."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import sympy as sp

from countbounds.proving.formulas import HALF, Every, Total, dot, every_real, symbols
from countbounds.proving.library import NOT_PROVED, judged, run
from countbounds.proving.proof import Proof, Statement, Theorem

x, y, z, n, u, w, g = symbols("x y z n u w g")
zero, one = sp.Integer(0), sp.Integer(1)
COUNT = Total(one)
uu = dot("u", "u")
ALL_SQUARES = every_real(x, (), x**2 >= 0)
MOMENTS = sp.Eq(Total(w**2) * COUNT, Total(w) ** 2)


def statement(conclusion: Any, **more: Any) -> Statement:
    return Statement("a title", "a source", conclusion, **more)


def theorem(name: str, conclusion: Any, rule: Callable[[Proof], Any], **more: Any) -> Theorem:
    return Theorem(name, statement(conclusion, **more), lambda p: p.qed(rule(p)))


def squares(p: Proof) -> Any:
    return p.every(ALL_SQUARES, lambda q, s, c: q.reals(s**2 >= 0))


def powers(p: Proof, term: Any) -> Any:
    either = sp.Or(x**y >= z, x**y < z + 1)
    whole = p.every(every_real(y, (), either), lambda q, s, c: q.reals(either.subs(y, s)))
    return p.at(whole, term)


def entry_in_a_relation(p: Proof) -> Any:
    first = p.sums(lambda t, c: sp.Eq(t, c * w), [w, one])
    second = p.sums(lambda t, c: sp.Eq(t, c * w**2), [w**2, one])
    return p.reals(MOMENTS, first, second)


def entry_by_another_name(p: Proof) -> Any:
    names: list[Any] = []

    def show(q: Proof, about: Any) -> Any:
        symbol, fact = q.define("t", w)
        names.append(symbol)
        return [fact]

    both = p.sums(
        lambda s, t, c: sp.And(sp.Eq(s, c * names[0]), sp.Eq(t, c * names[0] ** 2)),
        [w, w**2, one],
        show=show,
    )
    return p.reals(MOMENTS, both)


def undefined_base_of_sums(p: Proof) -> Any:
    return p.reals(sp.Ne(x, 0), p.sums(lambda t: t / x**2 >= 0, [one], extra=[lambda t: t >= 0]))


def undefined_base_of_induction(p: Proof) -> Any:
    whole = p.induction(
        n, 0, n / x**2 >= 0, lambda q, m, start, here: q.reals((m + 1) / x**2 >= 0, start, here)
    )
    return p.reals(sp.Ne(x, 0), p.at(whole, one))


def symbol_of_a_case(p: Proof) -> Any:
    def falls(low: int, high: int) -> Any:
        ends = sp.Integer(low), sp.Integer(high)
        return lambda q, fact: q.reals(sp.false, q.rises(-u, u, *ends, fact))

    return p.cases(sp.false, [u > 1, u <= 1], [falls(0, 1), falls(2, 3)])


def symbol_of_an_integer(p: Proof) -> Any:
    return p.rises(
        n**3 / 3 - n**2 / 2, n, zero, one, show=lambda q, s, d, b: q.reals(d >= 0, q.integer_gap(n))
    )


def predicted_symbol(p: Proof) -> Any:
    known = sp.Dummy("x")
    for step in range(1, 9):
        guess = sp.Dummy("x", dummy_index=known.dummy_index + step)
        whole = p.every(every_real(x, (), sp.Eq(x, guess)), lambda q, s, c: q.reals(sp.true))
        p.reals(sp.false, p.at(whole, zero), p.at(whole, one))
    return p.reals(sp.false)


def conditions_that_vanish(p: Proof) -> Any:
    conditions = [x > 0]

    def show(q: Proof, s: Any, known: Any) -> Any:
        conditions.clear()
        return known[0]

    every = Every(x, False, conditions, x > 0)  # type: ignore[arg-type]
    return p.reals(sp.false, p.at(p.every(every, show), sp.Integer(-1)))


def equal_reciprocals(p: Proof) -> Any:
    whole = every_real(x, (sp.Eq(1 / x, 1 / y),), sp.Ne(y, 0))
    return p.at(p.every(whole, lambda q, s, c: q.reals(sp.Ne(y, 0), *c)), y)


def exhausted_cases(p: Proof) -> Any:
    return p.cases(sp.false, iter([sp.true]), [])  # type: ignore[arg-type]


def half_way_start(p: Proof) -> Any:
    step = lambda q, m, start, here: q.reals(sp.Eq(m + 1, 0), start, here)  # noqa: E731
    return p.at(p.induction(n, HALF, sp.Eq(n, 0), step), one)


def finished_by_hand(p: Proof) -> Any:
    p.finished = True  # type: ignore[misc]


def integers_by_hand(p: Proof) -> Any:
    p.integers.add(x)  # type: ignore[attr-defined]
    return p.integer_gap(x)


def fact_by_hand(p: Proof) -> Any:
    fact = p.reals(sp.true)
    fact.formula = sp.false  # type: ignore[misc]
    return fact


CANCELLED = sp.StrictGreaterThan(sp.sqrt(x - 5) + 1, sp.sqrt(x - 5), evaluate=False)
POSITIVE = sp.Symbol("x", positive=True)
ANY = theorem(
    "any", sp.Or(sp.Ne(x, y + 1), x > y), lambda p: p.reals(sp.Or(sp.Ne(x, y + 1), x > y))
)
SQUARE = theorem("square", x**2 >= 0, lambda p: p.reals(x**2 >= 0))


def moment(power: int, p: Proof) -> Any:
    return p.sums(lambda t, c: sp.Eq(t, c * w**power), [w**power, one])


CAPTURES = {
    f"moment {k}": theorem(
        f"moment {k}",
        sp.Eq(Total(w**k), w**k * COUNT),
        partial(moment, k),
        entries={g: ()},
    )
    for k in (1, 2)
}
REALS = sp.Or(y <= 1 / POSITIVE, y > 1 / POSITIVE - 1)
ASSUMES = theorem("assumes", REALS, lambda p: p.reals(REALS))

ATTACKS: dict[str, tuple[Any, Callable[[Proof], Any], dict[str, Any]]] = {
    "no residues": (sp.false, lambda p: p.residue(one, 0, sp.false, []), {}),
    "an interval's demands": (
        x > 0, lambda p: p.reals(x > 0, p.enclosed(sp.log(x) < x, x, 1, 2)), {},
    ),
    "terms that cancel": (x >= 5, lambda p: p.reals(x >= 5, p.enclosed(CANCELLED, x, 0, 1)), {}),
    "entry in a relation": (MOMENTS, entry_in_a_relation, {"entries": {w: ()}}),
    "entry by another name": (MOMENTS, entry_by_another_name, {"entries": {w: ()}}),
    "two-faced relation": (
        sp.false,
        lambda p: p.sums(lambda t: sp.false if t.has(Total) else t >= 0, [one]),
        {},
    ),
    "undefined base of sums": (sp.Ne(x, 0), undefined_base_of_sums, {}),
    "undefined base of induction": (sp.Ne(x, 0), undefined_base_of_induction, {}),
    "complementary cases": (
        sp.Ne(x, 0),
        lambda p: p.cases(
            sp.Ne(x, 0), [1 / x > 0, 1 / x <= 0], [lambda q, f: q.reals(sp.Ne(x, 0), f)] * 2
        ),
        {},
    ),
    "exhausted cases": (sp.false, exhausted_cases, {}),
    "equal reciprocals": (sp.Ne(y, 0), equal_reciprocals, {}),
    "symbol of a case": (sp.false, symbol_of_a_case, {}),
    "symbol of an integer": (sp.false, symbol_of_an_integer, {"integers": (n,)}),
    "symbol of an inner product": (
        sp.false,
        lambda p: p.reals(
            sp.false, p.rises(uu**2, uu, sp.Integer(-1), zero, p.square({"u": one}))
        ),
        {"vectors": ("u",)},
    ),
    "imaginary": (sp.false, lambda p: p.at(squares(p), sp.I), {}),
    "root of -2": (sp.false, lambda p: p.at(squares(p), sp.sqrt(-2)), {}),
    "log of -1": (sp.false, lambda p: p.at(squares(p), sp.log(-1)), {}),
    "imaginary coefficient": (
        -uu >= 0, lambda p: p.square({"u": sp.sqrt(-1)}), {"vectors": ("u",)},
    ),
    "infinity": (sp.false, lambda p: p.use("any", {x: sp.oo, y: sp.oo}), {"known": {"any": ANY}}),
    "term for a term": (
        sp.false, lambda p: p.use("square", {x**2: -one}), {"known": {"square": SQUARE}},
    ),
    "imaginary value": (
        sp.false, lambda p: p.use("square", {x: sp.sqrt(-1)}), {"known": {"square": SQUARE}},
    ),
    "symbolic power": (sp.Ne(x, 0), lambda p: p.reals(sp.Ne(x, 0), powers(p, -one)), {}),
    "symbolic root": (x >= 0, lambda p: p.reals(x >= 0, powers(p, HALF)), {}),
    "float": (x >= 0, lambda p: p.reals(x >= 0, p.reals(sp.Or(x**0.5 >= y, x**0.5 < y))), {}),
    "capture": (
        MOMENTS,
        lambda p: p.reals(MOMENTS, *(p.use(name, {}) for name in CAPTURES)),
        {"known": CAPTURES, "entries": {w: (), g: ()}},
    ),
    "half-way start": (sp.Eq(one, 0), half_way_start, {}),
    "assumptions": (
        sp.Ne(x, 0),
        lambda p: p.reals(sp.Ne(x, 0), p.use("assumes", {POSITIVE: x})),
        {"known": {"assumes": ASSUMES}},
    ),
    "predicted symbol": (sp.false, predicted_symbol, {}),
    "conditions that vanish": (sp.false, conditions_that_vanish, {}),
    "finished by hand": (sp.false, finished_by_hand, {}),
    "integers by hand": (sp.Or(x <= 0, x >= 1), integers_by_hand, {}),
    "fact by hand": (sp.false, fact_by_hand, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_fails(name: str) -> None:
    conclusion, rule, more = ATTACKS[name]
    known = more.pop("known", {}) if "known" in more else {}
    attack = theorem("attack", conclusion, rule, **more)
    theorems = {**known, "attack": attack}
    runs = {key: run(one_of, theorems) for key, one_of in theorems.items()}
    assert judged(runs)["attack"].verdict == NOT_PROVED


def test_what_was_used_is_not_forgotten() -> None:
    def circle(p: Proof) -> None:
        fact = p.use("circle", {})
        with pytest.raises(AttributeError):
            p.used.clear()  # type: ignore[attr-defined]
        p.qed(fact)

    itself = Theorem("circle", statement(sp.false), circle)
    assert judged({"circle": run(itself, {"circle": itself})})["circle"].verdict == NOT_PROVED


def test_leaving_the_program_proves_nothing() -> None:
    def leave(p: Proof) -> None:
        raise SystemExit(0)

    assert run(Theorem("leave", statement(sp.true), leave), {}).fault.startswith("SystemExit")


def test_names_of_vectors() -> None:
    for name in ("a,b", "<a", "a>"):
        with pytest.raises(ValueError, match="no names"):
            dot(name, "c")
