"""Table 1, row by row: c1 rate <= B_min <= c2 rate with explicit constants, for all L >= L0.

A lower theorem says that norms up to B that count have B >= c1 rate; an upper one names vectors
of norm at most B = c2 rate that count. The symbols d and L are free in both.
"""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import HALF, Formula, Term, substituted
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs import learned_pre_ln as learned_lower
from proofs import learned_pre_ln_reached as learned
from proofs import linear, pre_ln, published_post_ln, sharp_constant, softmax
from proofs.post_ln import bound
from proofs.post_ln_vectors import ww
from proofs.terms import B, L, d, least_value, least_weight, m, n

# --- linear attention: Theta(1) in L -----------------------------------------------------

LINEAR_LOWER = Theorem(
    "table-1-linear-lower",
    Statement(
        title="Table 1, linear attention: from below",
        source="arXiv 2610.16653, Table 1",
        words="B_min >= (d/4)^(1/8) for L >= 2.",
        integers=(L,),
        vectors=("x", "s", "w"),
        hypotheses=linear.ROUND.statement.hypotheses,
        conclusion=4 * B**8 >= d,
    ),
    lambda p: p.qed(
        p.use("linear-rounding", {}, *p.given.values()),
        p.reals((1 - 1 / L) ** 3 >= sp.Rational(1, 8), p.given["length"]),
        p.given["length"],
        p.given["dimension"],
    ),
)

_EXCESS = {linear.excess: 1 / (1 - 1 / L) ** 3 - 1}


def _linear_upper(p: Proof) -> None:
    given = list(p.given.values())
    share = p.reals(
        sp.And((1 - 1 / L) ** 3 >= HALF, (1 - 1 / L) ** 3 < 1, 1 - 1 / L > 0), p.given["length"]
    )
    p.qed(p.use("linear-rounding-reached", _EXCESS, share, *given))


LINEAR_UPPER = Theorem(
    "table-1-linear-upper",
    Statement(
        title="Table 1, linear attention: from above",
        source="arXiv 2610.16653, Table 1",
        words="B = (2 d)^(1/8) counts to every L >= 5, so B_min <= (2 d)^(1/8).",
        integers=(L, n, m),
        hypotheses={
            "length": L >= 5,
            **linear.BASIC,
            "inputs": linear.INPUTS,
            "bound": sp.Eq(B**8, 2 * d),
        },
        conclusion=substituted(linear.ROUND_REACHED.statement.conclusion, _EXCESS),
    ),
    _linear_upper,
)

SPHERE_LOWER = Theorem(
    "table-1-linear-pre-ln-lower",
    Statement(
        title="Table 1, linear attention in pre-LN: from below",
        source="arXiv 2610.16653, Table 1",
        words="B_min >= 1/(2 d) for L >= 2.",
        integers=(L,),
        vectors=("x", "s", "w"),
        hypotheses=linear.ROUND_SPHERE.statement.hypotheses,
        conclusion=2 * B * d >= 1,
    ),
    lambda p: p.qed(p.use("linear-pre-ln-rounding", {}, *p.given.values()), p.given["length"]),
)

_SPHERE = {
    linear.excess: 1 / L,
    linear.cosine: (HALF - 1 / L / (2 * (1 + 2 / L))) / (B * d),
}

SPHERE_UPPER = Theorem(
    "table-1-linear-pre-ln-upper",
    Statement(
        title="Table 1, linear attention in pre-LN: from above",
        source="arXiv 2610.16653, Table 1",
        words="B = (3/2 - 1/L)/d counts to every L >= 2, so B_min <= 3/(2 d).",
        integers=(L, n, m),
        hypotheses={
            "length": L >= 2,
            **linear.BASIC,
            "inputs": linear.INPUTS,
            "bound": sp.Eq(B * d, sp.Rational(3, 2) - 1 / L),
        },
        conclusion=substituted(linear.SPHERE_REACHED.statement.conclusion, _SPHERE),
    ),
    lambda p: p.qed(p.use("linear-pre-ln-rounding-reached", _SPHERE, *p.given.values())),
)

# --- softmax: Theta(max(L, d^(1/4) sqrt(log L))) -----------------------------------------


def _softmax_lower(p: Proof) -> None:
    given = [p.given[name] for name in ("length", "dimension", "B > 0")]
    size = p.use("size-of-least-weight", {}, p.given["length"])
    score = p.use("softmax-score", {}, *p.given.values())
    long = p.reals(5 * B**2 >= L**2, score, size, *given)
    weight = p.reals(
        sp.And(least_weight(L) >= sp.sqrt(L), least_weight(L) > 0, sp.sqrt(L) > 0),
        p.reals(least_weight(L) >= L / 2, size, *given),
        p.reals(sp.sqrt(L) <= L / 2, *given),
        *given,
    )
    root = p.axiom("log of a product", sp.sqrt(L), sp.sqrt(L), facts=[weight, *given])
    rises = p.axiom("log increases", least_weight(L), sp.sqrt(L), facts=[weight, *given])
    logs = p.reals(2 * sp.log(least_weight(L)) >= sp.log(L), root, rises, weight, *given)
    value, square = least_value(L), B**2
    most = p.reals(
        softmax.largest(square, value) <= sp.Rational(5, 2) * square**2,
        p.reals(sp.And(square >= value, value >= 5), score, size, *given),
    )
    enough = p.reals(
        sp.sqrt(d) * sp.log(least_weight(L)) <= sp.Rational(5, 2) * square,
        p.reals(
            square * (sp.sqrt(d) * sp.log(least_weight(L))) <= square * sp.Rational(5, 2) * square,
            score,
            most,
        ),
        p.reals(square > 0, *given),
        *given,
    )
    p.qed(
        long,
        p.reals(
            sp.sqrt(d) * sp.log(L) <= 5 * square,
            enough,
            p.reals(
                2 * sp.sqrt(d) * sp.log(least_weight(L)) >= sp.sqrt(d) * sp.log(L), logs, *given
            ),
        ),
    )


SOFTMAX_LOWER = Theorem(
    "table-1-softmax-lower",
    Statement(
        title="Table 1, softmax: from below",
        source="arXiv 2610.16653, Table 1",
        words="B_min >= max(L, d^(1/4) sqrt(log L))/sqrt(5) for L >= 4.",
        integers=(L,),
        vectors=("x", "s", "w"),
        hypotheses=softmax.SCORE.statement.hypotheses,
        conclusion=sp.And(L**2 <= 5 * B**2, sp.sqrt(d) * sp.log(L) <= 5 * B**2),
    ),
    _softmax_lower,
)


def _softmax_upper(p: Proof) -> None:
    given = [p.given[name] for name in ("length", "dimension", "B > 0", "inputs")]
    root = p.reals(sp.And(softmax.ROOT > 0, softmax.ROOT <= L), p.given["length"])
    rises = p.axiom("log increases", L, softmax.ROOT, facts=[root, *given])
    p.qed(
        p.use(
            "softmax-published",
            {},
            p.reals(softmax.ROOT + 1 / sp.sqrt(2) <= L, p.given["length"]),
            p.reals(L <= B, p.given["norm"], *given),
            p.reals(
                B**2 >= 2 * sp.sqrt(d) * sp.log(softmax.ROOT),
                p.given["score"],
                p.reals(sp.log(softmax.ROOT) <= sp.log(L), rises, root),
                *given,
            ),
            *given,
        )
    )


SOFTMAX_UPPER = Theorem(
    "table-1-softmax-upper",
    Statement(
        title="Table 1, softmax: from above",
        source="arXiv 2610.16653, Table 1",
        words="Every B >= sqrt(2) max(L, d^(1/4) sqrt(log L)) counts to L >= 2.",
        integers=(L, n, m),
        hypotheses={
            "length": L >= 2,
            "dimension": d >= 3,
            "B > 0": B > 0,
            "inputs": sp.And(n >= 0, m >= 0, n + m <= L),
            "norm": B**2 >= 2 * L**2,
            "score": B**2 >= 2 * sp.sqrt(d) * sp.log(L),
        },
        conclusion=softmax.PUBLISHED_COUNTS.statement.conclusion,
    ),
    _softmax_upper,
)

# --- learned pre-LN: Theta(L/d^(1/4)) ----------------------------------------------------


def _learned_upper(p: Proof) -> None:
    given = list(p.given.values())
    size = p.use("size-of-least-weight", {}, p.given["length"])
    root = p.reals(learned.K >= sp.sqrt(d), p.given["K"], p.given["dimension"])
    value = p.reals(2 * learned.value <= L**2, size, p.given["length"])
    p.qed(
        p.reals(
            2 * B**2 * sp.sqrt(d) <= 5 * L**2,
            p.reals(sp.Eq(B**2 * learned.K, 5 * learned.value), *given),
            p.reals(B**2 * sp.sqrt(d) <= B**2 * learned.K, root),
            value,
        ),
        p.use("learned-pre-ln-reached", {}, *given),
    )


LEARNED_UPPER = Theorem(
    "table-1-softmax-pre-ln-learned-upper",
    Statement(
        title="Table 1, learned pre-LN: from above",
        source="arXiv 2610.16653, Table 1",
        words="Some B <= sqrt(5/2) L/d^(1/4) counts to L >= 4.",
        integers=(L, n, m),
        hypotheses=learned.REACHED.statement.hypotheses,
        conclusion=sp.And(2 * B**2 * sp.sqrt(d) <= 5 * L**2, learned.REACHED.statement.conclusion),
    ),
    _learned_upper,
)


def _learned_lower(p: Proof) -> None:
    given = list(p.given.values())
    size = p.use("size-of-least-weight", {}, p.given["length"])
    value = p.use("learned-pre-ln-value", {}, *given)
    root = p.reals(
        1 + sp.sqrt(d - 1) <= sp.sqrt(2) * sp.sqrt(d),
        p.reals((1 + sp.sqrt(d - 1)) ** 2 <= 2 * d, p.given["dimension"]),
        p.given["dimension"],
    )
    p.qed(
        p.reals(
            L**2 / 4 <= sp.sqrt(2) * sp.sqrt(d) * B**2,
            value,
            p.reals((1 + sp.sqrt(d - 1)) * B**2 <= sp.sqrt(2) * sp.sqrt(d) * B**2, root),
            p.reals(least_value(L) >= L**2 / 4, size, p.given["length"]),
        )
    )


LEARNED_LOWER = Theorem(
    "table-1-softmax-pre-ln-learned-lower",
    Statement(
        title="Table 1, learned pre-LN: from below",
        source="arXiv 2610.16653, Table 1",
        words="B_min^2 >= L^2/(4 sqrt(2) sqrt(d)), so B_min >= (2/5) L/d^(1/4), for L >= 1.",
        integers=(L,),
        entries=learned_lower.ENTRIES,
        hypotheses=learned_lower.LAYER,
        conclusion=L**2 / 4 <= sp.sqrt(2) * sp.sqrt(d) * B**2,
    ),
    _learned_lower,
)

# --- bare pre-LN: a cap of Theta(e^sqrt(d)) ----------------------------------------------

_e = sp.exp(sp.sqrt(d))


def _square(p: Proof) -> list[Fact]:
    """e^(2 sqrt d) is the square of e^sqrt(d), which is above 2."""
    known = [p.given[name] for name in ("length", "dimension")]
    above = p.axiom("exp lies above its tangent", sp.sqrt(d), facts=known)
    return [
        *known,
        p.axiom("exp of a sum", 2 * sp.sqrt(d), sp.sqrt(d), facts=known),
        p.reals(_e > 2, above, p.given["dimension"]),
    ]


def _cap_lower(p: Proof) -> None:
    size = p.use("size-of-least-weight", {}, p.given["length"])
    p.qed(size, p.given["short"], *_square(p))


CAP_LOWER = Theorem(
    "table-1-softmax-pre-ln-lower",
    Statement(
        title="Table 1, bare pre-LN: lengths below the cap",
        source="arXiv 2610.16653, Table 1",
        words="L <= 2 e^sqrt(d) has a* < e^(2 sqrt(d)), which by cap-is-reached is enough.",
        integers=(L,),
        hypotheses={"length": L >= 1, "dimension": d >= 3, "short": L <= 2 * _e},
        conclusion=least_weight(L) < sp.exp(2 * sp.sqrt(d)),
    ),
    _cap_lower,
)


def _cap_upper(p: Proof) -> None:
    size = p.use("size-of-least-weight", {}, p.given["length"])
    p.qed(p.use("cap-is-needed", {}, *p.given.values()), size, *_square(p))


CAP_UPPER = Theorem(
    "table-1-softmax-pre-ln-upper",
    Statement(
        title="Table 1, bare pre-LN: lengths beyond the cap",
        source="arXiv 2610.16653, Table 1",
        words="Whatever the norm, parameters that count to L have L < 2 e^sqrt(d) + 2.",
        integers=(L,),
        vectors=pre_ln.VECTORS,
        hypotheses=pre_ln.LAYER,
        conclusion=L < 2 * _e + 2,
    ),
    _cap_upper,
)

# --- post-LN: Theta(L^(3/2)/sqrt(d)) and Theta(L^(3/4)/d^(1/4)) --------------------------


def _post_lower(p: Proof, width: Term) -> None:
    given = [p.given[name] for name in ("dimension", "a > 0", "valid", "rounds")]
    length, size = p.given["length"], p.given["norm"]
    positive = p.square({"w": sp.Integer(1)})
    wide = p.reals(
        sp.And(width > 0, width**2 >= d * ww), size, positive, p.given["B > 0"], given[0]
    )
    sharp = p.use(
        "post-ln-sharp-lower-bound", {bound: width}, *given, wide, p.reals(L >= 6, length)
    )
    far = p.reals(L**2 * (L - 5) >= L**3 / 2, length)
    p.qed(p.reals(64 * width**2 > L**3, sharp, far), p.given["B > 0"], given[0])


def _post_row(name: str, title: str, words: str, width: Term, norm: Formula) -> Theorem:
    rounds_ = {key: formula for key, formula in sharp_constant.ROUNDS.items() if key != "kappa"}
    return Theorem(
        name,
        Statement(
            title=title,
            source="arXiv 2610.16653, Table 1",
            words=words,
            integers=(L,),
            vectors=("w", "x", "s"),
            hypotheses={"length": L >= 10, "B > 0": B > 0, **rounds_, "norm": norm},
            conclusion=64 * width**2 > L**3,
        ),
        lambda p: _post_lower(p, width),
    )


POST_LOWER = _post_row(
    "table-1-softmax-post-ln-lower",
    "Table 1, bare post-LN: from below",
    "d B^2 > L^3/64, so B_min >= L^(3/2)/(8 sqrt(d)) for L >= 10; w is P w.",
    sp.sqrt(d) * B,
    ww <= B**2,
)
POST_LEARNED_LOWER = _post_row(
    "table-1-softmax-post-ln-learned-lower",
    "Table 1, learned post-LN: from below",
    "(d - 1) B^4 > L^3/64, so B_min >= L^(3/4)/(8 sqrt(d))^(1/2) for L >= 10; w is P(w o g), which "
    "gain-times-read-out bounds, and tau is any offset.",
    sp.sqrt(d - 1) * B**2,
    ww <= (1 - 1 / d) * B**4,
)


def _post_upper(name: str, title: str, words: str, wide: Formula, source: Theorem) -> Theorem:
    statement = source.statement
    return Theorem(
        name,
        Statement(
            title=title,
            source="arXiv 2610.16653, Table 1",
            words=words,
            integers=statement.integers,
            hypotheses={**statement.hypotheses, "wide": wide},
            conclusion=statement.conclusion,
        ),
        lambda p: p.qed(
            p.use(
                source.name,
                {},
                p.reals(statement.hypotheses["wide"], *p.given.values()),
                *p.given.values(),
            )
        ),
    )


POST_UPPER = _post_upper(
    "table-1-softmax-post-ln-upper",
    "Table 1, bare post-LN: from above",
    "B = L^(3/2)/sqrt(d) counts to L.",
    sp.Eq(B**2, L**3 / d),
    published_post_ln.BARE,
)
POST_LEARNED_UPPER = _post_upper(
    "table-1-softmax-post-ln-learned-upper",
    "Table 1, learned post-LN: from above",
    "B = 2^(1/4) L^(3/4)/d^(1/4) counts to L.",
    sp.Eq(B**4, 2 * L**3 / d),
    published_post_ln.LEARNED,
)
