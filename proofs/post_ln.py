"""Post-LN: what rounding costs on an arc tau + kappa U/sqrt(U^2 + R^2), U and R affine in n.

U(n) and R(n) are the coordinates of P N(n) along the read-out's direction in the plane of
P x_# and P x_s and at right angles to it; kappa is sqrt(d) times the read-out's length in that
plane.
"""

from __future__ import annotations

from itertools import pairwise

import sympy as sp

from countbounds.proving.formulas import HALF, Formula, Term, substituted, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.cross_ratio import (
    LIMITS,
    ROOTS,
    SINES,
    N,
    chained,
    cross_ratio,
    kappa,
    length,
    sides,
    sine,
    tau,
)
from proofs.terms import L, rounds
from proofs.width import bent, bent_ratio, high, low


def arc(number: Term) -> Term:
    """y(n)."""
    return tau + kappa * sine(number)


def tangent(x: Term) -> Term:
    """T(x) = x/sqrt(1 - x^2)."""
    return x / sp.sqrt(1 - x**2)


def shifts(offset: Term) -> list[Term]:
    """n0 + 1/2, n1 - 1/2, n2 + 1/2 and n3 - 1/2, seen from the offset."""
    return [N[0] + HALF - offset, N[1] - HALF - offset, N[2] + HALF - offset, N[3] - HALF - offset]


def limits(width: Term, offset: Term) -> Formula:
    """s_i = (n_i +- 1/2 - tau)/kappa."""
    return sp.And(*(sp.Eq(width * s, one) for s, one in zip(LIMITS, shifts(offset), strict=True)))


ROUNDED_RATIO = cross_ratio([tangent(s) for s in LIMITS])
"""CR_t."""


def _floor(p: Proof) -> None:
    low, high = p.given["n = 0"], p.given["n = L"]
    size = [
        p.reals(
            sp.And(-1 <= sine(number), sine(number) <= 1),
            p.given[f"valid at {number}"],
            why="|U| <= sqrt(U^2 + R^2)",
        )
        for number in (sp.Integer(0), L)
    ]
    p.qed(p.reals(p.theorem.statement.conclusion, *size, low, high, p.given["kappa"]))


FLOOR = Theorem(
    "post-ln-floor",
    Statement(
        title="Post-LN: the floor of kappa",
        source="exact-bounds.md, floor",
        words="An arc that rounds n = 0 and n = L correctly is wide enough to get there.",
        hypotheses={
            "kappa": kappa >= 0,
            "valid at 0": length(sp.Integer(0)) > 0,
            "valid at L": length(L) > 0,
            "n = 0": rounds(arc(sp.Integer(0)), sp.Integer(0)),
            "n = L": rounds(arc(L), L),
        },
        conclusion=sp.And(kappa > L - HALF - tau, kappa > tau - HALF),
    ),
    _floor,
)

FOUR = {
    "inputs": sp.And(*(b - a >= 1 for a, b in pairwise(N))),
    "kappa": kappa > 0,
    **{f"valid at {number}": length(number) > 0 for number in N},
    **{f"n = {number}": rounds(arc(number), number) for number in N},
    "limits": limits(kappa, tau),
}


def _cross_ratio(p: Proof) -> None:
    known = p.given
    inputs = p.reals(sp.And(*chained(N, True)), known["inputs"])
    valid = [known[f"valid at {number}"] for number in N]
    at = [known[f"n = {number}"] for number in N]
    v, is_v = zip(*(p.define(f"v{i}", sine(N[i]), valid[i]) for i in range(4)), strict=True)
    size = [p.reals(sp.And(-1 <= v[i], v[i] <= 1), is_v[i], valid[i]) for i in (0, 3)]
    at = [p.reals(rounds(tau + kappa * v[i], N[i]), is_v[i], at[i]) for i in range(4)]
    positive = known["kappa"]
    s = LIMITS
    outer = [
        p.reals(v[i] < s[i] if i in (0, 2) else s[i] < v[i], known["limits"], at[i], positive)
        for i in range(4)
    ]
    inner = [p.reals(s[i] <= s[i + 1], known["limits"], known["inputs"], positive) for i in (0, 2)]
    middle = p.reals(v[1] < v[2], at[1], at[2], known["inputs"], positive)
    order = p.reals(sp.And(*chained([sine(k) for k in N], True)), *is_v, *outer, *inner, middle)
    outside = p.reals(
        substituted(sides(True), {one: sine(k) for one, k in zip(SINES, N, strict=True)}),
        *(*is_v, *outer, *inner),
    )
    roots = p.both(*(p.reals(sp.sqrt(1 - one**2) > 0, *size, *outer, *inner, middle) for one in s))
    p.qed(
        p.use(
            "cross-ratio-of-lines-strictly",
            {g: sp.sqrt(1 - one**2) for g, one in zip(ROOTS, s, strict=True)},
            *(inputs, *valid, order, outside, roots),
        )
    )


CROSS_RATIO = Theorem(
    "post-ln-cross-ratio",
    Statement(
        title="Post-LN: the cross-ratio theorem",
        source="exact-bounds.md, cross-ratio",
        words="An arc that rounds four integers correctly has CR_t < CR_n, in whatever direction "
        "it runs and wherever it begins and ends.",
        hypotheses=FOUR,
        conclusion=ROUNDED_RATIO < cross_ratio(N),
    ),
    _cross_ratio,
)


# --- smaller kappa -----------------------------------------------------------------------

bound = symbols("kappa'")
_WIDER = {**FOUR, "bound": bound >= kappa, "limits": limits(bound, tau)}


def _wider(p: Proof) -> None:
    known = p.given
    wide = p.reals(bound > 0, known["kappa"], known["bound"])
    share, is_share = p.define("rho", bound / kappa, known["kappa"])
    large = p.reals(share >= 1, is_share, known["kappa"], known["bound"])
    own = p.reals(
        substituted(limits(kappa, tau), {s: share * s for s in LIMITS}),
        *(known["limits"], is_share, known["kappa"]),
    )
    four = [known[name] for name in FOUR if name != "limits"]
    scaled = p.use("post-ln-cross-ratio", {s: share * s for s in LIMITS}, *four, own)
    order = p.reals(
        sp.And(LIMITS[0] <= LIMITS[1], LIMITS[1] < LIMITS[2], LIMITS[2] <= LIMITS[3]),
        *(known["limits"], known["inputs"], wide),
    )
    size = [
        p.reals(
            sp.And(-1 <= sine(number), sine(number) <= 1),
            known[f"valid at {number}"],
        )
        for number in (N[0], N[3])
    ]
    inside = p.reals(
        sp.And(share * LIMITS[0] > -1, share * LIMITS[3] < 1),
        *(*size, own, known[f"n = {N[0]}"], known[f"n = {N[3]}"], known["kappa"]),
        why="the arc gets there",
    )
    within = [p.reals(share**2 * s**2 < 1, inside, order, large) for s in LIMITS]

    bends = [bent(s, share**2) for s in LIMITS]
    tilted = [tangent(share * s) for s in LIMITS]
    spread = [
        p.reals(points[i] < points[j], order, large, within[i], within[j])
        for points in (bends, tilted)
        for i, j in ((0, 2), (1, 3))
    ]
    alike = p.identity(
        bent_ratio(LIMITS, share**2), cross_ratio(tilted), *(*spread, *within, large)
    )
    ratio = ROUNDED_RATIO < cross_ratio(N)

    def smaller(q: Proof, less: Fact) -> Fact:
        ends = q.reals(1 < share**2, less)
        grown = q.use(
            "cross-ratio-grows-with-curvature",
            {low: sp.Integer(1), high: share**2},
            *(order, ends, within[0], within[3]),
        )
        return q.reals(ratio, grown, alike, scaled)

    def same(q: Proof, equal: Fact) -> Fact:
        given = q.reals(limits(kappa, tau), own, equal)
        return q.use("post-ln-cross-ratio", {}, *four, given)

    either = p.cases(ratio, [share > 1, sp.Eq(share, 1)], [smaller, same], large)
    p.qed(either)


WIDER = Theorem(
    "post-ln-cross-ratio-at-any-width",
    Statement(
        title="Post-LN: one kappa refutes all smaller ones",
        source="exact-bounds.md, Smaller kappa",
        words="If an arc of width at most kappa' rounds four integers, CR_t < CR_n at kappa'.",
        hypotheses=_WIDER,
        conclusion=ROUNDED_RATIO < cross_ratio(N),
    ),
    _wider,
)
