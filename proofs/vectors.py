"""Vectors of any real inner product space, by explicit squares."""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import dot
from countbounds.proving.proof import Fact, Proof, Statement, Theorem

uu, vv, uv = dot("u", "u"), dot("v", "v"), dot("u", "v")


def _cauchy_schwarz(p: Proof) -> None:
    goal = p.theorem.statement.conclusion
    one = sp.Integer(1)
    norms = [p.square({"u": one}), p.square({"v": one})]

    def apart(q: Proof, different: Fact) -> Fact:
        falls = q.square({"u": one, "v": -(uu + 1) / (2 * uv)}, different, why="so v is not 0")
        return q.reals(goal, q.square({"u": vv, "v": -uv}), falls, different, *norms)

    p.qed(
        p.cases(
            goal,
            [sp.Eq(uv, 0), sp.Ne(uv, 0)],
            [lambda q, orthogonal: q.reals(goal, orthogonal, *norms), apart],
        )
    )


CAUCHY_SCHWARZ = Theorem(
    "cauchy-schwarz",
    Statement(
        title="The inequality of Cauchy and Schwarz",
        source="textbooks",
        words="The square of an inner product is at most the product of the squared norms.",
        vectors=("u", "v"),
        conclusion=uv**2 <= uu * vv,
    ),
    _cauchy_schwarz,
)
