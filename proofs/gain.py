"""A read-out w behind a gain g: how long the projection of w o g can be.

w, g and b stand for the i-th entries; P subtracts the mean, so |P z|^2 = Q - S^2/d for the sums
Q of z_i^2 and S of z_i over the d entries.
"""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import Formula, Term, Total, symbols
from countbounds.proving.proof import Proof, Statement, Theorem
from proofs.terms import B, d

w, g, b, e, tau = symbols("w g b e tau")


def squared_norm(entry: Term) -> Term:
    """|z|^2."""
    return Total(entry**2)


def projected(entry: Term) -> Term:
    """|P z|^2 = |z|^2 - (sum of z)^2/d."""
    return Total(entry**2) - Total(entry) ** 2 / d


def _size(p: Proof) -> None:
    def smaller(total: Term, first: Term, second: Term) -> Formula:
        return total**2 <= first * second

    p.qed(
        p.sums(
            smaller,
            [sp.sqrt((w * g) ** 2), w**2, g**2],
            extra=[lambda a, x, y: sp.And(a >= 0, x >= 0, y >= 0)],
            why="Cauchy-Schwarz, by 2 |w_i g_i| sqrt(X Y) <= w_i^2 Y + g_i^2 X",
        )
    )


SIZE = Theorem(
    "sum-of-products",
    Statement(
        title="The sum of the sizes of products",
        source="exact-bounds.md, Learned",
        words="|w o g|_1 <= |w| |g|.",
        entries={w: (), g: ()},
        conclusion=Total(sp.sqrt((w * g) ** 2)) ** 2 <= squared_norm(w) * squared_norm(g),
    ),
    _size,
)


def _offset(p: Proof) -> None:
    p.qed(
        p.sums(
            lambda s, x, y: s**2 <= x * y,
            [w * b, w**2, b**2],
            extra=[lambda s, x, y: sp.And(x >= 0, y >= 0)],
        )
    )


OFFSET = Theorem(
    "offset-is-bounded",
    Statement(
        title="The offset of a learned norm",
        source="exact-bounds.md, Learned",
        words="tau = <w, b> has tau^2 <= |w|^2 |b|^2, so |tau| <= B^2.",
        entries={w: (), b: ()},
        conclusion=Total(w * b) ** 2 <= squared_norm(w) * squared_norm(b),
    ),
    _offset,
)


def _projection(p: Proof) -> None:
    z = w * g
    sizes = p.sums(
        lambda a, s, q: sp.And(a**2 >= s**2, a**2 + s**2 >= 2 * q),
        [sp.sqrt(z**2), z, z**2],
        extra=[lambda a, s, q: sp.And(a >= s, a >= -s)],
        why="|z_i| (a - |s|) >= 0 for one summand more",
    )
    p.qed(p.use("sum-of-products", {}), sizes, p.given["dimension"])


PROJECTION = Theorem(
    "gain-times-read-out",
    Statement(
        title="A read-out behind a gain, projected",
        source="exact-bounds.md, Learned",
        words="|P(w o g)|^2 <= (1 - 1/d) |w|^2 |g|^2.",
        entries={w: (), g: ()},
        hypotheses={"dimension": d >= 3},
        conclusion=projected(w * g) <= (1 - 1 / d) * squared_norm(w) * squared_norm(g),
    ),
    _projection,
)

_UNIT = {
    "dimension": d >= 3,
    "one coordinate": sp.Eq(Total(e), 1),
    "B > 0": B > 0,
    "offset": sp.And(-(B**2) <= tau, tau <= B**2),
}
ON_AXIS = {w: B * e, g: B * e, b: tau / B * e}
"""w = g = B e1 and b = (tau/B) e1."""


def _attained(p: Proof) -> None:
    positive = p.given["B > 0"]
    axis = {
        power: p.sums(lambda t, s, factor=factor: sp.Eq(t, factor * s), [term, e], positive)
        for power, (term, factor) in {
            "w": ((B * e) ** 2, B**2),
            "z": (B * e * (B * e), B**2),
            "z^2": ((B * e * (B * e)) ** 2, B**4),
            "wb": (B * e * (tau / B * e), tau),
            "b": ((tau / B * e) ** 2, tau**2 / B**2),
        }.items()
    }
    norm = p.reals(tau**2 / B**2 <= B**2, p.given["offset"], positive)
    p.qed(*axis.values(), norm, *p.given.values())


ATTAINED = Theorem(
    "gain-on-an-axis",
    Statement(
        title="The longest read-out, with any offset",
        source="exact-bounds.md, Learned",
        words="w = g = B e1, b = (tau/B) e1 have norms up to B, d |P(w o g)|^2 = (d - 1) B^4 and "
        "<w, b> = tau.",
        entries={e: (sp.Eq(e**2, e),)},
        hypotheses=_UNIT,
        conclusion=sp.And(
            sp.Eq(squared_norm(ON_AXIS[w]), B**2),
            squared_norm(ON_AXIS[b]) <= B**2,
            sp.Eq(d * projected(ON_AXIS[w] * ON_AXIS[g]), (d - 1) * B**4),
            sp.Eq(Total(ON_AXIS[w] * ON_AXIS[b]), tau),
        ),
    ),
    _attained,
)
