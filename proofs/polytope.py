"""The rounding polytope: what it costs to round (beta + A n)/(a + n) correctly."""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import HALF, Formula, Term, every, substituted, symbols
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


first = symbols("alpha")


def curve(number: Term) -> Term:
    """y(n, 0) = (a alpha + A n)/(a + n): a weight and two values."""
    return (a * first + A * number) / (a + number)


def _curves(p: Proof) -> None:
    known = [p.given["length"], p.given["a > 0"]]
    inside = substituted(INSIDE, {beta: a * first})

    def show(q: Proof, number: Term, conditions: list[Fact]) -> Fact:
        here = q.at(q.given["rounds"], number, *conditions)
        return q.reals(inside.at(number)[1], here, *conditions, *known)

    least = p.use("least-weight-and-value", {beta: a * first}, *known, p.every(inside, show))
    p.qed(least, p.at(p.given["rounds"], sp.Integer(0), *known), *known)


CURVES = Theorem(
    "least-weight-of-curves",
    Statement(
        title="What rounding asks of a linear-fractional curve",
        source="theory.md, Lemma 4.1",
        words="A curve (a alpha + A n)/(a + n) that rounds has a >= a*, A >= A*, |alpha| <= 1/2.",
        integers=(L,),
        hypotheses={
            "length": L >= 1,
            "a > 0": a > 0,
            "rounds": every(n, (n >= 0, n <= L), rounds(curve(n), n)),
        },
        conclusion=sp.And(a >= least_weight(L), A >= least_value(L), -HALF <= first, first <= HALF),
    ),
    _curves,
)


def _size(p: Proof) -> None:
    goal, weight = p.theorem.statement.conclusion, (L - 1) ** 2 / 4

    def at(q: Proof, value: Term, equation: Fact) -> Fact:
        return q.reals(goal, q.floor(weight, value, equation), equation, q.given["length"])

    def even(q: Proof, half: Term, equation: Fact) -> Fact:
        positive = q.reals(half >= 1, q.integer_gap(half), equation, q.given["length"])
        value = q.floor(weight, half**2 - half, equation)
        return q.reals(goal, value, equation, positive)

    p.qed(p.residue(L, 2, goal, [even, lambda q, half, equation: at(q, half**2, equation)]))


SIZE = Theorem(
    "size-of-least-weight",
    Statement(
        title="How large a* is",
        source="theory.md, section 4",
        words="a* = floor((L - 1)^2/4) lies within 1/4 of (L - 1)^2/4, and is not negative.",
        integers=(L,),
        hypotheses={"length": L >= 1},
        conclusion=sp.And(
            least_weight(L) >= 0,
            least_weight(L) >= L * (L - 2) / 4,
            least_weight(L) <= (L - 1) ** 2 / 4,
        ),
    ),
    _size,
)


def _exact(p: Proof) -> None:
    known = [p.given["a > 0"]]
    start = p.at(p.given["exact"], sp.Integer(0), p.given["length"], *known)

    def longer(q: Proof, two: Fact) -> Fact:
        inputs = [q.at(p.given["exact"], sp.Integer(k), two, *known) for k in (1, 2)]
        return q.reals(L <= 1, start, *inputs, *known, why="A = n + a at n = 1 and at n = 2")

    p.qed(
        p.cases(
            L <= 1,
            [L <= 1, L >= 2],
            [lambda q, short: q.reals(L <= 1, short), longer],
            p.integer_gap(L - 1),
        )
    )


EXACT = Theorem(
    "curves-do-not-count-exactly",
    Statement(
        title="Softmax without post-LN cannot count exactly beyond 1",
        source="exact-bounds.md, linear attention",
        words="If (a alpha + A n)/(a + n) = n for n = 0..L with a finite weight then L <= 1.",
        integers=(L,),
        hypotheses={
            "length": L >= 1,
            "a > 0": a > 0,
            "exact": every(n, (n >= 0, n <= L), sp.Eq(curve(n), n)),
        },
        conclusion=L <= 1,
    ),
    _exact,
)


own, other = symbols("E_# E_l")
read_first, read_space = symbols("alpha_# alpha_s")


def near_vertex(slack: Term) -> tuple[Term, Term, Term]:
    """Weight, boundary value and space value near the vertex."""
    point = vertex(slack)
    return point[a], point[beta] / point[a], point[A]


def attended(values: tuple[Term, Term, Term], exponents: tuple[Term, Term]) -> Term:
    """y(n, m) of softmax attention for values of #, s, l and exponents of # and l over s."""
    weight, share = (sp.exp(exponent) for exponent in exponents)
    top = weight * values[0] + n * values[1] + share * m * values[2]
    return top / (weight + n + share * m)


_weight, _first, _space = near_vertex(eps)


def _layers(p: Proof) -> None:
    known = [p.given[name] for name in p.given if name not in ("inputs",)]
    weight, share = sp.exp(own), sp.exp(other)
    reached = p.axiom("exp inverts log", _weight, own, facts=known)
    falls = p.axiom("exp increases", sp.Integer(0), other, facts=known)
    small = p.reals(sp.And(share > 0, share <= 1), p.given["letter"], falls)
    values = {a: weight, beta: weight * read_first, A: read_space}
    inside = substituted(STRICTLY_INSIDE, values)

    def show(q: Proof, number: Term, conditions: list[Fact]) -> Fact:
        at = q.use("vertex-of-the-polytope", {n: number}, *conditions, *known)
        moved = q.reals(
            sp.And(sp.Eq(values[beta], vertex(eps)[beta]), sp.Eq(read_space, _space)),
            reached,
            *known,
        )
        return q.reals(inside.at(number)[1], at, moved, reached, *known)

    p.qed(
        p.use(
            "letters-are-free",
            {**values, delta: share, alpha: alpha},
            p.every(inside, show),
            small,
            p.given["inputs"],
            *known,
        )
    )


LAYERS = Theorem(
    "layers-near-the-vertex",
    Statement(
        title="Softmax attention near the vertex of the polytope counts",
        source="theory.md, section 4",
        words="Values near the vertex, the score of its weight and a light letter count to L.",
        integers=(L, n, m),
        hypotheses={
            "length": L >= 1,
            "slack": eps > 0,
            "positive": _weight > 0,
            "values": sp.And(sp.Eq(read_first, _first), sp.Eq(read_space, _space)),
            "score": sp.Eq(own, sp.log(_weight)),
            "letter": other <= 0,
            "letter value": sp.And(-HALF <= alpha, alpha <= HALF),
            "inputs": sp.And(n >= 0, m >= 0, n + m <= L),
        },
        conclusion=rounds(attended((read_first, read_space, alpha), (own, other)), n),
    ),
    _layers,
)
