"""Vectors of any real inner product space, by explicit squares."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from countbounds.proving.formulas import Term, dot
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


def inner_at_most(
    p: Proof, left: Mapping[str, Term], right: Mapping[str, Term], most: Term, *facts: Fact
) -> Fact:
    """-most <= <u, v> <= most for two combinations of vectors, by the Cauchy-Schwarz inequality.

    Args:
        p: the proof.
        left: u, as its coefficients.
        right: v, likewise.
        most: the bound.
        facts: that it is >= 0, and what bounds |u|^2 and |v|^2.
    """
    inner = sp.Add(*(x * y * dot(u, v) for u, x in left.items() for v, y in right.items()))
    cauchy = p.use("cauchy-schwarz", {}, vectors={"u": left, "v": right})
    squares = [p.square(left), p.square(right)]
    product = p.reals(inner**2 <= most**2, cauchy, *squares, *facts)
    return p.reals(sp.And(-most <= inner, inner <= most), product, *facts)
