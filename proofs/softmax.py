"""Softmax attention without LayerNorm: both sides of B_min, for all L and d.

The vectors are x (boundary), s (space), l (letter) and w (read-out).
"""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import HALF, Term, dot, every, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.polytope import A, a, first
from proofs.terms import (
    B,
    L,
    d,
    inner,
    least_value,
    least_weight,
    m,
    n,
    rounds,
    softmax_output,
    softmax_weight,
)

WEIGHT = softmax_weight(dot("x", "x"), dot("x", "s"), d)
OUTPUT = (WEIGHT * dot("w", "x") + n * dot("w", "s")) / (WEIGHT + n)
LAYER = {
    "length": L >= 1,
    "dimension": d >= 3,
    "B > 0": B > 0,
    "norms": sp.And(*(dot(v, v) <= B**2 for v in ("x", "s", "w"))),
    "rounds": every(n, (n >= 0, n <= L), rounds(OUTPUT, n)),
}


def _least(p: Proof) -> Fact:
    """a >= a*, A >= A*, |alpha| <= 1/2 for the layer."""
    return p.use(
        "least-weight-of-curves",
        {a: WEIGHT, first: dot("w", "x"), A: dot("w", "s")},
        p.given["length"],
        p.given["rounds"],
        p.given["dimension"],
    )


def _value(p: Proof) -> None:
    one = sp.Integer(1)
    cauchy = p.use("cauchy-schwarz", {}, vectors={"u": {"w": one}, "v": {"s": one}})
    norms = [p.square({name: one}) for name in ("w", "s")]
    size = p.use("size-of-least-weight", {}, p.given["length"])
    given = [p.given[name] for name in ("length", "norms", "B > 0")]
    p.qed(_least(p), size, cauchy, *norms, *given)


VALUE = Theorem(
    "softmax-value",
    Statement(
        title="Softmax without LayerNorm: the value of a space",
        source="exact-bounds.md, value",
        words="Norms up to B that count to L have B^2 >= A*.",
        integers=(L,),
        vectors=("x", "s", "w"),
        hypotheses=LAYER,
        conclusion=B**2 >= least_value(L),
    ),
    _value,
)


# --- the largest score -------------------------------------------------------------------

X, v = symbols("X v")
_xx, _xs, _ss = dot("x", "x"), dot("x", "s"), dot("s", "s")
_wx, _ws, _ww = dot("w", "x"), dot("w", "s"), dot("w", "w")


def largest(square: Term, value: Term) -> Term:
    """X times the largest score difference: X^2 + sqrt((X^2 - 1/4)(X^2 - A^2)) + A/2."""
    quarter = sp.Rational(1, 4)
    return square**2 + sp.sqrt((square**2 - quarter) * (square**2 - value**2)) + value / 2


def _largest(p: Proof) -> None:
    one = sp.Integer(1)
    known = [p.given["norms"], p.given["boundary"], p.given["value"], p.square({"w": one})]
    along = [p.use("cauchy-schwarz", {}, vectors={"u": {"w": one}, "v": {t: one}}) for t in "xs"]
    nonzero = p.reals(_ww > 0, *known, *along, why="w has a positive inner product with s")
    apart = p.use(
        "cauchy-schwarz",
        {},
        nonzero,
        vectors={"u": {"x": one, "w": -_wx / _ww}, "v": {"s": one, "w": -_ws / _ww}},
        why="the parts of x and s at right angles to w",
    )
    parts = p.reals(
        (_xs * _ww - _wx * _ws) ** 2 <= (_xx * _ww - _wx**2) * (_ss * _ww - _ws**2), apart, nonzero
    )
    room = p.reals(sp.And(_xx * _ww >= _wx**2, _ss * _ww >= _ws**2), *along)
    fits = p.reals(sp.And(X >= _ws, X * _ww >= _ws**2), *known, *along, nonzero)
    squares = (X * _ww - _wx**2) * (X * _ww - _ws**2)
    own = (_xx * _ww - _wx**2) * (_ss * _ww - _ws**2)
    below = p.reals(-_ww * _xs + _wx * _ws <= sp.sqrt(own), parts, room)
    longer = p.reals(sp.sqrt(own) <= sp.sqrt(squares), room, nonzero, fits, p.given["norms"])
    score = p.reals(
        _xx - _xs <= X - _wx * _ws / _ww + sp.sqrt(squares) / _ww,
        below,
        longer,
        nonzero,
        p.given["norms"],
        why="x and s as long as allowed",
    )
    last = sp.sqrt((X**2 - _wx**2) * (X**2 - _ws**2))
    full = p.reals(
        _xx - _xs <= X - _wx * _ws / X + last / X,
        score,
        nonzero,
        fits,
        *known,
        why="and w, too: the bound does not fall with |w|",
    )
    full = p.reals(X * (_xx - _xs) <= X**2 - _wx * _ws + last, full, fits, *known)
    known += [fits]
    smaller = sp.sqrt((X**2 - _wx**2) * (X**2 - v**2))
    value = p.reals(-_wx * _ws + last <= -_wx * v + smaller, *known, why="it does not rise with A")
    edge = sp.sqrt((X**2 - sp.Rational(1, 4)) * (X**2 - v**2))
    boundary = p.reals(-_wx * v + smaller <= v / 2 + edge, *known, why="nor with alpha")
    p.qed(p.reals(X * (_xx - _xs) <= X**2 + v / 2 + edge, full, value, boundary))


LARGEST = Theorem(
    "largest-score",
    Statement(
        title="The largest score difference at given values",
        source="exact-bounds.md, score",
        words="With squared norms up to X, A >= v and |alpha| <= 1/2 the score is bounded.",
        vectors=("x", "s", "w"),
        hypotheses={
            "norms": sp.And(_xx <= X, _ss <= X, _ww <= X),
            "boundary": sp.And(-HALF <= _wx, _wx <= HALF),
            "value": sp.And(v >= HALF, _ws >= v),
        },
        conclusion=X * (_xx - _xs) <= largest(X, v),
    ),
    _largest,
)


def _score(p: Proof) -> None:
    length = p.given["length"]
    size = p.use("size-of-least-weight", {}, length)
    least, value = _least(p), p.use("softmax-value", {}, *p.given.values())
    known = [length, p.given["dimension"], p.given["B > 0"]]
    positive = p.reals(sp.And(least_weight(L) > 0, least_value(L) >= HALF), size, length)
    score = p.use(
        "largest-score",
        {X: B**2, v: least_value(L)},
        p.given["norms"],
        least,
        positive,
    )
    exponent = (_xx - _xs) / sp.sqrt(d)
    inverse = p.axiom("log inverts exp", exponent, facts=[p.given["dimension"]])
    rises = p.axiom(
        "log increases", WEIGHT, least_weight(L), facts=[positive, p.given["dimension"]]
    )
    needed = p.reals(
        _xx - _xs >= sp.sqrt(d) * sp.log(least_weight(L)),
        inverse,
        rises,
        least,
        positive,
        p.given["dimension"],
        why="a = e^(score/sqrt d) >= a*",
    )
    p.qed(needed, score, value, positive, *known)


SCORE = Theorem(
    "softmax-score",
    Statement(
        title="Softmax without LayerNorm: the score of the boundary token",
        source="exact-bounds.md, score",
        words="Norms up to B that count to L >= 4 allow a score difference of sqrt(d) log a*.",
        integers=(L,),
        vectors=("x", "s", "w"),
        hypotheses={**LAYER, "length": L >= 4},
        conclusion=sp.And(
            B**2 >= least_value(L),
            B**2 * sp.sqrt(d) * sp.log(least_weight(L)) <= largest(B**2, least_value(L)),
        ),
    ),
    _score,
)
