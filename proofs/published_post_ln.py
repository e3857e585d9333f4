"""The published post-LN constructions: y = c n/sqrt(c^2 + n^2), with vectors.

Coordinates are those along the all-ones vector, (1, 1, -2, 0, ...) and (1, -1, 0, ...), each
divided by its norm; P drops the first. The letter is the zero vector.
"""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import HALF, Formula, Term, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.terms import B, L, d, inner, m, n, rounds, softmax_weight

c, size, rho = symbols("c s rho")


def _arc(p: Proof) -> None:
    known = p.given
    root, is_root = p.define("q", sp.sqrt(c**2 + n**2), known["c"])
    square = p.reals(sp.And(root > 0, sp.Eq(root**2, c**2 + n**2)), is_root, known["c"])
    slower = p.reals(c <= root, square, known["c"])
    upper = p.reals(c * n < (n + HALF) * root, slower, square, known["inputs"])
    cube = p.reals(c**2 >= n**3, known["wide"], known["inputs"])
    goal = (n - HALF) * root < c * n

    def late(q: Proof, large: Fact) -> Fact:
        inner_ = q.reals(n**3 * (n - HALF / 2) > (n - HALF) ** 2 * n**2, large)
        wide = q.reals(c**2 * (n - HALF / 2) >= n**3 * (n - HALF / 2), cube, large)
        level = q.reals((n - HALF) ** 2 * (c**2 + n**2) < c**2 * n**2, inner_, wide)
        return q.reals(goal, level, square, known["c"], large)

    lower = p.cases(
        goal,
        [n <= HALF, n > HALF],
        [lambda q, small: q.reals(goal, small, square, known["c"], known["inputs"]), late],
    )
    p.qed(p.reals(p.theorem.statement.conclusion, is_root, square, upper, lower))


ARC = Theorem(
    "published-arc-rounds",
    Statement(
        title="The published arc",
        source="theory.md, 5. Constructions",
        words="c n/sqrt(c^2 + n^2) rounds n = 0..L correctly if c^2 >= L^3.",
        hypotheses={
            "c": c > 0,
            "wide": c**2 >= L**3,
            "inputs": sp.And(n >= 0, n <= L),
        },
        conclusion=rounds(c * n / sp.sqrt(c**2 + n**2), n),
    ),
    _arc,
)


def tokens(width: Term) -> dict[str, list[Term]]:
    """Boundary, space and letter for the arc with c = width."""
    side = sp.sqrt(6) * size / 8
    return {
        "boundary": [size / 2, side, sp.Integer(0)],
        "space": [11 * size / 16, sp.Integer(0), side / width],
        "letter": [sp.Integer(0)] * 3,
    }


def post_ln_output(vectors: dict[str, list[Term]], readout: list[Term]) -> Term:
    """sqrt(d) <w, P N>/|P N|; the read-out has no part along the all-ones vector."""
    x, s, letter = vectors.values()
    a, delta = (softmax_weight(inner(x, token), inner(x, s), d) for token in (x, letter))
    whole = [
        a * i + n * j + delta * m * k for i, j, k in zip(x[1:], s[1:], letter[1:], strict=True)
    ]
    return sp.sqrt(d) * inner(readout[1:], whole) / sp.sqrt(inner(whole, whole))


_ARC_VECTORS = tokens(sp.sqrt(d) * rho)
_READOUT = [sp.Integer(0), sp.Integer(0), rho]
_GIVEN = {
    "length": L >= 1,
    "dimension": d >= 3,
    "inputs": sp.And(n >= 0, m >= 0, n + m <= L),
}


def _vectors(p: Proof) -> None:
    known = p.given
    given = [known[name] for name in ("dimension", "rho", "size")]
    width, is_width = p.define("c", sp.sqrt(d) * rho, known["dimension"])
    wide = p.reals(
        sp.And(width > 0, width**2 >= L**3, width >= 1),
        is_width,
        known["wide"],
        known["length"],
        *given,
    )
    inputs = p.reals(sp.And(n >= 0, n <= L), known["inputs"])
    curve = p.use("published-arc-rounds", {c: width}, wide, inputs)
    root, is_root = p.define("r", sp.sqrt(width**2 + n**2), wide)
    under = sp.Rational(3, 32) * size**2 * (1 + n**2 / (d * rho**2))
    long, is_long = p.define("l", sp.sqrt(under), *given)
    square = p.reals(
        sp.And(root > 0, sp.Eq(root**2, d * rho**2 + n**2)), is_root, is_width, wide, *given
    )
    other = p.reals(sp.And(long > 0, sp.Eq(long**2, under)), is_long, *given)
    share, is_share = p.define("f", sp.sqrt(6) * size / 8)
    shares = p.reals(sp.And(share > 0, sp.Eq(share**2, 6 * size**2 / 64)), is_share, *given)
    ratio = p.reals(
        sp.Eq(long * width, share * root), square, other, shares, wide, is_width, *given
    )
    value = p.reals(sp.Eq(CURVE, width * n / root), ratio, is_long, is_share, square, other, *given)
    p.qed(p.reals(rounds(CURVE, n), value, curve, is_root, square, other))


CURVE = post_ln_output(_ARC_VECTORS, _READOUT)
SIZED = {
    "rho": rho > 0,
    "size": size > 0,
    "wide": d * rho**2 >= L**3,
}
VECTORS = Theorem(
    "published-vectors-follow-the-arc",
    Statement(
        title="Vectors on the published arc",
        source="theory.md, 5. Constructions",
        words="With a read-out of length rho along (1, -1, 0, ...) they count if d rho^2 >= L^3; "
        "the letter is the zero vector, so any number of letters changes nothing.",
        integers=(L, n, m),
        hypotheses={**_GIVEN, **SIZED},
        conclusion=rounds(CURVE, n),
    ),
    _vectors,
)


def _norms(width: Term) -> Formula:
    """The norms of the embeddings are at most B."""
    return sp.And(*(inner(vector, vector) <= B**2 for vector in list(tokens(width).values())[:2]))


def _published(p: Proof, length: Term) -> None:
    known = p.given
    sizes = [known[name] for name in ("length", "dimension", "B > 0", "wide", "size")]
    positive = p.reals(sp.And(length > 0, d * length**2 >= L**3, size > 0), *sizes)
    width = p.reals(d * length**2 >= 1, positive, known["length"])
    curve = p.use("published-vectors-follow-the-arc", {rho: length}, positive, *known.values())
    p.qed(curve, p.reals(_norms(sp.sqrt(d) * length), width, positive, *sizes))


def _of_length(name: str, title: str, words: str, length: Term, wide: Formula) -> Theorem:
    return Theorem(
        name,
        Statement(
            title=title,
            source="theory.md, 5. Constructions",
            words=words,
            integers=(L, n, m),
            hypotheses={
                **_GIVEN,
                "B > 0": B > 0,
                "size": sp.And(size > 0, size <= B),
                "wide": wide,
            },
            conclusion=sp.And(rounds(CURVE.subs(rho, length), n), _norms(sp.sqrt(d) * length)),
        ),
        lambda p: _published(p, length),
    )


BARE = _of_length(
    "post-ln-published",
    "Bare post-LN: the published construction",
    "If d B^2 >= L^3 vectors of norm up to B count to L; w = B (1, -1, 0, ...)/sqrt(2).",
    B,
    d * B**2 >= L**3,
)
LEARNED = _of_length(
    "learned-post-ln-published",
    "Learned post-LN: the published construction",
    "If d B^4/2 >= L^3 vectors of norm up to B count to L; w o g = B^2 (1, -1, 0, ...)/2 for "
    "w = B (e1 - e2)/sqrt(2) and g = B (e1 + e2)/sqrt(2), and b = 0.",
    B**2 / sp.sqrt(2),
    d * B**4 / 2 >= L**3,
)
