"""Smaller kappa is refuted too: the limits' cross-ratio falls with kappa.

With z = 1/kappa^2 the tangents are s/sqrt(1 - z s^2), up to a common factor; z = 0 is the limit
of exact counting.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from countbounds.proving.formulas import Term, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.cross_ratio import below, cross_ratio

S = symbols("s0 s1 s2 s3")
low, high, curvature = symbols("z z' zeta")


def bent(s: Term, z: Term) -> Term:
    """s/sqrt(1 - z s^2)."""
    return s / sp.sqrt(1 - z * s**2)


def bent_ratio(points: Sequence[Term], z: Term) -> Term:
    """The cross-ratio of bent points."""
    return cross_ratio([bent(s, z) for s in points])


def bent_points(
    q: Proof, z: Term, given: Sequence[Fact], strictly: bool
) -> tuple[Sequence[Term], Sequence[Fact], list[Fact], list[Fact]]:
    """t_i for z s_i^2 < 1 with what defines them, their order, and what defines the terms."""
    within = [q.reals(z * s**2 < 1, *given) for s in S]
    t, is_t = zip(*(q.define(f"t{i}", bent(S[i], z), within[i]) for i in range(4)), strict=True)
    pairs = {(0, 2): True, (1, 2): True, (1, 3): True, (0, 1): strictly, (2, 3): strictly}
    apart = [
        q.reals(below(t[i], t[j], strict), is_t[i], is_t[j], within[i], within[j], *given)
        for (i, j), strict in pairs.items()
    ]
    defined = [
        q.reals(sp.Ne(bent(S[j], z) - bent(S[i], z), 0), one, is_t[i], is_t[j], *within)
        for (i, j), one in zip(pairs, apart, strict=True)
        if (i, j) in ((0, 2), (1, 3))
    ]
    defined += [
        q.reals(condition, one)
        for s, one in zip(S, within, strict=True)
        for condition in (1 - z * s**2 >= 0, sp.Ne(1 - z * s**2, 0))
    ]
    return t, is_t, apart, defined


def _grows(p: Proof, strictly: bool) -> None:
    given = (p.given["order"], p.given["z"], p.given["inside"])

    def show(q: Proof, z: Term, slope: Term, between: list[Fact]) -> Fact:
        t, is_t, apart, defined = bent_points(q, z, [*given, *between], strictly)
        wide = (bent(S[2], z) - bent(S[1], z)) * (bent(S[3], z) - bent(S[0], z))
        grown = bent_ratio(S, z) * wide / 2
        value = q.identity(
            slope,
            grown,
            *defined,
            why="dt/dz = t^3/2, and the third divided difference of t^3 is 1",
        )
        worth = cross_ratio(t) * (t[2] - t[1]) * (t[3] - t[0]) / 2
        named = q.reals(sp.Eq(grown, worth), *is_t, *defined)
        sign = q.reals(worth > 0 if strictly else worth >= 0, *apart)
        grows = q.reals(grown > 0 if strictly else grown >= 0, named, sign, *defined)
        return q.reals(slope > 0 if strictly else slope >= 0, value, grows, *defined)

    p.qed(
        p.rises(
            bent_ratio(S, curvature),
            *(curvature, low, high, *given),
            strictly=strictly,
            show=show,
        )
    )


def _growth(strictly: bool) -> Theorem:
    return Theorem(
        "cross-ratio-grows-with-curvature" + "-strictly" * strictly,
        Statement(
            title="The limits' cross-ratio grows as kappa falls",
            source="exact-bounds.md, Smaller kappa",
            words="For z < z' the cross-ratio of s_i/sqrt(1 - z s_i^2) is "
            + ("smaller than" if strictly else "at most")
            + " that of s_i/sqrt(1 - z' s_i^2); z = 1/kappa^2.",
            hypotheses={
                "order": sp.And(
                    *(below(S[0], S[1], strictly), S[1] < S[2], below(S[2], S[3], strictly))
                ),
                "z": sp.And(0 <= low, low < high),
                "inside": sp.And(high * S[0] ** 2 < 1, high * S[3] ** 2 < 1),
            },
            conclusion=below(bent_ratio(S, low), bent_ratio(S, high), strictly),
        ),
        lambda p: _grows(p, strictly),
    )


GROWTH, GROWTH_STRICTLY = _growth(False), _growth(True)
