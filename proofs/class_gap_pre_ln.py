"""The gap of classes over bare pre-LN softmax: values of one length, close where weights are alike.

With |v_#| = |v_s| = sqrt(d) and the boundary's weight a = e^t, t = (d - <v_#, v_s>)/sqrt(d),
|v_# - v_s|^2 is 2 sqrt(d) t: the weight that is best for the gap keeps the two values near.
"""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import dot, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.classification import GAPS, b0, b1, divisor, gap, most, p_, q_
from proofs.polytope import a
from proofs.terms import B, L, d
from proofs.vectors import inner_at_most

distance, length, score = symbols("x l t")


def _by_distance(p: Proof) -> None:
    norms, sizes, scores, weight = (
        p.given[name] for name in ("norms", "distance", "scores", "a > 0")
    )
    sums = p.use("class-gap-summed", {}, *(p.given[name] for name in GAPS))
    one = sp.Integer(1)
    apart = {"u": one, "s": -one}
    sides = [
        inner_at_most(p, {name: one}, apart, B * distance, norms, sizes)
        for name in ("least", "last")
    ]
    both = p.reals(
        p_(0) / a - q_(0) - (p_(L) / a - q_(L)) <= 2 * B * distance, *sides, scores, weight
    )
    p.qed(both, sums, weight)


BY_DISTANCE = Theorem(
    "class-gap-by-distance",
    Statement(
        title="The gap of classes, by the distance of the two values",
        source="theory.md, section 8",
        words="Without post-LN, classes with |c_k| <= B have a gap G with "
        "G (L^2 + aL + L (L^2 - 1)/(3a)) <= B |v_# - v_s|, whatever their biases.",
        integers=(L,),
        vectors=("least", "last", "u", "s"),
        hypotheses={
            **GAPS,
            "norms": sp.And(*(dot(name, name) <= B**2 for name in ("least", "last"))),
            "distance": sp.And(
                B >= 0,
                distance >= 0,
                sp.Eq(distance**2, dot("u", "u") - 2 * dot("s", "u") + dot("s", "s")),
            ),
            "scores": sp.And(
                sp.Eq(q_(0), dot("least", "s") + b0),
                sp.Eq(q_(L), dot("last", "s") + b1),
                sp.Eq(p_(0), a * (dot("least", "u") + b0)),
                sp.Eq(p_(L), a * (dot("last", "u") + b1)),
            ),
        },
        conclusion=gap * divisor(a) <= B * distance,
    ),
    _by_distance,
)


def _one_length(p: Proof) -> None:
    goal = p.theorem.statement.conclusion
    size, dimension, weight, apart, bound, positive, long = (
        p.given[name]
        for name in ("length", "dimension", "weight", "distance", "bound", "B, G >= 0", "l")
    )
    root, is_root = p.define("r", sp.sqrt((L**2 - 1) / 3), size)
    half, is_half = p.define("y", sp.sqrt(2 * sp.sqrt(d) * length), dimension, long)
    s, is_s = p.define("s", sp.sqrt(d), dimension)
    roots = p.reals(
        sp.And(root >= 0, sp.Eq(3 * root**2, L**2 - 1), s > 0, half >= 0), is_root, size, is_s,
        is_half, dimension, long,
    )  # fmt: skip
    squares = p.reals(
        sp.And(sp.Eq(half**2, 2 * s * length), sp.Eq(distance**2, 2 * s * score)),
        is_half, is_s, apart, dimension, long, roots,
    )  # fmt: skip
    heavy = p.reals(a > 0, weight)
    named = p.reals(gap * (L**2 + L * a + L * root**2 / a) <= B * distance, bound, roots, heavy)
    least, is_least = p.define("A", sp.exp(length))

    def near(q: Proof, case: Fact) -> Fact:
        closer = q.reals(distance <= half, squares, case, roots, apart)
        best = q.use(
            "class-gap-at-the-best-weight", {most: B * distance}, size, heavy, bound, positive
        )
        plain = q.reals(gap * (L**2 + 2 * L * root) <= B * distance, best, is_root, size)
        less = q.reals(B * distance <= B * half, closer, positive)
        done = q.reals(gap * (L**2 + 2 * L * root) <= B * half, plain, less)
        return q.reals(goal, q.unfold(done, is_root, is_half))

    def far(q: Proof, case: Fact) -> Fact:
        more, is_more = q.define("w", score - length)
        tangent = q.axiom("exp lies above its tangent", score - length)
        parted = q.axiom("exp of a sum", score, length)
        growth = q.reals(a >= least * (1 + more), tangent, parted, weight, is_least, is_more, long)
        enough = q.reals(
            sp.And(least >= L, least >= 2 * root, least > 0), long, is_least, roots, size
        )
        steep = q.reals(
            sp.And(more > 0, distance <= half * (1 + more / 2)),
            squares, is_more, case, roots, long, apart,
        )  # fmt: skip
        weights = q.reals((L + least) * (1 + more / 2) <= L + a, growth, enough, steep, size)
        lighter = q.reals(gap * L * (L + a) <= B * distance, named, heavy, roots, positive, size)
        scaled = q.reals(
            gap * L * ((L + least) * (1 + more / 2)) <= gap * L * (L + a), weights, positive, size
        )
        longer = q.reals(B * distance <= B * (half * (1 + more / 2)), steep, positive)
        chain = q.reals(
            gap * L * ((L + least) * (1 + more / 2)) <= B * (half * (1 + more / 2)),
            scaled, lighter, longer,
        )  # fmt: skip
        product = q.reals((1 + more / 2) * (gap * L * (L + least) - B * half) <= 0, chain)
        short = q.reals(gap * L * (L + least) <= B * half, product, steep)
        wider = q.reals(gap * L * (2 * root) <= gap * L * least, enough, positive, size)
        done = q.reals(gap * (L**2 + 2 * L * root) <= B * half, short, wider)
        return q.reals(goal, q.unfold(done, is_root, is_half))

    p.qed(p.cases(goal, [score <= length, score > length], [near, far]))


ONE_LENGTH = Theorem(
    "class-gap-of-bare-pre-ln",
    Statement(
        title="The gap of classes over bare pre-LN softmax",
        source="theory.md, section 8",
        words="Where the values have one length sqrt(d), so that |v_# - v_s|^2 = 2 sqrt(d) t for "
        "the boundary's weight e^t, G (L^2 + 2L sqrt((L^2 - 1)/3)) <= B sqrt(2 sqrt(d) l) for "
        "every l >= 1 with e^l >= 2L/sqrt(3).",
        hypotheses={
            "length": L >= 1,
            "dimension": d >= 1,
            "weight": sp.Eq(a, sp.exp(score)),
            "distance": sp.And(distance >= 0, sp.Eq(distance**2, 2 * sp.sqrt(d) * score)),
            "B, G >= 0": sp.And(B >= 0, gap >= 0),
            "bound": gap * divisor(a) <= B * distance,
            "l": sp.And(length >= 1, 2 * L <= sp.sqrt(3) * sp.exp(length)),
        },
        conclusion=gap * (L**2 + 2 * L * sp.sqrt((L**2 - 1) / 3))
        <= B * sp.sqrt(2 * sp.sqrt(d) * length),
    ),
    _one_length,
)
