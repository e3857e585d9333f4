"""Softmax attention without LayerNorm: both sides of B_min, for all L and d.

The vectors are x (boundary), s (space), l (letter) and w (read-out).
"""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import HALF, Term, dot, every, substituted, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs import polytope
from proofs.polytope import (
    A,
    a,
    alpha,
    beta,
    delta,
    eps,
    first,
    near_vertex,
    other,
    own,
    read_first,
    read_space,
)
from proofs.terms import (
    B,
    L,
    d,
    inner,
    least_value,
    least_weight,
    m,
    n,
    output_of,
    rounds,
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


# --- the construction --------------------------------------------------------------------

r, sigma, lam, mu = symbols("r sigma lambda mu")


_weight, _boundary, _space = near_vertex(eps)
TOKENS = {
    "boundary": [r, _boundary / B],
    "space": [-sigma, _space / B],
    "letter": [-lam, mu / B],
    "readout": [sp.Integer(0), B],
}
CONSTRUCTED = output_of(TOKENS, d)
_INPUTS = {"length": L >= 1, "inputs": sp.And(n >= 0, m >= 0, n + m <= L)}


def _construction(p: Proof) -> None:
    given = [p.given[name] for name in ("length", "dimension", "B > 0", "slack", "positive")]
    x, s, letter, w = TOKENS.values()
    exponents = (
        (inner(x, x) - inner(x, s)) / sp.sqrt(d),
        (inner(x, letter) - inner(x, s)) / sp.sqrt(d),
    )
    p.qed(
        p.use(
            "layers-near-the-vertex",
            {
                own: exponents[0],
                other: exponents[1],
                alpha: inner(w, letter),
                read_first: inner(w, x),
                read_space: inner(w, s),
            },
            p.reals(sp.Eq(exponents[0], sp.log(_weight)), p.given["score"], *given),
            p.reals(exponents[1] <= 0, p.given["letter"], *given),
            p.given["letter value"],
            p.given["inputs"],
            *given,
        ),
        *given,
    )


CONSTRUCTION = Theorem(
    "softmax-construction",
    Statement(
        title="Softmax without LayerNorm: vectors in a plane that count",
        source="exact-bounds.md, score",
        words="If the score is that of the vertex and the letter's is no larger, it counts.",
        integers=(L, n, m),
        hypotheses={
            **_INPUTS,
            "dimension": d >= 3,
            "B > 0": B > 0,
            "slack": eps > 0,
            "positive": _weight > 0,
            "score": sp.Eq(
                inner(TOKENS["boundary"], TOKENS["boundary"])
                - inner(TOKENS["boundary"], TOKENS["space"]),
                sp.sqrt(d) * sp.log(_weight),
            ),
            "letter value": sp.And(-HALF <= mu, mu <= HALF),
            "letter": inner(TOKENS["boundary"], TOKENS["letter"])
            <= inner(TOKENS["boundary"], TOKENS["space"]),
        },
        conclusion=rounds(CONSTRUCTED, n),
    ),
    _construction,
)


# --- reached where norms are the limit ---------------------------------------------------

SQUARE = sp.sqrt(d) * sp.log(_weight) - _boundary**2 / B**2 + _boundary * _space / B**2
NORMS = sp.And(*(inner(token, token) <= B**2 for token in TOKENS.values()))


def _log_bounds(p: Proof, *facts: Fact) -> tuple[Fact, Fact]:
    """log(a* + 2 eps) <= log(a*) + 2 eps/a*, and log(a) >= 1 - 1/a."""
    least, ratio = least_weight(L), _weight / least_weight(L)
    product = p.axiom("log of a product", least, ratio, facts=facts)
    tangent = p.axiom("log lies below its tangent", ratio, facts=facts)
    inverse = p.axiom("log of a product", _weight, 1 / _weight, facts=facts)
    below = p.axiom("log lies below its tangent", 1 / _weight, facts=facts)
    return (
        p.reals(sp.log(_weight) <= sp.log(least) + 2 * eps / least, product, tangent, *facts),
        p.reals(sp.log(_weight) >= 1 - 1 / _weight, inverse, below, *facts),
    )


def _norm_reached(p: Proof) -> None:
    given = [p.given[name] for name in ("length", "dimension", "B > 0", "bound", "slack")]
    size = p.use("size-of-least-weight", {}, p.given["length"])
    root = p.reals(sp.And(sp.sqrt(d) >= sp.Rational(17, 10)), p.given["dimension"])
    least = p.reals(sp.And(least_weight(L) >= 2), size, p.given["length"])
    value = p.reals(sp.And(least_value(L) >= 5, B**2 >= 5), least, *given)
    excess = B**2 - least_value(L)
    slack = p.reals(
        sp.And(eps > 0, 2 * eps <= excess, eps * (2 * sp.sqrt(d) + 1) <= excess / 2),
        root,
        *given,
    )
    basic = [root, least, value, slack, p.given["B > 0"], p.given["dimension"]]
    upper, lower = _log_bounds(p, *basic)
    alpha_ = p.reals(
        sp.And(_boundary >= -HALF, _boundary <= 0, _boundary <= -HALF + eps / 2), *basic
    )
    product = -_boundary * _space / B**2
    share = p.reals(
        sp.And(_space >= 0, _space / B**2 <= 1, _space / B**2 >= 1 - excess / B**2), *basic
    )
    cross = p.reals(
        sp.And(product <= HALF, product >= HALF - eps / 2 - excess / (2 * B**2)), alpha_, share
    )
    square = p.reals(sp.And(_boundary**2 / B**2 <= sp.Rational(1, 20)), alpha_, *basic)
    score = sp.sqrt(d) * sp.log(_weight)
    enough = p.reals(score >= sp.Rational(17, 20), lower, *basic)
    within = p.reals(
        score <= B**2 + product,
        p.reals(sp.sqrt(d) * eps * 2 / least_weight(L) <= sp.sqrt(d) * eps, *basic),
        p.reals(
            score <= sp.sqrt(d) * (sp.log(least_weight(L)) + 2 * eps / least_weight(L)),
            upper,
            *basic,
        ),
        p.reals(excess / (2 * B**2) <= excess / 2, *basic),
        p.given["regime"],
        cross,
        *basic,
        why="the score fits into the norm",
    )
    radius = p.reals(SQUARE >= sp.Rational(1, 4), enough, cross, square)
    root = p.reals(sp.sqrt(SQUARE) >= HALF, radius)
    letter = p.reals(-B * sp.sqrt(SQUARE) <= -product, root, cross, *basic)
    images = {r: sp.sqrt(SQUARE), sigma: sp.Integer(0), lam: B, mu: sp.Integer(0)}
    counts = p.use("softmax-construction", images, radius, letter, *p.given.values(), *basic)
    norms = p.reals(
        substituted(NORMS, images), radius, within, share, *basic, why="every vector fits"
    )
    p.qed(p.reals(SQUARE >= 0, radius), norms, counts)


NORM_REACHED = Theorem(
    "softmax-norm-reached",
    Statement(
        title="Softmax without LayerNorm: every norm above sqrt(A*) is enough",
        source="exact-bounds.md, value",
        words="Where A* + 1/2 >= sqrt(d) log a*, every B above sqrt(A*) counts to L >= 4.",
        integers=(L, n, m),
        hypotheses={
            **_INPUTS,
            "length": L >= 4,
            "dimension": d >= 3,
            "B > 0": B > 0,
            "positive": least_weight(L) > 0,
            "regime": sp.sqrt(d) * sp.log(least_weight(L)) <= least_value(L) + HALF,
            "bound": B**2 > least_value(L),
            "slack": sp.Eq(eps, (B**2 - least_value(L)) / (2 * (2 * sp.sqrt(d) + 1))),
            "weight": _weight > 0,
        },
        conclusion=sp.And(
            SQUARE >= 0,
            substituted(
                sp.And(NORMS, rounds(CONSTRUCTED, n)),
                {r: sp.sqrt(SQUARE), sigma: 0, lam: B, mu: 0},
            ),
        ),
    ),
    _norm_reached,
)


# --- reached where the score is the limit ------------------------------------------------

gap, e, al, val = symbols("G e alpha A")


def _room(p: Proof) -> None:
    given = list(p.given.values())
    excess = X**2 - v**2
    loss = 4 * e * (v + 1) / excess
    value = p.reals(-al * val >= v / 2 - e * X / 2, *given)
    known = [p.given["value"], p.given["slack"]]
    rest = p.reals(
        sp.And(X**2 - val**2 >= excess * (1 - loss), excess > 0, loss >= 0, loss <= 1), *given
    )
    boundary = p.reals(sp.And(X**2 - al**2 >= X**2 - sp.Rational(1, 4)), *given)
    full = sp.sqrt((X**2 - sp.Rational(1, 4)) * excess)
    large = p.reals(full <= X**2, *known, rest)
    share, here = p.define("t", loss, rest)
    root = p.reals(
        sp.sqrt((X**2 - al**2) * (X**2 - val**2)) >= full * (1 - share),
        p.reals(
            (X**2 - al**2) * (X**2 - val**2) >= (X**2 - sp.Rational(1, 4)) * excess * (1 - share),
            p.reals(X**2 - val**2 >= excess * (1 - share), rest, here),
            p.reals(
                sp.And(excess * (1 - share) >= 0, X**2 >= sp.Rational(1, 4)), rest, here, *known
            ),
            boundary,
        ),
        p.reals(sp.And(share >= 0, share <= 1), rest, here),
        p.reals((X**2 - sp.Rational(1, 4)) * excess >= 0, rest, *known),
        why="sqrt(1 - t) >= 1 - t",
    )
    product = p.reals(
        full * (1 - share) >= full - X**2 * share, large, p.reals(share >= 0, rest, here)
    )
    p.qed(value, root, product, p.reals(sp.Eq(X**2 * share, X**2 * loss), here, rest), rest, *given)


ROOM = Theorem(
    "score-near-the-vertex",
    Statement(
        title="The largest score hardly falls near the vertex",
        source="exact-bounds.md, score",
        words="A distance e from the vertex costs at most a multiple of e.",
        hypotheses={
            "value": sp.And(v >= 5, X > v),
            "slack": sp.And(e >= 0, e <= 1, 4 * e * (v + 1) <= X**2 - v**2),
            "boundary": sp.And(al >= -HALF, al <= 0, al <= -HALF + e / 2),
            "space": sp.Eq(val, v + 2 * e),
        },
        conclusion=X**2 - al * val + sp.sqrt((X**2 - al**2) * (X**2 - val**2))
        >= largest(X, v) - e * X * (HALF + 4 * X * (v + 1) / (X**2 - v**2)),
    ),
    _room,
)


score = symbols("S")
_rest = score - al**2 / X + al * val / X


def _solution(p: Proof) -> None:
    basic = [p.given["square"], p.given["boundary"], p.given["space"]]
    small = p.reals(
        sp.And(al**2 / X <= sp.Rational(1, 20), al * val / X >= -HALF, al * val / X <= 0), *basic
    )
    enough = p.reals(_rest >= X - sp.Rational(31, 20), p.given["enough"], small)
    known = [p.given["sigma"], p.given["r"], p.reals(sigma >= 0, p.given["sigma"]), enough, *basic]
    root = p.reals(sp.sqrt(sigma**2 + 4 * _rest) >= sigma, *known)
    nonnegative = p.reals(r >= 0, p.given["r"], root)
    solves = p.reals(sp.Eq(r**2 + r * sigma, _rest), *known)
    width = sp.sqrt(X - al**2 / X)
    most = p.reals(
        sp.And(
            _rest <= width**2 + width * sigma,
            width >= 0,
        ),
        p.reals(
            score <= X - al * val / X + sp.sqrt((X**2 - al**2) * (X**2 - val**2)) / X,
            p.given["score"],
            *basic,
        ),
        p.reals(
            sp.Eq(width * sigma, sp.sqrt((X**2 - al**2) * (X**2 - val**2)) / X),
            p.given["sigma"],
            *basic,
        ),
        p.reals(sp.Eq(width**2, X - al**2 / X), *basic),
        p.given["sigma"],
        *basic,
    )
    sign = p.reals(sigma >= 0, *known)
    within = p.reals(r <= width, most, solves, nonnegative, sign)
    norm = p.reals(r**2 + al**2 / X <= X, within, nonnegative, *basic)
    long = p.reals(
        sp.And(lam <= sp.sqrt(X), sigma <= sp.sqrt(X), lam + sigma > 0),
        known[0],
        p.given["lambda"],
        *basic,
    )
    apart = p.reals(
        (lam - sigma) * 2 * sp.sqrt(X) >= (val**2 - sp.Rational(1, 4)) / X,
        p.reals(
            sp.Eq(lam**2 - sigma**2, (val**2 - sp.Rational(1, 4)) / X), *known, p.given["lambda"]
        ),
        long,
        *basic,
    )
    radius = p.reals(
        r * 2 * sp.sqrt(X) >= _rest,
        solves,
        long,
        sign,
        nonnegative,
        p.reals(r <= sp.sqrt(X), norm, nonnegative, *basic),
        p.given["square"],
    )
    product = p.reals(
        r * (lam - sigma) * 4 * X >= _rest * (val**2 - sp.Rational(1, 4)) / X,
        apart,
        radius,
        p.reals((val**2 - sp.Rational(1, 4)) / X >= 0, *basic),
        p.reals(_rest >= 0, enough, *basic),
        p.given["square"],
    )
    letter = p.reals(
        -r * lam + al / (2 * X) <= -r * sigma + al * val / X,
        product,
        p.reals(
            _rest * (val**2 - sp.Rational(1, 4)) / X >= 2 * (val - HALF),
            p.reals(_rest * (val + HALF) >= 2 * X, enough, *basic),
            *basic,
        ),
        *basic,
    )
    p.qed(nonnegative, solves, norm, letter, sign)


SOLUTION = Theorem(
    "score-in-a-plane",
    Statement(
        title="Two vectors in a plane with a given score, and a letter beside them",
        source="exact-bounds.md, score",
        words="A score up to the largest is reached within the norm, and so is a letter's.",
        hypotheses={
            "square": X >= 5,
            "boundary": sp.And(al >= -HALF, al <= 0),
            "space": sp.And(val >= 5, val <= X),
            "enough": score >= X - 1,
            "score": X * score <= X**2 - al * val + sp.sqrt((X**2 - al**2) * (X**2 - val**2)),
            "sigma": sp.Eq(sigma, sp.sqrt(X - val**2 / X)),
            "positive": _rest >= 0,
            "r": sp.Eq(r, (sp.sqrt(sigma**2 + 4 * _rest) - sigma) / 2),
            "lambda": sp.Eq(lam, sp.sqrt(X - 1 / (4 * X))),
        },
        conclusion=sp.And(
            r >= 0,
            sigma >= 0,
            sp.Eq(r**2 + r * sigma, _rest),
            r**2 + al**2 / X <= X,
            -r * lam + al / (2 * X) <= -r * sigma + al * val / X,
        ),
    ),
    _solution,
)


_scores = sp.sqrt(d) * sp.log(_weight)
_excess = B**4 - least_value(L) ** 2
_loss = 1 + sp.sqrt(d) + 4 * B**2 * (least_value(L) + 1) / _excess
_sigma = sp.sqrt(B**2 - _space**2 / B**2)
_rest_here = _scores - _boundary**2 / B**2 + _boundary * _space / B**2
PLANE = {
    r: (sp.sqrt(_sigma**2 + 4 * _rest_here) - _sigma) / 2,
    sigma: _sigma,
    lam: sp.sqrt(B**2 - 1 / (4 * B**2)),
    mu: HALF,
}


def _score_reached(p: Proof) -> None:
    given = [p.given[name] for name in ("length", "dimension", "B > 0")]
    size = p.use("size-of-least-weight", {}, p.given["length"])
    least = p.reals(least_weight(L) >= 2, size, p.given["length"])
    value = p.reals(least_value(L) >= sp.Rational(11, 2), least, p.given["length"])
    bound = p.given["bound"]
    basic = [least, value, bound, *given]
    excess = p.reals(
        sp.And(_excess > 0, B**2 >= 5, sp.sqrt(d) >= 1), value, bound, p.given["dimension"]
    )
    range_ = p.given["range"]
    slack = p.reals(
        sp.And(eps > 0, eps <= 1, eps * _loss <= gap, 4 * eps * (least_value(L) + 1) <= _excess),
        p.given["slack"],
        p.reals(_loss > 0, excess, *basic),
        range_,
        excess,
        *basic,
    )
    basic += [excess, slack]
    near, _ = _log_bounds(p, least, slack)
    above = p.axiom("log increases", _weight, least_weight(L), facts=[least, slack])
    alpha_ = p.reals(
        sp.And(_boundary >= -HALF, _boundary <= 0, _boundary <= -HALF + eps / 2), least, slack
    )
    product = -_boundary * _space / B**2
    room = p.use(
        "score-near-the-vertex",
        {X: B**2, v: least_value(L), e: eps, al: _boundary, val: _space},
        alpha_,
        *basic,
    )
    top = largest(B**2, least_value(L))
    at_most = p.reals(
        _scores <= top / B**2 - gap + sp.sqrt(d) * eps,
        p.reals(
            _scores <= sp.sqrt(d) * sp.log(least_weight(L)) + sp.sqrt(d) * eps,
            p.reals(sp.log(_weight) <= sp.log(least_weight(L)) + eps, near, least, slack),
            p.given["dimension"],
        ),
        p.given["gap"],
        *basic,
    )
    at_least = p.reals(
        _scores >= B**2 - 1,
        p.reals(
            _scores >= sp.sqrt(d) * sp.log(least_weight(L)),
            p.reals(sp.log(_weight) >= sp.log(least_weight(L)), above, slack),
            p.given["dimension"],
        ),
        p.reals(top / B**2 >= B**2, *basic),
        p.given["gap"],
        range_,
        *basic,
    )
    fits = p.reals(
        B**2 * _scores
        <= B**4 - _boundary * _space + sp.sqrt((B**4 - _boundary**2) * (B**4 - _space**2)),
        room,
        p.reals(B**2 * _scores <= top - B**2 * (gap - sp.sqrt(d) * eps), at_most, given[2]),
        p.reals(
            eps * B**2 * (HALF + 4 * B**2 * (least_value(L) + 1) / _excess)
            <= B**2 * (gap - sp.sqrt(d) * eps),
            slack,
            excess,
        ),
        why="the loss near the vertex is at most the gap",
    )
    space = p.reals(sp.And(_space >= 5, _space <= B**2), slack, value, bound, excess)
    rest = p.reals(
        _rest_here >= 0,
        p.reals(product <= HALF, alpha_, space, *given),
        p.reals(_boundary**2 / B**2 <= HALF, alpha_, excess),
        at_least,
        excess,
    )
    below = p.reals(_sigma**2 >= 0, space, excess)
    rest = p.reals(sp.And(_rest_here >= 0, _sigma**2 + 4 * _rest_here >= 0), rest, below)
    plane = p.use(
        "score-in-a-plane",
        {X: B**2, al: _boundary, val: _space, score: _scores, **PLANE},
        alpha_,
        space,
        rest,
        at_least,
        fits,
        below,
        *basic,
    )
    known = [plane, rest, below, *basic]
    counts = p.use("softmax-construction", PLANE, *known, *p.given.values())
    norms = p.reals(substituted(NORMS, PLANE), *known, why="every vector fits")
    p.qed(rest, norms, counts)


SCORE_REACHED = Theorem(
    "softmax-score-reached",
    Statement(
        title="Softmax without LayerNorm: every bound just above the score's root is enough",
        source="exact-bounds.md, score",
        words="If the largest score at B exceeds sqrt(d) log a*, by at most 1, then B counts.",
        integers=(L, n, m),
        hypotheses={
            **_INPUTS,
            "length": L >= 4,
            "dimension": d >= 3,
            "B > 0": B > 0,
            "positive": least_weight(L) > 0,
            "bound": B**2 > least_value(L),
            "gap": sp.Eq(
                gap,
                largest(B**2, least_value(L)) / B**2 - sp.sqrt(d) * sp.log(least_weight(L)),
            ),
            "range": sp.And(gap > 0, gap <= 1),
            "slack": sp.Eq(eps, 1 / (1 + _loss / gap + 4 * (least_value(L) + 1) / _excess)),
            "weight": _weight > 0,
        },
        conclusion=sp.And(
            _rest_here >= 0, substituted(sp.And(NORMS, rounds(CONSTRUCTED, n)), PLANE)
        ),
    ),
    _score_reached,
)


# --- the published construction ----------------------------------------------------------

ROOT = (2 - sp.sqrt(2)) * L
PUBLISHED = {
    "boundary": [sp.sqrt(2 * sp.sqrt(d) * sp.log(ROOT)), sp.Integer(0)],
    "space": [sp.Integer(0), ROOT + 1 / sp.sqrt(2)],
    "letter": [-sp.sqrt(2 * sp.sqrt(d) * sp.log(ROOT)), sp.Integer(0)],
    "readout": [sp.Integer(0), ROOT + 1 / sp.sqrt(2)],
}


def _published(p: Proof) -> None:
    given = [p.given["length"], p.given["dimension"]]
    root = p.reals(ROOT > 1, p.given["length"])
    grows = p.axiom("log increases", ROOT, sp.Integer(1), facts=[root])
    logarithm = p.reals(sp.log(ROOT) >= 0, grows, root)
    basic = [*given, root, logarithm]
    radius, value = PUBLISHED["boundary"][0], PUBLISHED["space"][1]
    exponent = radius**2 / sp.sqrt(d)
    product = p.axiom("log of a product", ROOT, ROOT, facts=basic)
    score = p.reals(sp.Eq(exponent, sp.log(ROOT**2)), product, *basic)
    weight = p.axiom("exp inverts log", ROOT**2, exponent, facts=[score, *basic])
    falls = p.axiom("exp increases", sp.Integer(0), -exponent, facts=basic)
    sign = p.reals(exponent >= 0, *basic)
    share = p.reals(sp.And(sp.exp(-exponent) > 0, sp.exp(-exponent) <= 1), falls, sign)
    values = {a: sp.exp(exponent), beta: sp.Integer(0), A: value**2}
    inside = substituted(polytope.STRICTLY_INSIDE, values)

    def show(q: Proof, number: Term, conditions: list[Fact]) -> Fact:
        apart = q.no_square(2, number + L, L, why="so n is not L (sqrt 2 - 1)")
        return q.reals(inside.at(number)[1], weight, apart, *conditions, *given)

    counts = p.use(
        "letters-are-free",
        {**values, delta: sp.exp(-exponent), alpha: sp.Integer(0)},
        p.every(inside, show, why="2 (n - sqrt(a/2))^2 > 0 above; n = 0 and n = L below"),
        share,
        *p.given.values(),
    )
    norms = p.reals(
        sp.And(radius**2 <= B**2, value**2 <= B**2), p.given["norm"], p.given["score"], *basic
    )
    p.qed(norms, counts, *basic)


PUBLISHED_COUNTS = Theorem(
    "softmax-published",
    Statement(
        title="The published construction without LayerNorm",
        source="arXiv 2610.16653, Table 3",
        words="It counts to L >= 2 once B >= (2 - sqrt 2) L + 1/sqrt 2 and the score fits.",
        integers=(L, n, m),
        hypotheses={
            **_INPUTS,
            "length": L >= 2,
            "dimension": d >= 3,
            "norm": B >= ROOT + 1 / sp.sqrt(2),
            "score": B**2 >= 2 * sp.sqrt(d) * sp.log(ROOT),
        },
        conclusion=sp.And(
            *(inner(token, token) <= B**2 for token in PUBLISHED.values()),
            rounds(output_of(PUBLISHED, d), n),
        ),
    ),
    _published,
)
