"""Post-LN at any offset: counting to L needs kappa^2 > L^2 (L - 5)/32.

The logarithm of the limits' cross-ratio grows with z = 1/kappa^2 at the rate
(t2 - t1)(t3 - t0)/2, whatever the offset, and t_j - t_i >= s_j - s_i. At z = 0 the ratio is that
of the shifted inputs, so it has to make up for the two units by which rounding shortens it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import sympy as sp

from countbounds.proving.formulas import Term, every, substituted, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.cross_ratio import N, cross_ratio, tau
from proofs.post_ln import bound, shifts
from proofs.post_ln_vectors import LAYER, a, norm, output, ww
from proofs.terms import L, d, n, rounds
from proofs.width import S, bent, bent_points, bent_ratio, curvature

z = symbols("z")
wide = (S[2] - S[1]) * (S[3] - S[0])


def _at_least(p: Proof) -> None:
    given = (p.given["order"], p.given["z"], p.given["inside"])

    def show(q: Proof, here: Term, slope: Term, between: list[Fact]) -> Fact:
        t, is_t, apart, defined = bent_points(q, here, [*given, *between], False)
        far = (bent(S[2], here) - bent(S[1], here)) * (bent(S[3], here) - bent(S[0], here))
        grown = bent_ratio(S, here) * (far - wide) / 2 * sp.exp(-here * wide / 2)
        value = q.identity(slope, grown, *defined)
        within = [q.reals(here * s**2 < 1, *given, *between) for s in S]
        longer = [
            q.reals(t[j] - t[i] >= S[j] - S[i], is_t[i], is_t[j], within[i], within[j], *given,
                    *between)
            for i, j in ((1, 2), (0, 3))
        ]  # fmt: skip
        more = q.reals((t[2] - t[1]) * (t[3] - t[0]) >= wide, *longer, given[0])
        ratio, is_ratio = q.define("r", bent_ratio(S, here), *defined)
        length, is_length = q.define("f", far, *defined)
        share, is_share = q.define("e", sp.exp(-here * wide / 2))
        positive = q.reals(
            ratio >= 0,
            q.reals(sp.Eq(ratio, cross_ratio(t)), is_ratio, *is_t, *defined, *apart),
            q.reals(cross_ratio(t) >= 0, *apart),
        )
        long = q.reals(
            length >= wide,
            q.reals(sp.Eq(length, (t[2] - t[1]) * (t[3] - t[0])), is_length, *is_t, *defined),
            more,
        )
        sign = q.reals(
            ratio * (length - wide) / 2 * share >= 0, positive, long, q.reals(share > 0, is_share)
        )
        return q.reals(slope >= 0, value, q.unfold(sign, is_ratio, is_length, is_share))

    function = bent_ratio(S, curvature) * sp.exp(-curvature * wide / 2)
    rises = p.rises(function, curvature, sp.Integer(0), z, *given, show=show)
    _, _, _, defined = bent_points(p, z, given, False)
    above = p.axiom("exp lies above its tangent", z * wide / 2)
    inverse = p.axiom("exp of a sum", sp.Integer(0), z * wide / 2)
    last, is_last = p.define("r", bent_ratio(S, z), *defined)
    first, is_first = p.define("c", cross_ratio(S), given[0])
    share, is_share = p.define("e", sp.exp(-z * wide / 2))
    start = p.reals(first >= 0, p.reals(cross_ratio(S) >= 0, given[0]), is_first)
    small = p.reals(sp.And(share > 0, share * (1 + z * wide / 2) <= 1), above, inverse, is_share)
    grown, is_grown = p.define("g", 1 + z * wide / 2)
    least = p.reals(
        last >= first * grown,
        p.reals(first <= last * share, rises, is_last, is_first, is_share),
        p.reals(sp.And(share > 0, share * grown <= 1, grown > 0), small, is_grown, *given[:2]),
        start,
    )
    p.qed(p.unfold(least, is_last, is_first, is_grown))


AT_LEAST = Theorem(
    "cross-ratio-grows-at-least",
    Statement(
        title="How much the limits' cross-ratio grows as kappa falls",
        source="exact-bounds.md, Smaller kappa",
        words="At z = 1/kappa^2 it is at least 1 + z (s2 - s1)(s3 - s0)/2 times that of the s_i.",
        hypotheses={
            "order": sp.And(S[0] <= S[1], S[1] < S[2], S[2] <= S[3]),
            "z": z >= 0,
            "inside": sp.And(z * S[0] ** 2 < 1, z * S[3] ** 2 < 1),
        },
        conclusion=bent_ratio(S, z) >= cross_ratio(S) * (1 + z * wide / 2),
    ),
    _at_least,
)


def _four(p: Proof) -> None:
    known, one = list(p.given.values()), sp.Integer(1)
    limits_, inputs, kappa = (p.given[name] for name in ("limits", "inputs", "kappa"))
    rounded = p.use("post-ln-refutation", {}, *known)
    reach = p.use("post-ln-reach", {}, *known)
    order = p.reals(sp.And(S[0] <= S[1], S[1] < S[2], S[2] <= S[3]), limits_, inputs, kappa)
    inside = p.reals(sp.And(S[0] ** 2 < 1, S[3] ** 2 < 1), reach, order)
    grown = p.use("cross-ratio-grows-at-least", {z: one}, order, inside)
    both = p.reals(
        cross_ratio(S) * (1 + wide / 2) < cross_ratio(N),
        rounded,
        grown,
        p.reals(sp.And(S[3] - S[1] > 0, S[2] - S[0] > 0), order),
        inputs,
    )
    shift, is_shift = p.define("D", (N[2] - N[1] + 1) * (N[3] - N[0] - 1))
    square = p.reals(sp.And(sp.Eq(wide * bound**2, shift), bound**2 > 0), limits_, kappa, is_shift)
    shifted = (N[1] - N[0] - 1) * (N[3] - N[2] - 1) / ((N[3] - N[1]) * (N[2] - N[0]))
    same = p.reals(sp.Eq(cross_ratio(S), shifted), limits_, inputs, kappa, order)
    ratio, is_ratio = p.define("r", shifted, inputs)
    bend, is_bend = p.define("b", wide / 2)
    small = p.reals(
        ratio * (1 + bend) < cross_ratio(N),
        both,
        p.reals(
            sp.Eq(cross_ratio(S) * (1 + wide / 2), ratio * (1 + bend)), same, is_ratio, is_bend
        ),
        inputs,
    )
    bends = p.reals(sp.Eq(2 * bend * bound**2, shift), square, is_bend)
    product, is_product = p.define("m", (N[3] - N[1]) * (N[2] - N[0]))
    positive = p.reals(product > 0, is_product, inputs)
    plain = p.reals(
        (N[1] - N[0] - 1) * (N[3] - N[2] - 1) * (1 + bend) < (N[1] - N[0]) * (N[3] - N[2]),
        p.reals(
            sp.Eq(ratio * product, (N[1] - N[0] - 1) * (N[3] - N[2] - 1)),
            is_ratio,
            is_product,
            inputs,
        ),
        p.reals(
            ratio * (1 + bend) * product < (N[1] - N[0]) * (N[3] - N[2]),
            small,
            is_product,
            positive,
            inputs,
        ),
    )
    p.qed(
        p.reals(
            (N[1] - N[0] - 1) * (N[3] - N[2] - 1) * (2 * bound**2 + shift)
            < 2 * bound**2 * (N[1] - N[0]) * (N[3] - N[2]),
            plain,
            bends,
            square,
        ),
        is_shift,
    )


FOUR = Theorem(
    "post-ln-four-inputs",
    Statement(
        title="Post-LN: what rounding four inputs costs at any offset",
        source="exact-bounds.md, Smaller kappa",
        words="Whoever rounds n0 < n1 < n2 < n3 with sqrt(d) |P(w o g)| <= kappa has "
        "(n1 - n0 - 1)(n3 - n2 - 1)(2 kappa^2 + (n2 - n1 + 1)(n3 - n0 - 1)) below "
        "2 kappa^2 (n1 - n0)(n3 - n2), whatever the offset.",
        vectors=("w", "x", "s"),
        hypotheses=LAYER,
        conclusion=(N[1] - N[0] - 1)
        * (N[3] - N[2] - 1)
        * (2 * bound**2 + (N[2] - N[1] + 1) * (N[3] - N[0] - 1))
        < 2 * bound**2 * (N[1] - N[0]) * (N[3] - N[2]),
    ),
    _four,
)

ROUNDS = {
    "dimension": d >= 3,
    "a > 0": a > 0,
    "kappa": sp.And(bound > 0, bound**2 >= d * ww),
    "valid": every(n, (n >= 0, n <= L), norm(n) > 0),
    "rounds": every(n, (n >= 0, n <= L, norm(n) > 0), rounds(output(n), n)),
}


def _sharp(p: Proof) -> None:
    known, goal = p.given, p.theorem.statement.conclusion
    plain = [known[name] for name in ("dimension", "a > 0", "kappa")]

    def with_rest(q: Proof, k: Term, equation: Fact, left: int) -> Fact:
        whole = q.integer_gap(k)
        least = q.reals(k >= 1, whole, equation, known["length"])
        large = q.reals(
            sp.And(k >= 1, k >= (2 if left < 2 else 1)),
            least,
            q.integer_gap(k - 1),
            equation,
            known["length"],
        )
        inputs = (sp.Integer(0), k + 1, L - k - 1, L)
        facts = []
        for number in inputs:
            inside = q.reals(sp.And(number >= 0, number <= L), large, equation)
            valid = q.at(known["valid"], number, inside)
            facts += [valid, q.at(known["rounds"], number, inside, valid, *plain)]
        chain = q.reals(sp.And(*(c - b >= 1 for b, c in pairwise(inputs))), large, equation)
        at = dict(zip(N, inputs, strict=True))
        values = {s: substituted(one, at) / bound for s, one in zip(S, shifts(tau), strict=True)}
        found = q.use("post-ln-four-inputs", {**at, **values}, *plain, *facts, chain)
        short = q.reals((L - 2 * k - 1) * (L - 1) * k**2 < bound**2 * (4 * k + 2), found, large)
        sides = q.reals(
            (L - 2 * k - 1) * (L - 1) * k**2 * 32 >= L**2 * (L - 5) * (4 * k + 2), equation, large
        )
        names = [
            q.define("f", 4 * k + 2),
            q.define("g", L**2 * (L - 5)),
            q.define("p", (L - 2 * k - 1) * (L - 1) * k**2),
            q.define("x", bound**2),
        ]
        (f, is_f), (g, is_g), (product, is_product), (square, is_square) = names
        less = q.reals(
            g < 32 * square,
            q.reals(product < square * f, short, is_product, is_square, is_f),
            q.reals(32 * product >= g * f, sides, is_product, is_g, is_f),
            q.reals(f > 0, is_f, large),
        )
        return q.reals(goal, q.unfold(less, is_g, is_square))

    def rest(number: int) -> Callable[[Proof, Term, Fact], Fact]:
        return lambda q, k, equation: with_rest(q, k, equation, number)

    p.qed(p.residue(L, 4, goal, [rest(number) for number in range(4)], why="n1 = floor(L/4) + 1"))


SHARP = Theorem(
    "post-ln-sharp-lower-bound",
    Statement(
        title="Post-LN: the sharp constant from below, at any offset",
        source="exact-bounds.md, post-LN",
        words="Vectors that count to L >= 6 have d |P(w o g)|^2 > L^2 (L - 5)/32, whatever tau.",
        integers=(L,),
        vectors=("w", "x", "s"),
        hypotheses={"length": L >= 6, **ROUNDS},
        conclusion=32 * bound**2 > L**2 * (L - 5),
    ),
    _sharp,
)
