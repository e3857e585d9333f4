"""Bare pre-LN softmax: the tokens' vectors lie on the sphere of radius sqrt(d) in 1-perp.

The vectors are u (boundary), s (space) and w (read-out). Constructions give coordinates along
two orthonormal vectors of 1-perp, which exist as d >= 3; a letter is opposite the boundary.
"""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import HALF, Term, dot, every, substituted, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.polytope import STRICTLY_INSIDE, A, a, alpha, beta, curve, delta, eps, first
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

uu, ss, ww, su, uw, sw = (
    dot(*pair) for pair in (("u", "u"), ("s", "s"), ("w", "w"), ("s", "u"), ("u", "w"), ("s", "w"))
)
WEIGHT = softmax_weight(uu, su, d)
OUTPUT = (WEIGHT * uw + n * sw) / (WEIGHT + n)
ROUNDS = every(n, (n >= 0, n <= L), rounds(OUTPUT, n))
LAYER = {
    "length": L >= 2,
    "dimension": d >= 3,
    "sphere": sp.And(sp.Eq(uu, d), sp.Eq(ss, d)),
    "rounds": ROUNDS,
}
VECTORS = ("u", "s", "w")


def _costs(p: Proof) -> Fact:
    """a >= a*, A >= A*, |alpha_#| <= 1/2 for the layer."""
    values = {a: WEIGHT, first: uw, A: sw}
    known = [p.given[name] for name in ("length", "rounds", "dimension")]
    return p.use("least-weight-of-curves", values, *known)


# --- the cap -----------------------------------------------------------------------------


def _cap_needed(p: Proof) -> None:
    goal, sphere, dimension = (
        p.theorem.statement.conclusion,
        p.given["sphere"],
        p.given["dimension"],
    )
    cost, size = _costs(p), p.use("size-of-least-weight", {}, p.given["length"])
    one = sp.Integer(1)
    opposite = p.square({"u": one, "s": one}, why="|u + s|^2 >= 0")
    exponent, most = WEIGHT.args[0], 2 * sp.sqrt(d)
    score = p.reals(exponent <= most, opposite, sphere, dimension)
    larger = p.axiom("exp increases", exponent, most, facts=[dimension])

    def below(q: Proof, less: Fact) -> Fact:
        return q.reals(goal, less, larger, cost)

    def at_the_cap(q: Proof, equal: Fact) -> Fact:
        zero = q.reals(sp.Eq(uu + 2 * su + ss, 0), equal, sphere, dimension)
        vectors = {"u": {"u": one, "s": one}, "v": {"w": one}}
        cauchy = q.use("cauchy-schwarz", {}, vectors=vectors)
        same = q.reals(sp.Eq(uw + sw, 0), zero, cauchy, why="u_s = -u_#, so alpha_s = -alpha_#")
        known = [same, cost, size, p.given["length"]]
        return q.reals(goal, *known, why="A >= A* > 1/2 >= |alpha_#|: no such case")

    p.qed(p.cases(goal, [exponent < most, sp.Eq(exponent, most)], [below, at_the_cap], score))


CAP_NEEDED = Theorem(
    "cap-is-needed",
    Statement(
        title="The cap of bare pre-LN: beyond it no parameters count",
        source="theory.md, section 6",
        words="Vectors u_#, u_s of norm sqrt(d) and a w of any norm that count to L >= 2 have "
        "a* < exp(2 sqrt(d)); only inputs without letters are used.",
        integers=(L,),
        vectors=VECTORS,
        hypotheses=LAYER,
        conclusion=least_weight(L) < sp.exp(2 * sp.sqrt(d)),
    ),
    _cap_needed,
)


def construction(cos: Term, value: Term, boundary: Term) -> list[list[Term]]:
    """The boundary, a space, a letter and the shortest read-out, by two coordinates each."""
    root, sine = sp.sqrt(d), sp.sqrt(1 - cos**2)
    return [
        [root, sp.Integer(0)],
        [root * cos, root * sine],
        [-root, sp.Integer(0)],
        [boundary / root, (value - boundary * cos) / (root * sine)],
    ]


def readout_norm(cos: Term, value: Term, boundary: Term) -> Term:
    """The squared norm of the shortest w with <w, u_#> = alpha_# and <w, u_s> = A."""
    return (boundary**2 + value**2 - 2 * boundary * value * cos) / (d * (1 - cos**2))


cosine, y = symbols("c y")
INPUTS = sp.And(n >= 0, m >= 0, n + m <= L)
NAMES = "boundary", "space", "letter", "readout"
LAYER_OUTPUT = output_of(dict(zip(NAMES, construction(cosine, A, first), strict=True)), d)
AT_ANGLE = softmax_weight(d, d * cosine, d)


def _construction(p: Proof) -> None:
    names = ("dimension", "angle", "rounds", "length", "inputs")
    dimension, angle, rounding, length, inputs = (p.given[name] for name in names)
    start = p.at(rounding, sp.Integer(0), length, dimension)
    side = p.reals(sp.And(-HALF <= first, first <= HALF), start, dimension, why="n = 0")
    letter = softmax_weight(-d, d * cosine, d)
    score = p.reals(letter.args[0] <= 0, dimension, angle)
    light = p.axiom("exp increases", sp.Integer(0), letter.args[0], facts=[dimension])
    output = p.use(
        "letters-are-free",
        {a: AT_ANGLE, beta: AT_ANGLE * first, delta: letter, alpha: -first},
        *(rounding, length, inputs, dimension, side),
        p.reals(sp.And(letter > 0, letter <= 1), light, score, dimension),
        why="the letter has the value -alpha_#",
    )
    p.qed(output, p.given["output"], dimension, angle)


CONSTRUCTION = Theorem(
    "pre-ln-construction",
    Statement(
        title="Bare pre-LN: whatever rounds without letters is a layer",
        source="theory.md, section 6; exact-bounds.md, Bare pre-LN",
        words="For an angle theta in (0, 180) and alpha_#, A that round n = 0..L strictly at "
        "a = exp(sqrt(d)(1 - cos(theta))), vectors at this angle with u_l = -u_# count to L.",
        integers=(L, n, m),
        hypotheses={
            "length": L >= 1,
            "dimension": d >= 3,
            "angle": sp.And(-1 < cosine, cosine < 1),
            "rounds": substituted(STRICTLY_INSIDE, {a: AT_ANGLE, beta: AT_ANGLE * first}),
            "inputs": INPUTS,
            "output": sp.Eq(y, LAYER_OUTPUT),
        },
        conclusion=rounds(y, n),
    ),
    _construction,
)


def _readout(p: Proof) -> None:
    dimension, angle = p.given["dimension"], p.given["angle"]
    equations = p.theorem.statement.conclusion.args
    p.qed(*(p.identity(*one.args, dimension, angle) for one in equations), dimension, angle)


READOUT = Theorem(
    "pre-ln-readout",
    Statement(
        title="Bare pre-LN: the norms of the construction",
        source="exact-bounds.md, Bare pre-LN",
        words="The construction's u_s lies on the sphere, and |w|^2 is "
        "(alpha_#^2 + A^2 - 2 alpha_# A cos(theta))/(d sin(theta)^2).",
        hypotheses={"dimension": d >= 3, "angle": sp.And(-1 < cosine, cosine < 1)},
        conclusion=sp.And(
            *(
                sp.Eq(inner(vector, vector), norm)
                for vector, norm in zip(
                    construction(cosine, A, first)[1::2],
                    [d, readout_norm(cosine, A, first)],
                    strict=True,
                )
            )
        ),
    ),
    _readout,
)


def _vertex_reached(p: Proof) -> None:
    length, dimension, above, most = (
        p.given[name] for name in ("length", "dimension", "least", "most")
    )
    parameters = [p.given[name] for name in ("angle", "alpha", "A")]
    known = [length, dimension, above, *parameters]
    exponent = AT_ANGLE.args[0]
    weight = p.axiom("exp inverts log", a, exponent, facts=known, why="a = e^(log a)")
    low = p.axiom("log increases", sp.Integer(1), a, facts=[above])
    high = p.axiom("exp increases", exponent, 2 * sp.sqrt(d), facts=[dimension])
    angle = p.reals(
        sp.And(-1 < cosine, cosine < 1), low, high, weight, *known, most, why="1 < a < cap"
    )
    inside = substituted(STRICTLY_INSIDE, {a: AT_ANGLE, beta: AT_ANGLE * first})

    def side(q: Proof, number: Term, conditions: list[Fact]) -> Fact:
        slack = (a - least_weight(L)) / 2
        near = q.use("vertex-of-the-polytope", {n: number, eps: slack}, *known, *conditions)
        return q.reals(inside.at(number)[1], near, weight, *known)

    rounding = p.every(inside, side, why="Lemma 4.2 with epsilon = (a - a*)/2")
    rest = [p.given["inputs"], p.given["output"]]
    p.qed(p.use("pre-ln-construction", {}, *known, angle, rounding, *rest))


PARAMETERS = {
    "angle": sp.Eq(cosine, 1 - sp.log(a) / sp.sqrt(d)),
    "alpha": sp.Eq(first, -least_weight(L) / (2 * a)),
    "A": sp.Eq(A, a + L - HALF),
    "inputs": INPUTS,
    "output": sp.Eq(y, LAYER_OUTPUT),
}

VERTEX_REACHED = Theorem(
    "pre-ln-vertex-is-reached",
    Statement(
        title="Bare pre-LN: the vertex of the polytope is reached",
        source="theory.md, section 6; exact-bounds.md, Bare pre-LN",
        words="For every a with max(a*, 1) < a < exp(2 sqrt(d)) the construction with "
        "cos(theta) = 1 - log(a)/sqrt(d), alpha_# = -a*/(2a), A = a + L - 1/2 counts to L. As a "
        "falls to a* these tend to -1/2 and A*.",
        integers=(L, n, m),
        hypotheses={
            "length": L >= 1,
            "dimension": d >= 3,
            "least": sp.And(a > least_weight(L), a > 1),
            "most": a < sp.exp(2 * sp.sqrt(d)),
            **PARAMETERS,
        },
        conclusion=rounds(y, n),
    ),
    _vertex_reached,
)


def _cap_reached(p: Proof) -> None:
    dimension, length, middle = (p.given[name] for name in ("dimension", "length", "middle"))
    large = p.axiom("exp lies above its tangent", 2 * sp.sqrt(d), facts=[dimension])
    more = p.reals(sp.exp(2 * sp.sqrt(d)) > 2, large, dimension)
    size = p.use("size-of-least-weight", {}, length)
    least = p.reals(sp.And(a > least_weight(L), a > 1), middle, more, size, p.given["cap"])
    most = p.reals(a < sp.exp(2 * sp.sqrt(d)), middle, p.given["cap"])
    parameters = [p.given[name] for name in PARAMETERS]
    p.qed(p.use("pre-ln-vertex-is-reached", {}, length, dimension, least, most, *parameters))


CAP_REACHED = Theorem(
    "cap-is-reached",
    Statement(
        title="The cap of bare pre-LN: up to it some parameters count",
        source="theory.md, section 6",
        words="If a* < exp(2 sqrt(d)) then the construction with a = (a* + exp(2 sqrt(d)))/2 "
        "counts to L on all inputs, letters included.",
        integers=(L, n, m),
        hypotheses={
            "length": L >= 1,
            "dimension": d >= 3,
            "cap": least_weight(L) < sp.exp(2 * sp.sqrt(d)),
            "a > 0": a > 0,
            "middle": sp.Eq(a, (least_weight(L) + sp.exp(2 * sp.sqrt(d))) / 2),
            **PARAMETERS,
        },
        conclusion=rounds(y, n),
    ),
    _cap_reached,
)


# --- lower bounds ------------------------------------------------------------------------

ell = symbols("l")
BOUNDED = {**LAYER, "readout": ww <= B**2}
LEAST_COSINE = 1 - sp.log(least_weight(L)) / sp.sqrt(d)


def _norm(p: Proof) -> None:
    one = sp.Integer(1)
    vectors = {"u": {"w": one}, "v": {"u": ell, "s": one}}
    cauchy = p.use("cauchy-schwarz", {}, vectors=vectors)
    square = p.square({"u": ell, "s": one})
    sphere = p.given["sphere"]
    size, is_size = p.define("x", d * (1 + ell**2) + 2 * ell * su)
    equal = p.reals(sp.Eq(size, ell**2 * uu + 2 * ell * su + ss), sphere, is_size)
    most = p.reals((ell * uw + sw) ** 2 <= ww * size, cauchy, equal)
    positive = p.reals(size >= 0, square, equal)
    p.qed(p.reals((ell * uw + sw) ** 2 <= B**2 * size, most, positive, p.given["readout"]), is_size)


NORM = Theorem(
    "pre-ln-norm",
    Statement(
        title="Bare pre-LN: what a read-out's norm allows",
        source="exact-bounds.md, Bare pre-LN (*)",
        words="For every real l, (l alpha_# + A)^2 <= B^2 d (1 + l^2 + 2 l cos(theta)).",
        vectors=VECTORS,
        hypotheses={"sphere": LAYER["sphere"], "readout": ww <= B**2},
        conclusion=(ell * uw + sw) ** 2 <= B**2 * (d * (1 + ell**2) + 2 * ell * su),
    ),
    _norm,
)


def _weight_is(p: Proof) -> Fact:
    """su = d - sqrt(d) log(a) for the weight a of the layer."""
    dimension, sphere = p.given["dimension"], p.given["sphere"]
    log = p.axiom("log inverts exp", WEIGHT.args[0], facts=[dimension])
    return p.reals(sp.Eq(su, d - sp.sqrt(d) * sp.log(WEIGHT)), log, dimension, sphere)


def _vertex_bound(p: Proof) -> None:
    goal = p.theorem.statement.conclusion
    length, dimension, sphere, multiplier = (
        p.given[name] for name in ("length", "dimension", "sphere", "multiplier")
    )
    cost, size = _costs(p), p.use("size-of-least-weight", {}, length)
    positive = p.reals(least_weight(L) > 0, size, length)
    score = _weight_is(p)
    log = p.axiom("log increases", WEIGHT, least_weight(L), facts=[positive, dimension])
    cos, is_cos = p.define("c", LEAST_COSINE, positive, dimension)
    angle = p.reals(su <= d * cos, score, log, cost, is_cos, dimension, why="c(a) <= c(a*)")
    one = sp.Integer(1)
    opposite = p.square({"u": one, "s": one})
    above = p.reals(cos >= -1, angle, opposite, sphere, dimension)
    readout = p.given["readout"]
    by_norm = p.use("pre-ln-norm", {}, sphere, readout)
    known = [angle, multiplier, dimension, p.square({"w": one}), readout]
    value, is_value = p.define("A", least_value(L))
    large = p.reals(sp.And(value >= 1, sw >= value), is_value, size, length, cost)
    room = B**2 * d * (1 + ell**2 + 2 * ell * cos)
    wide = p.reals((ell * uw + sw) ** 2 <= room, by_norm, *known)
    least = p.reals(ell * uw + sw >= value - ell / 2, cost, multiplier, is_value)
    plain = p.reals(
        value**2 <= B**2 * d, p.use("pre-ln-norm", {ell: sp.Integer(0)}, sphere, readout), large
    )

    def short(q: Proof, small: Fact) -> Fact:
        bound = q.reals((value - ell / 2) ** 2 <= room, wide, least, small)
        return q.reals(goal, bound, is_value, is_cos, positive, dimension)

    def long(q: Proof, far: Fact) -> Fact:
        left = q.reals((value - ell / 2) ** 2 <= value**2 * (ell - 1) ** 2, far, large)
        middle = q.reals(value**2 * (ell - 1) ** 2 <= B**2 * d * (ell - 1) ** 2, plain)
        right = q.reals(B**2 * d * (ell - 1) ** 2 <= room, above, multiplier, dimension)
        return q.reals(goal, left, middle, right, is_value, is_cos, positive, dimension)

    p.qed(p.cases(goal, [ell <= 2 * value, ell > 2 * value], [short, long]))


VERTEX_BOUND = Theorem(
    "pre-ln-vertex",
    Statement(
        title="Bare pre-LN: the bound of a multiplier at the vertex",
        source="exact-bounds.md, vertex",
        words="For every l >= 0 and L >= 3, |w| <= B that counts to L has (A* - l/2)^2 <= "
        "B^2 d (1 + l^2 + 2 l cos(theta*)), cos(theta*) = 1 - log(a*)/sqrt(d).",
        integers=(L,),
        vectors=VECTORS,
        hypotheses={**BOUNDED, "length": L >= 3, "multiplier": ell >= 0},
        conclusion=(least_value(L) - ell / 2) ** 2
        <= B**2 * d * (1 + ell**2 + 2 * ell * LEAST_COSINE),
    ),
    _vertex_bound,
)

# --- multipliers below zero: along an edge of the polytope --------------------------------

rho = symbols("rho")
IS_RHO = sp.Eq(rho, 1 - sp.floor((L - 1) / 2) / L)
ETA = a * (first + HALF)


def _edges(p: Proof) -> None:
    goal = p.theorem.statement.conclusion
    known = [p.given["length"], p.given["a > 0"]]

    def with_middle(q: Proof, half: Term, k: Term, equation: Fact) -> Fact:
        whole = q.integer_gap(half)
        weight = q.floor((L - 1) ** 2 / 4, k * (L - 1 - k), equation)
        middle = q.floor((L - 1) / 2, k, equation)
        inputs = []
        for number in (sp.Integer(0), k, L):
            here = q.at(q.given["rounds"], number, equation, whole, *known)
            low, high = (number - HALF) * (a + number), (number + HALF) * (a + number)
            value = a * first + A * number
            inputs.append(
                q.reals(sp.And(low <= value, value <= high), here, equation, whole, *known)
            )
        ratio = q.reals(sp.Eq(L * rho, L - k), q.given["rho"], middle, known[0])
        eta, is_eta = q.define("eta", ETA)
        start = q.reals(sp.And(eta >= 0, eta <= a), inputs[0], is_eta)
        end = q.reals(eta + (A - a) * L >= L * (L - HALF), inputs[2], is_eta)
        upper = q.reals(eta <= k**2 + (HALF - (A - a)) * k + a, inputs[1], is_eta)
        slope = q.reals(
            (A - a) * k * L >= k * (L * (L - HALF) - eta),
            end,
            q.reals(k >= 0, equation, whole, known[0]),
        )
        least = q.reals(L * (a - k * (L - 1 - k)) >= eta * (L - k), upper, slope, known[0])
        weighed = q.reals(rho * eta <= a - least_weight(L), least, ratio, weight, known[0])
        space = q.reals(A >= a + L - HALF - eta / L, end, known[0])
        return q.reals(goal, weighed, space, start, is_eta, *known)

    p.qed(
        p.residue(
            L,
            2,
            goal,
            [
                lambda q, half, equation: with_middle(q, half, half - 1, equation),
                lambda q, half, equation: with_middle(q, half, half, equation),
            ],
            why="k = floor((L - 1)/2)",
        )
    )


EDGES = Theorem(
    "edges-of-the-polytope",
    Statement(
        title="The polytope by eta = a (alpha_# + 1/2)",
        source="theory.md, Lemma 4.1; exact-bounds.md, small-score",
        words="A curve that rounds n = 0..L has 0 <= eta <= a, rho eta <= a - a* and "
        "A >= a + L - 1/2 - eta/L, with rho = 1 - k/L, k = floor((L - 1)/2).",
        integers=(L,),
        hypotheses={
            "length": L >= 1,
            "a > 0": a > 0,
            "rho": IS_RHO,
            "rounds": every(n, (n >= 0, n <= L), rounds(curve(n), n)),
        },
        conclusion=sp.And(
            ETA >= 0,
            ETA <= a,
            rho * ETA <= a - least_weight(L),
            A >= a + L - HALF - ETA / L,
        ),
    ),
    _edges,
)

NEAR = (
    L - HALF + least_weight(L) / (rho * L) + ell * (1 / rho - HALF)
    + (1 - 1 / (rho * L)) * a - ell * least_weight(L) / (rho * a)
)  # fmt: skip
FAR = ell / 2 + L - HALF + (1 - 1 / L) * a
ROOM = B**2 * (d * (1 + ell) ** 2 - 2 * ell * sp.sqrt(d) * sp.log(a))
MULTIPLIER = {
    **BOUNDED,
    "multiplier": sp.And(-1 <= ell, ell <= 0),
    "rho": IS_RHO,
    "weight": sp.Eq(a, WEIGHT),
    "a > 0": a > 0,
}
near, far = symbols("M_1 M_2")


def _rho(p: Proof) -> Fact:
    """1/2 < rho <= 1 and rho L >= 3/2."""
    length = p.given["length"]

    def show(q: Proof, half: Term, equation: Fact, k: Term) -> Fact:
        middle = q.floor((L - 1) / 2, k, equation)
        known = [middle, equation, length, q.integer_gap(half), q.given["rho"]]
        product = q.reals(sp.Eq(rho * L, L - k), *known)
        return q.reals(
            sp.And(2 * rho > 1, rho <= 1, 2 * rho * L >= L + 1, rho * L >= 3 * HALF),
            product,
            q.reals(sp.And(k >= 0, 2 * k <= L - 1), *known),
            length,
            q.reals(L - k >= 3 * HALF, *known),
        )

    goal = sp.And(2 * rho > 1, rho <= 1, 2 * rho * L >= L + 1, rho * L >= 3 * HALF)
    return p.residue(
        L,
        2,
        goal,
        [
            lambda q, half, equation: show(q, half, equation, half - 1),
            lambda q, half, equation: show(q, half, equation, half),
        ],
    )


RATIO = {
    "length": L >= 2,
    "multiplier": sp.And(-1 <= ell, ell <= 0),
    "rho": IS_RHO,
    "a > 0": a > 0,
}


def _positive(p: Proof) -> None:
    length, negative, positive = (p.given[name] for name in ("length", "multiplier", "a > 0"))
    size, ratio = p.use("size-of-least-weight", {}, length), _rho(p)
    far = p.reals(FAR > 0, length, negative, positive)
    inverse, is_inverse = p.define("r", 1 / rho, ratio)
    known = [is_inverse, ratio, length]
    small = p.reals(sp.And(inverse >= 1, inverse < 2), *known)
    lost = p.reals(ell * (inverse - HALF) > -3 * HALF, small, negative)
    rest = [
        p.reals(least_weight(L) * inverse / L >= 0, size, small, length),
        p.reals((1 - inverse / L) * a >= 0, small, length, positive),
        p.reals(-ell * least_weight(L) * inverse / a >= 0, small, negative, size, positive),
    ]
    near = p.reals(NEAR > 0, lost, *rest, is_inverse, length, ratio, positive)
    p.qed(near, far, ratio)


POSITIVE = Theorem(
    "multiplier-values-are-positive",
    Statement(
        title="The values of a multiplier below zero are positive",
        source="exact-bounds.md, multiplier",
        words="For -1 <= l <= 0, L >= 2 and a > 0: M1(a) > 0, M2(a) > 0, and 0 < rho <= 1.",
        integers=(L,),
        hypotheses=RATIO,
        conclusion=sp.And(NEAR > 0, FAR > 0, rho > 0, rho <= 1),
    ),
    _positive,
)


def _multiplier(p: Proof) -> None:
    length, dimension, sphere, negative, weight = (
        p.given[name] for name in ("length", "dimension", "sphere", "multiplier", "weight")
    )
    known = [p.given[name] for name in ("length", "rounds", "dimension", "rho")]
    layer = {a: WEIGHT, first: uw, A: sw}
    edges_ = p.use("edges-of-the-polytope", layer, *known)
    eta, is_eta = p.define("eta", a * (uw + HALF))
    positive = p.given["a > 0"]
    edges = p.reals(
        sp.And(eta >= 0, eta <= a, rho * eta <= a - least_weight(L), sw >= a + L - HALF - eta / L),
        edges_,
        is_eta,
        weight,
        length,
    )
    ratio = _rho(p)
    boundary = p.reals(sp.Eq(uw, eta / a - HALF), is_eta, positive)
    value, is_value = p.define("v", ell * uw + sw)
    share, is_share = p.define("t", eta / a, positive)
    at_eta = p.reals(
        value >= ell * (share - HALF) + a + L - HALF - eta / L,
        boundary,
        is_value,
        is_share,
        edges,
    )
    # eta <= a
    least_far = p.reals(
        value >= FAR,
        at_eta,
        p.reals(sp.And(share >= 0, share <= 1), is_share, edges, positive),
        p.reals(eta / L <= a / L, edges, length),
        negative,
    )
    # eta <= (a - a*)/rho
    most = p.reals(eta <= (a - least_weight(L)) / rho, edges, ratio)
    most_share = p.reals(
        share <= (a - least_weight(L)) / (rho * a), most, is_share, positive, ratio
    )
    scaled = p.reals(
        ell * share >= ell * (a - least_weight(L)) / (rho * a),
        most_share,
        negative,
        positive,
        ratio,
    )
    lowered = p.reals(eta / L <= (a - least_weight(L)) / (rho * L), most, length, ratio)
    equal = p.identity(
        ell * (a - least_weight(L)) / (rho * a)
        - ell / 2
        + a
        + L
        - HALF
        - (a - least_weight(L)) / (rho * L),
        NEAR,
        positive,
        ratio,
        length,
    )
    least_near = p.reals(value >= NEAR, at_eta, scaled, lowered, equal)
    above = p.use("multiplier-values-are-positive", {}, length, negative, p.given["rho"], positive)
    norm = p.use("pre-ln-norm", {}, sphere, p.given["readout"])
    same = [
        p.axiom("log increases", *pair, facts=[weight, dimension])
        for pair in ((a, WEIGHT), (WEIGHT, a))
    ]
    log = p.reals(sp.Eq(sp.log(a), sp.log(WEIGHT)), *same, weight, dimension)
    score = p.reals(sp.Eq(su, d - sp.sqrt(d) * sp.log(a)), _weight_is(p), log, dimension, positive)
    room = p.reals(value**2 <= ROOM, norm, score, is_value, dimension, positive)
    is_near, is_far = p.given["M1"], p.given["M2"]
    signs = p.reals(sp.And(near > 0, far > 0), above, is_near, is_far)
    lows = p.reals(sp.And(value >= near, value >= far), least_near, least_far, is_near, is_far)
    squares = p.reals(sp.And(value**2 >= near**2, value**2 >= far**2), signs, lows)
    one = sp.Integer(1)
    most_score = p.reals(su <= d, p.square({"u": one, "s": -one}), sphere)
    light = p.axiom("exp lies above its tangent", WEIGHT.args[0], facts=[dimension])
    heavy = p.reals(a >= 1, most_score, light, weight, sphere, dimension)
    cost = p.reals(a >= least_weight(L), _costs(p), weight)
    bounds = p.reals(sp.And(near**2 <= ROOM, far**2 <= ROOM), squares, room)
    p.qed(bounds, signs, heavy, cost)


MULTIPLIER_BOUND = Theorem(
    "pre-ln-multiplier",
    Statement(
        title="Bare pre-LN: the bound of a multiplier below zero",
        source="exact-bounds.md, multiplier",
        words="For -1 <= l <= 0 and a |w| <= B that counts to L >= 2, both M1(a)^2 and M2(a)^2 are "
        "at most B^2 d ((1 + l)^2 - 2 l log(a)/sqrt(d)), and a >= a*, a >= 1.",
        integers=(L,),
        vectors=VECTORS,
        hypotheses={
            **MULTIPLIER,
            "rho > 0": rho > 0,
            "M1": sp.Eq(near, NEAR),
            "M2": sp.Eq(far, FAR),
        },
        conclusion=sp.And(near**2 <= ROOM, far**2 <= ROOM, a >= least_weight(L), a >= 1),
    ),
    _multiplier,
)


at, height, slope = symbols("a_1 h_1 h'_1")


def _log_tangent(p: Proof) -> None:
    known = list(p.given.values())
    ratio = p.axiom("log lies below its tangent", a / at, facts=known)
    product = p.axiom("log of a product", at, a / at, facts=known)
    p.qed(ratio, product, *known)


LOG_TANGENT = Theorem(
    "log-lies-below-its-tangents",
    Statement(
        title="The logarithm lies below its tangents",
        source="textbooks",
        words="log(a) <= log(a_1) + (a - a_1)/a_1.",
        hypotheses={"positive": sp.And(a > 0, at > 0)},
        conclusion=sp.log(a) <= sp.log(at) + (a - at) / at,
    ),
    _log_tangent,
)

c0, c1, c2 = symbols("c_0 c_1 c_2")


def _square_tangent(p: Proof) -> None:
    known = list(p.given.values())
    value, is_value = p.define("M", c0 + c1 * a + c2 / a, *known)
    start, is_start = p.define("m", c0 + c1 * at + c2 / at, *known)
    rise, is_rise = p.define("t", c1 - c2 / at**2, *known)
    above = p.reals(value >= start + rise * (a - at), is_value, is_start, is_rise, *known)
    positive = p.reals(start >= 0, is_start, *known)
    square = p.reals(value**2 >= start**2 + 2 * start * rise * (a - at), above, positive)
    p.qed(square, is_value, is_start, is_rise, *known)


SQUARE_TANGENT = Theorem(
    "square-lies-above-its-tangents",
    Statement(
        title="The square of a convex function that is positive lies above its tangents",
        source="exact-bounds.md, multiplier",
        words="M(a) = c_0 + c_1 a + c_2/a with c_2 >= 0 and M(a_1) >= 0 has "
        "M(a)^2 >= M(a_1)^2 + 2 M(a_1) M'(a_1) (a - a_1).",
        hypotheses={
            "positive": sp.And(a > 0, at > 0),
            "convex": c2 >= 0,
            "value": c0 + c1 * at + c2 / at >= 0,
        },
        conclusion=(c0 + c1 * a + c2 / a) ** 2
        >= (c0 + c1 * at + c2 / at) ** 2
        + 2 * (c0 + c1 * at + c2 / at) * (c1 - c2 / at**2) * (a - at),
    ),
    _square_tangent,
)

COEFFICIENTS = {
    "near": (
        L - HALF + least_weight(L) / (rho * L) + ell * (1 / rho - HALF),
        1 - 1 / (rho * L),
        -ell * least_weight(L) / rho,
    ),
    "far": (ell / 2 + L - HALF, 1 - 1 / L, sp.Integer(0)),
}


def tangent(side: str, point: Term) -> tuple[Term, Term]:
    """H and H' at a point, H = M^2 - B^2 d ((1 + l)^2 - 2 l log(a)/sqrt(d)) for M1 or M2."""
    k0, k1, k2 = COEFFICIENTS[side]
    value, rise = k0 + k1 * point + k2 / point, k1 - k2 / point**2
    room = substituted(ROOM, {a: point})
    return value**2 - room, 2 * value * rise + 2 * ell * B**2 * sp.sqrt(d) / point


def is_tangent(point: Term, height: Term, slope: Term) -> sp.Basic:
    """A height and a slope are those of one of the two functions at a point."""
    ways = [tangent(side, point) for side in COEFFICIENTS]
    return sp.Or(*(sp.And(sp.Eq(height, h), sp.Eq(slope, t)) for h, t in ways))


def _tangent(p: Proof) -> None:
    goal = p.theorem.statement.conclusion
    known = [p.given[name] for name in ("length", "multiplier", "rho")]
    point, dimension = p.given["point"], p.given["dimension"]
    ratio = p.use("multiplier-values-are-positive", {a: at}, *known, point)
    values = {near: NEAR, far: FAR}
    given = [p.given[name] for name in MULTIPLIER]
    rho_ = p.given["rho > 0"]
    bound = p.use("pre-ln-multiplier", values, *given, rho_)
    size = p.use("size-of-least-weight", {}, known[0])
    log = p.use("log-lies-below-its-tangents", {}, point, p.given["a > 0"])
    x, is_x = p.define("x", B**2 * sp.sqrt(d), dimension)
    positive = p.reals(x >= 0, is_x, dimension)
    less = p.reals(
        -2 * ell * x * sp.log(a) <= -2 * ell * x * (sp.log(at) + (a - at) / at),
        log,
        positive,
        known[1],
        point,
        p.given["a > 0"],
    )

    def on(q: Proof, side: str, case: Fact) -> Fact:
        k0, k1, k2 = COEFFICIENTS[side]
        convex = [q.reals(k2 >= 0, size, known[1], rho_)] if k2 != 0 else []
        start = q.reals(k0 + k1 * at + k2 / at >= 0, ratio, point, rho_, known[0])
        facts = [point, p.given["a > 0"], *convex, start, rho_, known[0]]
        square = q.use("square-lies-above-its-tangents", {c0: k0, c1: k1, c2: k2}, *facts)
        value, is_value = q.define("m", k0 + k1 * at + k2 / at, *facts)
        rise, is_rise = q.define("t", k1 - k2 / at**2, *facts)
        most, is_most = q.define("M", k0 + k1 * a + k2 / a, *facts)
        above = q.reals(
            most**2 >= value**2 + 2 * value * rise * (a - at),
            square,
            is_value,
            is_rise,
            is_most,
            *facts,
        )
        room = B**2 * d * (1 + ell) ** 2 - 2 * ell * x * sp.log(a)
        below = q.reals(most**2 <= room, bound, is_most, is_x, *facts, dimension)
        h = q.reals(
            sp.Eq(height, value**2 - B**2 * d * (1 + ell) ** 2 + 2 * ell * x * sp.log(at)),
            case,
            is_value,
            is_x,
            *facts,
            dimension,
        )
        t = q.reals(
            sp.Eq(slope, 2 * value * rise + 2 * ell * x / at),
            case,
            is_value,
            is_rise,
            is_x,
            *facts,
            dimension,
        )
        return q.reals(goal, above, below, h, t, less, point)

    ways = [tangent(side, at) for side in COEFFICIENTS]
    cases = [sp.And(sp.Eq(height, h), sp.Eq(slope, t)) for h, t in ways]
    p.qed(
        p.cases(
            goal,
            cases,
            [lambda q, case: on(q, "near", case), lambda q, case: on(q, "far", case)],
            p.given["tangent"],
        )
    )


TANGENT = Theorem(
    "pre-ln-tangent",
    Statement(
        title="Bare pre-LN: a tangent that has to be negative at the weight",
        source="exact-bounds.md, multiplier",
        words="At the weight a of a layer that counts to L, the tangents of H = M1^2 - "
        "B^2 d ((1 + l)^2 - 2 l log(a)/sqrt(d)), and of the same with M2, at any a_1 > 0 are <= 0.",
        integers=(L,),
        vectors=VECTORS,
        hypotheses={
            **MULTIPLIER,
            "rho > 0": rho > 0,
            "point": at > 0,
            "tangent": is_tangent(at, height, slope),
        },
        conclusion=height + slope * (a - at) <= 0,
    ),
    _tangent,
)


at2, height2, slope2 = symbols("a_2 h_2 h'_2")


def _two_tangents(p: Proof) -> None:
    given = [p.given[name] for name in (*MULTIPLIER, "rho > 0")]
    points = p.given["points"]
    bound = p.use("pre-ln-multiplier", {near: NEAR, far: FAR}, *given)
    first_ = p.use("pre-ln-tangent", {}, *given, points, p.given["tangent 1"])
    values = {at: at2, height: height2, slope: slope2}
    second = p.use("pre-ln-tangent", values, *given, points, p.given["tangent 2"])
    cost = p.reals(sp.And(a >= least_weight(L), a >= 1), bound)
    p.qed(first_, second, cost, points, why="a lies before, between or beyond the points")


TWO_TANGENTS = Theorem(
    "pre-ln-two-tangents",
    Statement(
        title="Bare pre-LN: two tangents refute a bound",
        source="exact-bounds.md, multiplier",
        words="If some |w| <= B counts to L >= 2, then for -1 <= l <= 0 and 0 < a_1 <= a_2 the "
        "tangents of H at a_1 and a_2 cannot be positive for all a >= max(a*, 1).",
        integers=(L,),
        vectors=VECTORS,
        hypotheses={
            **MULTIPLIER,
            "rho > 0": rho > 0,
            "points": sp.And(at > 0, at <= at2),
            "tangent 1": is_tangent(at, height, slope),
            "tangent 2": is_tangent(at2, height2, slope2),
        },
        conclusion=sp.Or(
            height <= 0,
            height + slope * (at2 - at) <= 0,
            height2 <= 0,
            slope2 < 0,
            sp.And(slope > 0, at > least_weight(L), at > 1),
        ),
    ),
    _two_tangents,
)

# --- one space ---------------------------------------------------------------------------


def _one_needed(p: Proof) -> None:
    cost = [
        p.at(p.given["rounds"], number, p.given["dimension"])
        for number in (sp.Integer(0), sp.Integer(1))
    ]
    weight, is_weight = p.define("a", WEIGHT, p.given["dimension"])
    positive = p.reals(weight > 0, is_weight, p.given["dimension"])
    start = p.reals(uw < HALF, cost[0], is_weight, positive, p.given["dimension"])
    end = p.reals(
        (weight + 1) / 2 < weight * uw + sw, cost[1], is_weight, positive, p.given["dimension"]
    )
    value = p.reals(sw > HALF, start, end, positive)
    sphere = p.given["sphere"]
    norm = p.use("pre-ln-norm", {ell: sp.Integer(0)}, sphere, p.given["readout"])
    square = p.reals(B**2 * d > sp.Rational(1, 4), norm, value)
    root, is_root = p.define("r", sp.sqrt(d), p.given["dimension"])
    size = p.reals(sp.And(root > 0, sp.Eq(root**2, d)), is_root, p.given["dimension"])
    most = p.reals(B * root > HALF, square, size, p.given["B > 0"])
    p.qed(most, size, is_root, p.given["dimension"])


ONE_NEEDED = Theorem(
    "pre-ln-one-is-needed",
    Statement(
        title="Bare pre-LN at L = 1: what is needed",
        source="exact-bounds.md, Bare pre-LN",
        words="A |w| <= B that counts to L = 1 has B > 1/(2 sqrt(d)).",
        vectors=VECTORS,
        hypotheses={
            "dimension": d >= 3,
            "sphere": LAYER["sphere"],
            "B > 0": B > 0,
            "readout": ww <= B**2,
            "rounds": substituted(ROUNDS, {L: sp.Integer(1)}),
        },
        conclusion=B > 1 / (2 * sp.sqrt(d)),
    ),
    _one_needed,
)


def _one_reached(p: Proof) -> None:
    dimension, angle, inputs = (p.given[name] for name in ("dimension", "angle", "inputs"))
    score = p.reals(AT_ANGLE.args[0] > 0, dimension, angle)
    heavy = p.axiom("exp increases", sp.Integer(0), AT_ANGLE.args[0], facts=[dimension])
    weight, is_weight = p.define("a", AT_ANGLE, dimension)
    more = p.reals(weight > 1, heavy, score, is_weight)
    middle = p.reals(
        sp.Eq(2 * A, (1 + weight) / (2 * (1 + weight * cosine)) + 1 / (2 * cosine)),
        p.given["A"],
        is_weight,
        more,
        angle,
        dimension,
    )
    apart = p.reals((1 + weight) * cosine < 1 + weight * cosine, more, angle)
    low, is_low = p.define("A0", (1 + weight) / (2 * (1 + weight * cosine)), more, angle)
    high, is_high = p.define("A1", 1 / (2 * cosine), angle)
    ends = p.reals(
        sp.And(sp.Eq(2 * low * (1 + weight * cosine), 1 + weight), sp.Eq(2 * high * cosine, 1)),
        is_low,
        is_high,
        more,
        angle,
    )
    between = p.reals(low < high, ends, apart, more, angle)
    value = p.reals(
        sp.And(2 * A * cosine < 1, 2 * A * (1 + weight * cosine) > 1 + weight, A > 0),
        p.reals(
            sp.And(low < A, A < high, low > 0), middle, is_low, is_high, between, ends, more, angle
        ),
        ends,
        more,
        angle,
    )
    inside = substituted(
        STRICTLY_INSIDE, {L: sp.Integer(1), a: AT_ANGLE, beta: AT_ANGLE * A * cosine}
    )
    known = [value, angle, more]
    below = p.reals(A * cosine < HALF, value, angle)
    start = p.reals(A * cosine * weight < weight / 2, below, more)
    enough = p.reals((weight + 1) / 2 < weight * A * cosine + A, *known)
    less = p.reals(A < 3 * HALF, value, angle)
    small = p.reals(weight * A * cosine + A < 3 * (weight + 1) / 2, start, less, more)
    positive = p.reals(A * cosine > 0, value, angle)
    lower = p.reals(A * cosine * weight > -weight / 2, positive, more)

    def side(q: Proof, number: Term, conditions: list[Fact]) -> Fact:
        goal = inside.at(number)[1]
        whole = q.integer_gap(number)
        ends = q.reals(sp.Or(sp.Eq(number, 0), sp.Eq(number, 1)), whole, *conditions)

        def none(r: Proof, here: Fact) -> Fact:
            return r.reals(goal, here, start, lower, is_weight, dimension)

        def one(r: Proof, here: Fact) -> Fact:
            return r.reals(goal, here, enough, small, is_weight, dimension)

        return q.cases(goal, [sp.Eq(number, 0), sp.Eq(number, 1)], [none, one], ends)

    rounding = p.every(inside, side)
    values = {L: sp.Integer(1), first: A * cosine}
    known = [dimension, angle, rounding, inputs, p.given["output"]]
    p.qed(p.use("pre-ln-construction", values, *known), p.reals(A < 1 / (2 * cosine), value, angle))


ONE_REACHED = Theorem(
    "pre-ln-one-is-reached",
    Statement(
        title="Bare pre-LN at L = 1: what is enough",
        source="exact-bounds.md, Bare pre-LN",
        words="For 3/4 < cos(theta) < 1 and A half-way between (1 + a)/(2 (1 + a cos(theta))) and "
        "1/(2 cos(theta)), the construction with w parallel to u_s counts to 1; its norm A/sqrt(d) "
        "is below 1/(2 sqrt(d) cos(theta)).",
        integers=(n, m),
        hypotheses={
            "dimension": d >= 3,
            "angle": sp.And(sp.Rational(3, 4) < cosine, cosine < 1),
            "A": sp.Eq(2 * A, (1 + AT_ANGLE) / (2 * (1 + AT_ANGLE * cosine)) + 1 / (2 * cosine)),
            "inputs": substituted(INPUTS, {L: sp.Integer(1)}),
            "output": sp.Eq(y, substituted(LAYER_OUTPUT, {first: A * cosine})),
        },
        conclusion=sp.And(rounds(y, n), A < 1 / (2 * cosine)),
    ),
    _one_reached,
)
