"""The rounding polytope: what it costs to round (beta + A n)/(a + n) correctly."""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import HALF, Formula, Term, every, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.terms import L, least_value, least_weight, m, n, rounds

a, beta, A, eps = symbols("a beta A epsilon")
delta, alpha = symbols("delta alpha_l")


def sides(number: Term, *, strict: bool = False) -> Formula:
    """(n - 1/2)(a + n) <= beta + A n <= (n + 1/2)(a + n)."""
    value = beta + A * number
    low, high = (number - HALF) * (a + number), (number + HALF) * (a + number)
    return sp.And(low < value, value < high) if strict else sp.And(low <= value, value <= high)


INSIDE = every(n, (n >= 0, n <= L), sides(n))
STRICTLY_INSIDE = every(n, (n >= 0, n <= L), sides(n, strict=True))


def _least(p: Proof) -> None:
    goal = sp.And(a >= least_weight(L), A >= least_value(L))
    rounds, length = p.given["rounds"], p.given["length"]

    def with_middle(q: Proof, half: Term, k: Term, equation: Fact) -> Fact:
        whole = q.integer_gap(half)
        weight = q.floor((L - 1) ** 2 / 4, k * (L - 1 - k), equation, why="a* = k (L - 1 - k)")
        inputs = [q.at(rounds, t, equation, length, whole) for t in (sp.Integer(0), k, L)]
        return q.reals(goal, weight, equation, length, *inputs, why="n = 0, k and L decide")

    p.qed(
        p.residue(
            L,
            2,
            goal,
            [
                lambda q, half, equation: with_middle(q, half, half - 1, equation),
                lambda q, half, equation: with_middle(q, half, half, equation),
            ],
            why="k = floor((L - 1)/2)",
        )
    )


LEAST = Theorem(
    "least-weight-and-value",
    Statement(
        title="The least weight and the least value of the rounding polytope",
        source="theory.md, Lemma 4.1",
        words="Whoever rounds n = 0..L correctly has a >= a* and A >= A*.",
        integers=(L,),
        hypotheses={"length": L >= 1, "rounds": INSIDE},
        conclusion=sp.And(a >= least_weight(L), A >= least_value(L)),
    ),
    _least,
)


def _vertex(p: Proof) -> None:
    length, above, below = (p.given[name] for name in ("length", "n >= 0", "n <= L"))
    goal = p.theorem.statement.conclusion

    def with_middle(q: Proof, k: Term, equation: Fact) -> Fact:
        weight = q.floor((L - 1) ** 2 / 4, k * (L - 1 - k), equation)
        apart = q.integer_gap(n - k, why="so (n - k)(n - k') >= 0 for k' = L - 1 - k")
        return q.reals(goal, weight, equation, apart, length, above, below, p.given["epsilon"])

    p.qed(
        p.residue(
            L,
            2,
            goal,
            [
                lambda q, half, equation: with_middle(q, half - 1, equation),
                with_middle,
            ],
            why="k = floor((L - 1)/2)",
        )
    )


def vertex(slack: Term) -> dict[Term, Term]:
    """a, beta and A near the vertex of the polytope, inside by the slack."""
    weight = least_weight(L) + 2 * slack
    return {a: weight, beta: -weight / 2 + slack, A: least_value(L) + 2 * slack}


VERTEX = Theorem(
    "vertex-of-the-polytope",
    Statement(
        title="The least weight and value are reached",
        source="theory.md, Lemma 4.2",
        words="Arbitrarily near a*, -a*/2, A* lies a point that rounds every n strictly.",
        integers=(L, n),
        hypotheses={"length": L >= 1, "n >= 0": n >= 0, "n <= L": n <= L, "epsilon": eps > 0},
        conclusion=sides(n, strict=True).subs(vertex(eps), simultaneous=True),
    ),
    _vertex,
)


def _letters(p: Proof) -> None:
    known = [p.given[name] for name in p.given if name != "rounds"]
    inputs = [p.at(p.given["rounds"], t, *known) for t in (sp.Integer(0), n, L)]
    p.qed(*known, *inputs, why="both sides are linear in delta m, and at its largest in n")


LETTERS = Theorem(
    "letters-are-free",
    Statement(
        title="Letters cost nothing beside a strict solution",
        source="theory.md, Lemma 4.3",
        words="A letter of weight at most a space's and a value in [-1/2, 1/2] spoils no input.",
        integers=(L, n, m),
        hypotheses={
            "length": L >= 1,
            "a > 0": a > 0,
            "rounds": STRICTLY_INSIDE,
            "delta": sp.And(delta > 0, delta <= 1),
            "alpha": sp.And(-HALF <= alpha, alpha <= HALF),
            "inputs": sp.And(n >= 0, m >= 0, n + m <= L),
        },
        conclusion=rounds((beta + A * n + delta * m * alpha) / (a + n + delta * m), n),
    ),
    _letters,
)
