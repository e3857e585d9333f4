"""The cross-ratio theorem for vectors: w = P(w o g), x = P x_#, s = P x_s.

N(n) = a x + n s and y(n) = tau + sqrt(d) <w, N>/|N|. Only the part of w in the plane of x and s
matters, so kappa is at most sqrt(d) |w|.
"""

from __future__ import annotations

from itertools import pairwise

import sympy as sp

from countbounds.proving.formulas import Term, dot, substituted, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.cross_ratio import LIMITS, N, cross_ratio, kappa, length, r0, r1, sine, tau, u0, u1
from proofs.post_ln import ROUNDED_RATIO, bound, limits
from proofs.terms import d, rounds

a = symbols("a")
ww, wx, ws = dot("w", "w"), dot("w", "x"), dot("w", "s")
xx, xs, ss = dot("x", "x"), dot("x", "s"), dot("s", "s")


def along(number: Term) -> Term:
    """<w, N>."""
    return a * wx + number * ws


def norm(number: Term) -> Term:
    """|N|^2."""
    return a**2 * xx + 2 * a * number * xs + number**2 * ss


def output(number: Term) -> Term:
    """y(n)."""
    return tau + sp.sqrt(d) * along(number) / sp.sqrt(norm(number))


area = xx * ss - xs**2
LAYER = {
    "dimension": d >= 3,
    "a > 0": a > 0,
    "inputs": sp.And(*(k - j >= 1 for j, k in pairwise(N))),
    "kappa": sp.And(bound > 0, bound**2 >= d * ww),
    **{f"valid at {number}": norm(number) > 0 for number in N},
    **{f"n = {number}": rounds(output(number), number) for number in N},
    "limits": limits(bound, tau),
}
GOAL = ROUNDED_RATIO < cross_ratio(N)


def _parallel(p: Proof) -> None:
    """The square of the cosine is the same at any two inputs."""
    flat, one = p.given["parallel"], sp.Integer(1)
    goal = p.theorem.statement.conclusion
    norms = [p.square({name: one}) for name in ("w", "x", "s")]
    cauchy = [
        p.use("cauchy-schwarz", {}, vectors={"u": {"w": one}, "v": v})
        for v in ({"s": one}, {"x": ss, "s": -xs})
    ]
    difference = p.reals(
        sp.Eq(ss * wx - xs * ws, 0),
        *(cauchy[1], flat, norms[0]),
        why="|ss x - xs s|^2 = ss (xx ss - xs^2) = 0",
    )

    def still(q: Proof, zero: Fact) -> Fact:
        gone = q.reals(sp.And(sp.Eq(ws, 0), sp.Eq(xs, 0)), zero, cauchy[0], flat)
        return q.reals(goal, gone, zero)

    def moving(q: Proof, positive: Fact) -> Fact:
        rate, is_rate = q.define("lambda", xs / ss, positive)
        line = q.reals(
            sp.And(sp.Eq(xs, rate * ss), sp.Eq(xx, rate**2 * ss), sp.Eq(wx, rate * ws)),
            *(is_rate, flat, difference, positive),
        )
        values = []
        for number in (N[0], N[1]):
            values += [
                q.reals(sp.Eq(along(number), ws * (a * rate + number)), line),
                q.reals(sp.Eq(norm(number), ss * (a * rate + number) ** 2), line),
            ]
        return q.reals(goal, *values)

    p.qed(p.cases(goal, [sp.Eq(ss, 0), ss > 0], [still, moving], norms[2]))


PARALLEL = Theorem(
    "parallel-embeddings-do-not-turn",
    Statement(
        title="Parallel embeddings give two values",
        source="exact-bounds.md, Post-LN",
        words="If x and s are parallel, <w, N>^2/|N|^2 does not depend on n.",
        vectors=("w", "x", "s"),
        hypotheses={"parallel": sp.Eq(area, 0)},
        conclusion=sp.Eq(along(N[0]) ** 2 * norm(N[1]), along(N[1]) ** 2 * norm(N[0])),
    ),
    _parallel,
)


# --- the floor ---------------------------------------------------------------------------


def _reach(p: Proof) -> None:
    known, one = p.given, sp.Integer(1)
    wide = known["kappa"]
    found = []
    for i, goal in ((0, LIMITS[0] > -1), (3, LIMITS[3] < 1)):
        number = N[i]
        valid = known[f"valid at {number}"]
        cauchy = p.use("cauchy-schwarz", {}, vectors={"u": {"w": one}, "v": {"x": a, "s": number}})
        v, is_v = p.define("v", along(number) / sp.sqrt(norm(number)), valid)
        square = p.reals(sp.Eq(v**2 * norm(number), along(number) ** 2), is_v, valid)
        size, is_size = p.define("l", norm(number))
        less = p.reals(v**2 * size <= ww * size, square, cauchy, is_size)
        less = p.reals(v**2 <= ww, less, p.reals(size > 0, is_size, valid))
        dim, is_dim = p.define("D", sp.sqrt(d), known["dimension"])
        dims = p.reals(sp.And(dim > 0, sp.Eq(dim**2, d)), is_dim, known["dimension"])
        level = p.reals(rounds(tau + dim * v, number), known[f"n = {number}"], is_v, is_dim)
        bounded = p.reals((dim * v) ** 2 <= bound**2, less, dims, wide, known["dimension"])
        ends = p.reals(sp.And(-bound <= dim * v, dim * v <= bound), bounded, wide)
        found.append(p.reals(goal, ends, level, known["limits"], wide))
    p.qed(*found)


REACH = Theorem(
    "post-ln-reach",
    Statement(
        title="Post-LN: the floor for vectors",
        source="exact-bounds.md, floor",
        words="Whoever rounds n0 and n3 correctly has kappa > tau - n0 - 1/2 and "
        "kappa > n3 - 1/2 - tau, that is s0 > -1 and s3 < 1.",
        vectors=("w", "x", "s"),
        hypotheses=LAYER,
        conclusion=sp.And(LIMITS[0] > -1, LIMITS[3] < 1),
    ),
    _reach,
)


# --- the theorem -------------------------------------------------------------------------


def _refuted(p: Proof) -> None:
    known, one = p.given, sp.Integer(1)
    apart, wide = known["dimension"], known["kappa"]
    plane = p.use("cauchy-schwarz", {}, vectors={"u": {"x": one}, "v": {"s": one}})
    valid = [known[f"valid at {number}"] for number in N]
    v, is_v = zip(
        *(
            p.define(f"v{i}", along(number) / sp.sqrt(norm(number)), valid[i])
            for i, number in enumerate(N)
        ),
        strict=True,
    )
    at = [
        p.reals(rounds(tau + sp.sqrt(d) * v[i], number), known[f"n = {number}"], is_v[i])
        for i, number in enumerate(N)
    ]
    order = p.reals(sp.And(v[0] < v[1], v[1] < v[2]), *at[:3], known["inputs"], apart)

    def parallel(q: Proof, flat: Fact) -> Fact:
        squares = [
            q.reals(sp.Eq(v[i] ** 2 * norm(N[i]), along(N[i]) ** 2), is_v[i], valid[i])
            for i in range(3)
        ]
        same = []
        for i in (1, 2):
            equal = q.use("parallel-embeddings-do-not-turn", {N[1]: N[i]}, flat)
            same.append(
                q.reals(
                    sp.Eq(v[i] ** 2, v[0] ** 2), equal, squares[0], squares[i], valid[0], valid[i]
                )
            )
        return q.reals(GOAL, *same, order, why="there are no three different values")

    def turning(q: Proof, positive: Fact) -> Fact:
        first, is_first = q.define("p", (wx * ss - ws * xs) / area, positive)
        second, is_second = q.define("q", (ws * xx - wx * xs) / area, positive)
        part = {"x": first, "s": second}
        solved = q.reals(
            sp.And(sp.Eq(first * xx + second * xs, wx), sp.Eq(first * xs + second * ss, ws)),
            *(is_first, is_second, positive),
            why="w' = p x + q s is the part of w in the plane",
        )
        size, is_size = q.define("e", first * wx + second * ws)
        squares = [q.square(part), q.square({"w": one, "x": -first, "s": -second})]
        own = q.reals(size >= 0, squares[0], is_size, solved)
        less = q.reals(size <= ww, squares[1], is_size, solved)
        root, is_root = q.define("g", sp.sqrt(area), positive)
        line = {u0: a * wx, u1: ws, r0: -second * a * root, r1: first * root}
        surface = q.reals(sp.Eq(root**2, area), is_root, positive)
        spans = [
            q.reals(
                sp.Eq(substituted(length(number), line), size * norm(number)),
                *(surface, is_size, is_first, is_second, positive),
                why="|w'|^2 |N|^2 = <w', N>^2 + area^2",
            )
            for number in N
        ]

        def across(r: Proof, zero: Fact) -> Fact:
            still = []
            for i in (0, 1):
                no_length = r.reals(sp.Eq(substituted(length(N[i]), line), 0), spans[i], zero)
                nothing = r.reals(sp.Eq(along(N[i]), 0), no_length, why="a sum of two squares")
                still.append(r.reals(sp.Eq(v[i], 0), nothing, is_v[i], valid[i]))
            return r.reals(GOAL, *still, order, why="y is constant")

        def within(r: Proof, long: Fact) -> Fact:
            dim, is_dim = r.define("D", sp.sqrt(d), apart)
            dims = r.reals(sp.And(dim > 0, sp.Eq(dim**2, d)), is_dim, apart)
            width, is_width = r.define("k", sp.sqrt(d * size), long, apart)
            widths = r.reals(sp.And(width > 0, sp.Eq(width**2, d * size)), is_width, long, apart)
            given = [r.reals(bound >= width, widths, wide, less, apart), widths]
            for i, number in enumerate(N):
                there = substituted(length(number), line)
                given.append(r.reals(there > 0, spans[i], long, valid[i]))
                z, is_z = r.define("z", sp.sqrt(there), given[-1])
                t, is_t = r.define("t", sp.sqrt(norm(number)), valid[i])
                roots = r.reals(
                    sp.And(z > 0, sp.Eq(z**2, size * norm(number))), is_z, spans[i], given[-1]
                )
                own_roots = r.reals(sp.And(t > 0, sp.Eq(t**2, norm(number))), is_t, valid[i])
                ratio = r.reals(
                    sp.Eq(width * t, dim * z), roots, own_roots, widths, dims, long, valid[i]
                )
                values = [
                    r.reals(sp.Eq(sine_on(number) * z, along(number)), is_z, given[-1]),
                    r.reals(sp.Eq(v[i] * t, along(number)), is_v[i], is_t, valid[i]),
                ]
                level = r.reals(
                    sp.Eq(width * sine_on(number), dim * v[i]), *values, ratio, roots, own_roots
                )
                given.append(
                    r.reals(rounds(tau + width * sine_on(number), number), level, at[i], is_dim)
                )
            return r.use(
                "post-ln-cross-ratio-at-any-width",
                {**line, kappa: width},
                *(*given, known["inputs"], known["limits"]),
            )

        def sine_on(number: Term) -> Term:
            return substituted(sine(number), line)

        return q.cases(GOAL, [sp.Eq(size, 0), size > 0], [across, within], own)

    p.qed(p.cases(GOAL, [sp.Eq(area, 0), area > 0], [parallel, turning], plane))


REFUTED = Theorem(
    "post-ln-refutation",
    Statement(
        title="Post-LN: the cross-ratio theorem for vectors",
        source="exact-bounds.md, cross-ratio",
        words="Whoever rounds four integers correctly with sqrt(d) |P(w o g)| <= kappa and offset "
        "tau has CR_t < CR_n at this kappa and tau: four integers with CR_t >= CR_n refute it.",
        vectors=("w", "x", "s"),
        hypotheses=LAYER,
        conclusion=GOAL,
    ),
    _refuted,
)
