"""Post-LN at the offset L/2: the rational closed form of kappa*, from both sides.

With u = n - L/2 the curve L/2 + kappa u/sqrt(u^2 + p) is odd about the middle. For the largest
p(u) = ((L-1)^2 u^2/4 - (u+1/2)^2 u^2)/((u+1/2)^2 - (L-1)^2 u^2/L^2) and any p >= 0 at least as
large, kappa*^2 = (L-1)^2 (p + L^2/4)/L^2.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import sympy as sp

from countbounds.proving.formulas import HALF, Formula, Term, every, substituted, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.cross_ratio import LIMITS, N, cross_ratio, kappa, tau
from proofs.post_ln import bound, shifts, tangent
from proofs.post_ln_vectors import LAYER, a, norm, output, ww
from proofs.terms import L, d, n, rounds

u, p_, eps = symbols("u p epsilon")


def demanded(side: Term, power: Term) -> Formula:
    """p >= p(u), without the denominator, which is positive."""
    slope = (L - 1) ** 2 / L**2
    return (
        power * ((side + HALF) ** 2 - slope * side**2)
        >= (L - 1) ** 2 * side**2 / 4 - (side + HALF) ** 2 * side**2
    )


def width(power: Term) -> Term:
    """kappa*^2 = (L - 1)^2 (p + L^2/4)/L^2."""
    return (L - 1) ** 2 * (power + L**2 / 4) / L**2


_CURVE = {
    "length": L >= 1,
    "p": p_ >= 0,
    "epsilon": eps > 0,
    "kappa": sp.And(kappa >= 0, sp.Eq(kappa**2, width(p_) + eps)),
}


def _half(q: Proof) -> None:
    known = q.given
    inside, curve = known["u"], [known[name] for name in ("length", "p", "epsilon", "kappa")]
    root, is_root = q.define("q", sp.sqrt(u**2 + p_ + eps), known["p"], known["epsilon"])
    square = q.reals(
        sp.And(root > 0, sp.Eq(root**2, u**2 + p_ + eps)), is_root, known["p"], known["epsilon"]
    )
    base = width(p_) * u**2 <= (u + HALF) ** 2 * (u**2 + p_)

    def at_the_end(r: Proof, end: Fact) -> Fact:
        return r.reals(base, end, known["length"], known["p"])

    def before(r: Proof, less: Fact) -> Fact:
        enough = r.reals(demanded(u, p_), less, known["enough"])
        return r.reals(base, enough, known["length"])

    reached = q.cases(
        base, [sp.Eq(u, L / 2), u <= L / 2 - 1], [at_the_end, before], known["either"]
    )
    spare = q.reals(eps * u**2 < (u + HALF) ** 2 * eps, inside, known["epsilon"])
    worth = q.reals(sp.Eq(kappa**2 * u**2, width(p_) * u**2 + eps * u**2), *curve)
    top = kappa**2 * u**2 < (u + HALF) ** 2 * (u**2 + p_ + eps)
    upper = q.reals(top, reached, spare, worth, known["length"])
    less = q.reals(kappa * u < (u + HALF) * root, upper, square, known["kappa"], inside)
    chord = q.reals(
        kappa**2 * L**2 > (L - 1) ** 2 * (u**2 + p_ + eps), inside, *curve, why="u <= L/2"
    )
    chord = q.reals(kappa * L > (L - 1) * root, chord, square, known["length"], known["kappa"])
    more = q.reals(kappa * u > (u - HALF) * root, chord, square, inside, known["length"])
    q.qed(q.reals(q.theorem.statement.conclusion, is_root, square, less, more, inside))


HALF_CURVE = Theorem(
    "centred-arc-on-one-side",
    Statement(
        title="The odd curve on one side of the middle",
        source="exact-bounds.md, Learned",
        words="For 0 < u <= L/2 the curve is within 1/2 of u.",
        hypotheses={
            **_CURVE,
            "u": sp.And(u > 0, u <= L / 2),
            "either": sp.Or(sp.Eq(u, L / 2), u <= L / 2 - 1),
            "enough": sp.Implies(u <= L / 2 - 1, demanded(u, p_)),
        },
        conclusion=rounds(kappa * u / sp.sqrt(u**2 + p_ + eps), u),
    ),
    _half,
)


def _centred(p: Proof) -> None:
    known, goal = p.given, p.theorem.statement.conclusion
    side = n - L / 2
    curve = [known[name] for name in _CURVE]
    inputs, enough = known["inputs"], known["enough"]
    more = p.integer_gap(2 * n - L)
    fewer = p.integer_gap(L - 2 * n)
    ends = [p.integer_gap(L - n), p.integer_gap(n)]

    def half(q: Proof, number: Term, facts: list[Fact]) -> Fact:
        there = number - L / 2
        either = q.reals(sp.Or(sp.Eq(there, L / 2), there <= L / 2 - 1), *facts)
        within = q.reals(sp.And(there > 0, there <= L / 2), *facts)
        claim = sp.Implies(there <= L / 2 - 1, demanded(there, p_))

        def at(r: Proof, less: Fact) -> Fact:
            return r.reals(claim, r.at(enough, number, less, within, *curve[:1]), *curve[:1])

        def end(r: Proof, more: Fact) -> Fact:
            return r.reals(claim, more, *curve[:1])

        asked = q.cases(claim, [there <= L / 2 - 1, there > L / 2 - 1], [at, end], *curve[:1])
        return q.use("centred-arc-on-one-side", {u: there}, *curve, either, within, asked)

    def above(q: Proof, right: Fact) -> Fact:
        return q.reals(goal, half(q, n, [right, inputs, ends[0]]))

    def below_(q: Proof, left: Fact) -> Fact:
        mirrored = half(q, L - n, [left, inputs, ends[1]])
        return q.reals(goal, mirrored, known["p"], known["epsilon"])

    def middle(q: Proof, still: Fact) -> Fact:
        return q.reals(goal, still, known["p"], known["epsilon"])

    p.qed(p.cases(goal, [side > 0, side < 0, sp.Eq(side, 0)], [above, below_, middle], more, fewer))


CENTRED = Theorem(
    "centred-arc-rounds",
    Statement(
        title="Post-LN at the offset L/2: every kappa above the closed form is enough",
        source="exact-bounds.md, Learned",
        words="For p >= 0 at least as large as every p(u) and every kappa^2 above "
        "(L-1)^2 (p + L^2/4)/L^2 the odd curve rounds n = 0..L correctly.",
        integers=(L, n),
        hypotheses={
            **_CURVE,
            "enough": every(n, (n > L / 2, n <= L - 1), demanded(n - L / 2, p_)),
            "inputs": sp.And(n >= 0, n <= L),
        },
        conclusion=rounds(L / 2 + kappa * (n - L / 2) / sp.sqrt((n - L / 2) ** 2 + p_ + eps), n),
    ),
    _centred,
)


# --- the lower side ----------------------------------------------------------------------


def refuted(side: Term) -> Term:
    """The square of the kappa that the inputs 0, L/2 - u, L/2 + u and L refute."""
    number = 2 * side
    return (L - 1) ** 2 * (number + 1) ** 2 * (L - number) / (4 * ((2 * L - 1) * number + L))


def around(side: Term) -> dict[Term, Term]:
    """The inputs 0, L/2 - u, L/2 + u and L."""
    return dict(zip(N, (sp.Integer(0), L / 2 - side, L / 2 + side, L), strict=True))


def _closed(p: Proof) -> None:
    known = p.given
    sides = p.reals(
        sp.Eq((L - 1) ** 2 * (p_ + L**2 / 4) / L**2, refuted(u)),
        known["p"],
        known["length"],
        known["u"],
    )
    p.qed(sides)


CLOSED = Theorem(
    "closed-form-of-the-centred-arc",
    Statement(
        title="The two closed forms are the same",
        source="exact-bounds.md, Learned",
        words="(L-1)^2 (p(u) + L^2/4)/L^2 is the square of the kappa that u refutes.",
        hypotheses={
            "length": L >= 1,
            "u": u > 0,
            "p": sp.Eq(
                p_ * ((u + HALF) ** 2 - (L - 1) ** 2 * u**2 / L**2),
                (L - 1) ** 2 * u**2 / 4 - (u + HALF) ** 2 * u**2,
            ),
        },
        conclusion=sp.Eq(width(p_), refuted(u)),
    ),
    _closed,
)

POINTS = symbols("x0 x1 x2 x3")


def _symmetric(p: Proof) -> None:
    given, known = [p.given["length"], p.given["u"]], p.given
    ratio = p.reals(
        (POINTS[3] - POINTS[2]) ** 2 * (L / 2 + u) ** 2
        < (L / 2 - u) ** 2 * (POINTS[3] + POINTS[2]) ** 2,
        *(known["ratio"], known["symmetric"], *given),
    )
    p.qed(ratio, known["symmetric"], *given)


_ORDER = {"length": L >= 2, "u": sp.And(u > 0, u <= L / 2 - 1)}
SYMMETRIC = Theorem(
    "symmetric-cross-ratio",
    Statement(
        title="The cross-ratio of points symmetric about 0",
        source="exact-bounds.md, Learned",
        words="If it is below that of the inputs, the outer points are less far out.",
        hypotheses={
            **_ORDER,
            "symmetric": sp.And(
                sp.Eq(POINTS[0], -POINTS[3]),
                sp.Eq(POINTS[1], -POINTS[2]),
                *(POINTS[2] > 0, POINTS[2] <= POINTS[3]),
            ),
            "ratio": cross_ratio(POINTS) < cross_ratio([sp.Integer(0), L / 2 - u, L / 2 + u, L]),
        },
        conclusion=2 * u * POINTS[3] < L * POINTS[2],
    ),
    _symmetric,
)

_VALUES = {tau: L / 2, **around(u)}


def _lower(p: Proof) -> None:
    known = p.given
    given = [known["length"], known["u"]]
    found = p.use("post-ln-refutation", _VALUES, *known.values())
    reach = p.use("post-ln-reach", _VALUES, *known.values())
    s = LIMITS
    positive = p.reals(bound > 0, known["kappa"])
    mirrored = p.reals(sp.And(sp.Eq(s[0], -s[3]), sp.Eq(s[1], -s[2])), known["limits"], positive)
    order = p.reals(
        sp.And(s[2] > 0, s[2] <= s[3], s[3] < 1), reach, known["limits"], positive, *given
    )
    t, is_t = zip(*(p.define(f"t{i}", tangent(s[i]), order) for i in (2, 3)), strict=True)
    sizes = [
        p.reals(
            sp.And(t[k] > 0, sp.Eq(t[k] ** 2 * (1 - s[k + 2] ** 2), s[k + 2] ** 2)),
            is_t[k],
            order,
        )
        for k in (0, 1)
    ]
    rising = p.reals(t[0] <= t[1], *sizes, order)
    symmetric = p.reals(
        sp.And(
            sp.Eq(tangent(s[0]), -tangent(s[3])),
            sp.Eq(tangent(s[1]), -tangent(s[2])),
            tangent(s[2]) > 0,
            tangent(s[2]) <= tangent(s[3]),
        ),
        *(*is_t, *sizes, rising, mirrored, order),
    )
    steep = p.use(
        "symmetric-cross-ratio",
        {x: tangent(one) for x, one in zip(POINTS, s, strict=True)},
        *(found, symmetric, order, mirrored, *given),
    )
    steep = p.reals(2 * u * t[1] < L * t[0], steep, *is_t)
    squared = p.reals(4 * u**2 * t[1] ** 2 < L**2 * t[0] ** 2, steep, *sizes, *given)
    fraction = p.reals(
        4 * u**2 * s[3] ** 2 * (1 - s[2] ** 2) < L**2 * s[2] ** 2 * (1 - s[3] ** 2),
        *(squared, *sizes, order, *given),
    )
    square, is_square = p.define("k", bound**2)
    places = p.reals(
        sp.And(
            square > 0,
            sp.Eq(square * s[2] ** 2, (u + HALF) ** 2),
            sp.Eq(square * s[3] ** 2, (L - 1) ** 2 / 4),
        ),
        *(known["limits"], positive, is_square),
    )
    final = p.reals(
        4 * u**2 * (L - 1) ** 2 / 4 * (square - (u + HALF) ** 2)
        < L**2 * (u + HALF) ** 2 * (square - (L - 1) ** 2 / 4),
        *(fraction, places),
    )
    p.qed(p.reals(bound**2 > refuted(u), final, is_square, *given))


LOWER = Theorem(
    "centred-arc-lower-bound",
    Statement(
        title="Post-LN at the offset L/2: the lower side of the closed form",
        source="exact-bounds.md, Learned",
        words="Whoever rounds 0, L/2 - u, L/2 + u and L correctly at the offset L/2 has "
        "d |P(w o g)|^2 above the closed form at u.",
        vectors=("w", "x", "s"),
        hypotheses={
            **_ORDER,
            **{name: substituted(formula, _VALUES) for name, formula in LAYER.items()},
        },
        conclusion=bound**2 > refuted(u),
    ),
    _lower,
)

# --- the sharp constant ------------------------------------------------------------------

_ROUNDS = {
    "dimension": d >= 3,
    "a > 0": a > 0,
    "kappa": sp.And(bound > 0, bound**2 >= d * ww),
    "valid": every(n, (n >= 0, n <= L), norm(n) > 0),
    "rounds": every(n, (n >= 0, n <= L, norm(n) > 0), rounds(output(n).subs(tau, L / 2), n)),
}


def _sharp_lower(p: Proof) -> None:
    known, goal = p.given, p.theorem.statement.conclusion
    plain = [known[name] for name in ("dimension", "a > 0", "kappa")]

    def with_rest(q: Proof, k: Term, equation: Fact, left: int) -> Fact:
        first = k + left // 2
        some = q.integer_gap(k)
        large = q.reals(k >= (0 if left == 3 else 1), some, equation, known["length"])
        inputs = (sp.Integer(0), first, L - first, L)
        facts = []
        for number in inputs:
            inside = q.reals(sp.And(number >= 0, number <= L), large, equation)
            valid = q.at(known["valid"], number, inside)
            facts += [valid, q.at(known["rounds"], number, inside, valid, *plain)]
        chain = q.reals(
            sp.And(*(c - b >= 1 for b, c in pairwise(inputs))),
            *(large, equation),
        )
        side = q.reals(
            sp.And(L >= 2, L / 2 - first > 0, L / 2 - first <= L / 2 - 1), large, equation
        )
        at = dict(zip(N, inputs, strict=True))
        values = {
            s: substituted(one, at) / bound for s, one in zip(LIMITS, shifts(L / 2), strict=True)
        }
        found = q.use(
            "centred-arc-lower-bound", {u: L / 2 - first, **values}, *plain, *facts, chain, side
        )
        more = q.reals(refuted(L / 2 - first) > L**3 / 32, equation, large)
        return q.reals(goal, found, more)

    def rest(number: int) -> Callable[[Proof, Term, Fact], Fact]:
        return lambda q, k, equation: with_rest(q, k, equation, number)

    p.qed(
        p.residue(
            *(L, 4, goal, [rest(number) for number in range(4)]),
            why="u as near to L/4 as L/2 - u may be",
        )
    )


SHARP_LOWER = Theorem(
    "centred-arc-sharp-lower-bound",
    Statement(
        title="Post-LN at the offset L/2: the sharp constant, from below",
        source="exact-bounds.md, Learned",
        words="Vectors that count to L at the offset L/2 have d |P(w o g)|^2 > L^3/32.",
        integers=(L,),
        vectors=("w", "x", "s"),
        hypotheses={"length": L >= 3, **_ROUNDS},
        conclusion=bound**2 > L**3 / 32,
    ),
    _sharp_lower,
)

TOP = L * (L + 1) ** 2 / 32
POWER = L**3 * (L + 1) ** 2 / (32 * (L - 1) ** 2) - L**2 / 4
"""p with kappa*^2 = L (L + 1)^2/32."""


def _sharp_upper(p: Proof) -> None:
    known = p.given
    length, wide, power = known["length"], known["kappa"], known["p"]
    enough = every(n, (n > L / 2, n <= L - 1), demanded(n - L / 2, p_))

    def show(q: Proof, number: Term, conditions: list[Fact]) -> Fact:
        there = number - L / 2
        side = q.reals(sp.And(there > 0, there <= L / 2 - 1), *conditions)
        return q.reals(demanded(there, p_), side, power, length)

    large = p.reals(p_ >= 0, power, length)
    square = p.reals(sp.Eq(kappa**2, width(p_) + eps), wide, power, length)
    p.qed(
        p.use(
            "centred-arc-rounds",
            {},
            *(p.every(enough, show), large, square, length, known["inputs"], wide),
            known["epsilon"],
        )
    )


SHARP_UPPER = Theorem(
    "centred-arc-sharp-upper-bound",
    Statement(
        title="Post-LN at the offset L/2: the sharp constant, from above",
        source="exact-bounds.md, Learned",
        words="For every kappa > sqrt(L) (L + 1)/sqrt(32) an odd curve about L/2 rounds n = 0..L.",
        integers=(L, n),
        hypotheses={
            "length": L >= 2,
            "inputs": sp.And(n >= 0, n <= L),
            "p": sp.Eq(p_, POWER),
            "epsilon": eps > 0,
            "kappa": sp.And(kappa >= 0, sp.Eq(kappa**2, TOP + eps)),
        },
        conclusion=rounds(L / 2 + kappa * (n - L / 2) / sp.sqrt((n - L / 2) ** 2 + p_ + eps), n),
    ),
    _sharp_upper,
)
