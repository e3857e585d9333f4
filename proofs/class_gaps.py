"""Gaps of classification read-outs: linear attention, post-LN, the parabola's smallest gap.

After LayerNorm the inputs without letters lie on an arc. V = tan(angle/4) makes its points, its
chords and their directions rational, and bounds the lengths of chords and turns.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from countbounds.proving.formulas import Formula, Term, dot, every, substituted, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.classification import b0, b1, common, eps, gap, k, other, own, p_, q_, radius, z
from proofs.polytope import a
from proofs.terms import B, L, d, m, n
from proofs.vectors import inner_at_most

# --- linear attention ----------------------------------------------------------------------


def _line(number: Term, spaces: Term) -> Term:
    """The score of a class at n spaces and no letters."""
    return p_(number) + spaces * q_(number)


BELOW_L = (n >= 0, n <= L - 1)
LINES = {
    "length": L >= 1,
    "above": every(n, BELOW_L, _line(n, n) - _line(n + 1, n) >= gap),
    "below": every(n, BELOW_L, _line(n + 1, n + 1) - _line(n, n + 1) >= gap),
}
SUMMED = sp.Implies(
    n <= L, sp.And(p_(0) - p_(n) >= gap * n**2, q_(n) - q_(0) >= 2 * gap * n, evaluate=False)
)


def _lines_summed(p: Proof) -> None:
    def next_one(q: Proof, t: Term, start: Fact, here: Fact) -> Fact:
        goal = substituted(SUMMED, {n: t + 1})

        def inside(r: Proof, less: Fact) -> Fact:
            low = r.at(p.given["above"], t, start, less)
            high = r.at(p.given["below"], t, start, less)
            step = sp.And(p_(t) - p_(t + 1) >= gap * (2 * t + 1), q_(t + 1) - q_(t) >= 2 * gap)
            return r.reals(goal, r.reals(step, low, high, start), here, less, start)

        return q.cases(goal, [t <= L - 1, t > L - 1], [inside, lambda r, more: r.reals(goal, more)])

    p.qed(p.at(p.induction(n, 0, SUMMED, next_one), L, p.given["length"]), p.given["length"])


LINES_SUMMED = Theorem(
    "class-gap-of-linear-attention",
    Statement(
        title="Neighbouring classes of linear attention",
        source="theory.md, section 8",
        words="If the scores are p_k + n q_k and the classes n and n + 1 win against each other by "
        "G at n and n + 1 spaces then p_0 - p_L >= G L^2 and q_L - q_0 >= 2 G L.",
        integers=(L,),
        hypotheses=LINES,
        conclusion=sp.And(p_(0) - p_(L) >= gap * L**2, q_(L) - q_(0) >= 2 * gap * L),
    ),
    _lines_summed,
)


def _linear_bound(p: Proof) -> None:
    one = sp.Integer(1)
    size, norms, bias, scores, dimension = (
        p.given[name] for name in ("B, R >= 0", "norms", "biases", "scores", "dimension")
    )
    factor, is_factor = p.define("f", 1 / sp.sqrt(d), dimension)
    positive = p.reals(factor > 0, is_factor, dimension)

    def times(x: Term, y: Term, bounds: tuple[Term, Term], *facts: Fact) -> Fact:
        most = bounds[0] * bounds[1]
        return p.reals(sp.And(-most <= x * y, x * y <= most), *facts, size)

    terms = []
    for token in ("u", "s"):
        score = inner_at_most(p, {"u": one}, {token: one}, radius**2, norms, size)
        for name in ("least", "last"):
            value = inner_at_most(p, {name: one}, {token: one}, B * radius, norms, size)
            bounds = radius**2, B * radius
            terms.append(times(dot("u", token), dot(name, token), bounds, score, value))
    plain = sp.And(
        sp.Eq(p_(0), factor * (dot("u", "u") * dot("least", "u")) + b0),
        sp.Eq(p_(L), factor * (dot("u", "u") * dot("last", "u")) + b1),
        sp.Eq(q_(0), factor * (dot("u", "s") * dot("least", "s"))),
        sp.Eq(q_(L), factor * (dot("u", "s") * dot("last", "s"))),
    )
    named = p.reals(plain, scores, is_factor, dimension)
    sums = p.use("class-gap-of-linear-attention", {}, *(p.given[name] for name in LINES))
    ends = []
    for index, low, high in ((0, 0, 1), (1, 2, 3)):
        token = "us"[index]
        difference = dot("u", token) * (dot("least", token) - dot("last", token))
        most = 2 * B * radius**3
        both = p.reals(
            sp.And(difference <= most, -difference <= most), terms[low], terms[high], size
        )
        scaled = sp.And(factor * difference <= factor * most, -factor * difference <= factor * most)
        ends.append(p.reals(scaled, both, positive))
    boundary = p.reals(p_(0) - p_(L) <= 2 * factor * B * radius**3 + 2 * B, ends[0], named, bias)
    spaces = p.reals(q_(L) - q_(0) <= 2 * factor * B * radius**3, ends[1], named)
    plain_bounds = p.reals(
        sp.And(gap * L**2 <= 2 * factor * B * radius**3 + 2 * B, gap * L <= factor * B * radius**3),
        boundary,
        spaces,
        sums,
    )
    p.qed(plain_bounds, is_factor, dimension)


LINEAR_BOUND = Theorem(
    "class-gap-of-linear-attention-is-bounded",
    Statement(
        title="The gap of classes of bounded norm over linear attention",
        source="theory.md, section 8",
        words="Over linear attention, classes with |c_k|, |beta_k| <= B and tokens of norm at most "
        "R have a gap G with G L^2 <= 2 B (R^3/sqrt(d) + 1) and G L <= B R^3/sqrt(d).",
        integers=(L,),
        vectors=("least", "last", "u", "s"),
        hypotheses={
            **LINES,
            "dimension": d >= 1,
            "B, R >= 0": sp.And(B >= 0, radius >= 0),
            "norms": sp.And(
                *(dot(name, name) <= B**2 for name in ("least", "last")),
                *(dot(name, name) <= radius**2 for name in ("u", "s")),
            ),
            "biases": sp.And(-B <= b0, b0 <= B, -B <= b1, b1 <= B),
            "scores": sp.And(
                sp.Eq(p_(0), dot("u", "u") / sp.sqrt(d) * dot("least", "u") + b0),
                sp.Eq(p_(L), dot("u", "u") / sp.sqrt(d) * dot("last", "u") + b1),
                sp.Eq(q_(0), dot("u", "s") / sp.sqrt(d) * dot("least", "s")),
                sp.Eq(q_(L), dot("u", "s") / sp.sqrt(d) * dot("last", "s")),
            ),
        },
        conclusion=sp.And(
            gap * L**2 <= 2 * B * (radius**3 / sp.sqrt(d) + 1),
            gap * L <= B * radius**3 / sp.sqrt(d),
        ),
    ),
    _linear_bound,
)

# --- post-LN -------------------------------------------------------------------------------

v_, x_, y_, b_ = (sp.Function(name) for name in ("V", "X", "Y", "b"))
low, high, last = symbols("V_0 V_1 V_2")
right, up, threshold, rate, width = symbols("X Y g mu W")
rho, height, start_, step_ = symbols("rho y x_0 x_1")
chord_, along, most_ = symbols("D A E")
delta, first, second, aside, across = symbols("delta A S C T")
MOST = sp.sqrt(2) - 1  # tan(pi/8)


def _half(t: Term) -> tuple[Term, Term]:
    """Cosine and sine of half the angle."""
    return (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)


def _point(t: Term) -> tuple[Term, Term]:
    """Cosine and sine of the angle with the tangent t of its quarter."""
    return (1 - 6 * t**2 + t**4) / (1 + t**2) ** 2, 4 * t * (1 - t**2) / (1 + t**2) ** 2


def _along(t: Term, u: Term) -> tuple[Term, Term]:
    """The direction of the chord from the point of t to that of u."""
    (c, s), (c1, s1) = _half(t), _half(u)
    return -(s * c1 + c * s1), c * c1 - s * s1


def _weighed(p: Proof) -> None:
    product, order, sizes = p.given["product"], p.given["order"], p.given["positive"]
    positive = p.reals(sp.And(chord_ > 0, along > 0), product, order, sizes)
    square = p.reals(rate * chord_ * (2 - rate * chord_) <= 1, why="(1 - mu D)^2 >= 0")
    scaled = p.reals(threshold * (rate * chord_ * (2 - rate * chord_)) <= threshold, square, sizes)
    times = p.reals(
        chord_ * (threshold * rate * (2 - rate * chord_)) <= chord_ * along, scaled, product
    )
    less = p.reals(threshold * rate * (2 - rate * chord_) <= along, times, positive)
    weight, is_weight = p.define("h", threshold * rate**2)
    wider = p.reals(weight * chord_ <= weight * most_, order, p.reals(weight > 0, is_weight, sizes))
    p.qed(less, wider, is_weight)


WEIGHED = Theorem(
    "class-gap-weighed",
    Statement(
        title="What is gained along a chord",
        source="theory.md, section 8",
        words="If D A >= g > 0 and 0 <= D <= E then A >= g (2 mu - mu^2 E) for every mu > 0.",
        hypotheses={
            "product": chord_ * along >= threshold,
            "order": sp.And(chord_ >= 0, chord_ <= most_),
            "positive": sp.And(threshold > 0, rate > 0),
        },
        conclusion=along >= threshold * (2 * rate - rate**2 * most_),
    ),
    _weighed,
)


def _chord(p: Proof) -> None:
    order, sizes, gain = (p.given[name] for name in ("order", "positive", "gain"))
    (c, s), (c1, s1) = _point(low), _point(high)
    x, y = _along(low, high)
    share = (1 + low * high) / ((1 + low**2) * (1 + high**2))
    length = 4 * (high - low) * share
    ahead = right * x + up * y
    same = p.identity(right * (c1 - c) + up * (s1 - s), length * ahead)
    product = p.reals(length * ahead >= threshold, same, gain)
    part, is_part = p.define("E", share)
    unit = p.reals(sp.And(part >= 0, part <= 1), is_part, order)
    short = p.reals(
        sp.And(4 * (high - low) * part >= 0, 4 * (high - low) * part <= 4 * (high - low)),
        unit,
        order,
    )
    between = p.unfold(short, is_part)
    values = {chord_: length, along: ahead, most_: 4 * (high - low)}
    p.qed(p.use("class-gap-weighed", values, product, between, sizes))


CHORD = Theorem(
    "class-gap-along-a-chord",
    Statement(
        title="Two neighbouring classes: along the chord",
        source="theory.md, section 8",
        words="If <w, u_1 - u_0> >= g for two points of an arc of half a circle, with tangents V_0 "
        "<= V_1 of a quarter of their angles, then <w, t> >= g (2 mu - 4 mu^2 (V_1 - V_0)) for the "
        "chord's direction t.",
        hypotheses={
            "order": sp.And(-1 <= low, low <= high, high <= 1),
            "positive": sp.And(threshold > 0, rate > 0),
            "gain": right * (_point(high)[0] - _point(low)[0])
            + up * (_point(high)[1] - _point(low)[1])
            >= threshold,
        },
        conclusion=right * _along(low, high)[0] + up * _along(low, high)[1]
        >= threshold * (2 * rate - 4 * rate**2 * (high - low)),
    ),
    _chord,
)


def _turn(p: Proof) -> None:
    norm, order = p.given["norm"], p.given["order"]
    first, second = _along(low, high), _along(high, last)
    turns = [p.define(name, y - x) for name, x, y in zip("ef", first, second, strict=True)]
    (e, is_e), (f, is_f) = turns
    wide = (1 + low**2) * (1 + last**2)
    square = p.identity(
        (second[0] - first[0]) ** 2 + (second[1] - first[1]) ** 2, 4 * (last - low) ** 2 / wide
    )
    named = p.reals(sp.Eq(e**2 + f**2, 4 * (last - low) ** 2 / wide), square, is_e, is_f)
    short = p.reals(4 * (last - low) ** 2 / wide <= 4 * (last - low) ** 2)
    small = p.reals(e**2 + f**2 <= 4 * (last - low) ** 2, named, short)
    cauchy = p.reals((right * e + up * f) ** 2 <= (right**2 + up**2) * (e**2 + f**2))
    length_, is_length = p.define("q", e**2 + f**2)
    size, is_size = p.define("s", right**2 + up**2)
    most = p.reals(
        size * length_ <= width**2 * (4 * (last - low) ** 2),
        p.reals(sp.And(size >= 0, size <= width**2), is_size, norm),
        p.reals(sp.And(length_ >= 0, length_ <= 4 * (last - low) ** 2), is_length, small),
    )
    total, is_total = p.define("t", right * e + up * f)
    bounded = p.reals(
        total**2 <= (2 * width * (last - low)) ** 2, cauchy, most, is_total, is_size, is_length
    )
    positive = p.reals(2 * width * (last - low) >= 0, norm, order)
    p.qed(p.reals(total >= -2 * width * (last - low), bounded, positive), is_total, is_e, is_f)


TURN = Theorem(
    "class-gap-at-a-turn",
    Statement(
        title="Two neighbouring chords: how far they turn",
        source="theory.md, section 8",
        words="The directions t_0, t_1 of two neighbouring chords of a circle have <w, t_1 - t_0> "
        ">= -2 W (V_2 - V_0) for |w| <= W.",
        hypotheses={
            "order": low <= last,
            "norm": sp.And(width >= 0, right**2 + up**2 <= width**2),
        },
        conclusion=right * (_along(high, last)[0] - _along(low, high)[0])
        + up * (_along(high, last)[1] - _along(low, high)[1])
        >= -2 * width * (last - low),
    ),
    _turn,
)


def _score(number: Term, spaces: Term) -> Term:
    """The score of a class at n spaces and no letters."""
    cosine, sine = _point(v_(spaces))
    return rho * (x_(number) * cosine + y_(number) * sine) + b_(number)


IN_L = (n >= 0, n <= L)
GAPS = {
    "length": L >= 1,
    "sizes": sp.And(rho > 0, width >= 0),
    "above": every(n, BELOW_L, _score(n, n) - _score(n + 1, n) >= gap),
    "below": every(n, BELOW_L, _score(n + 1, n + 1) - _score(n, n + 1) >= gap),
    "norms": every(n, IN_L, x_(n) ** 2 + y_(n) ** 2 <= width**2),
}
ARC = {
    "arc": every(n, IN_L, sp.And(-MOST <= v_(n), v_(n) <= MOST)),
    "order": every(n, BELOW_L, v_(n) <= v_(n + 1)),
}
LIMIT = (88 - 56 * sp.sqrt(2)) * rho * width


def _ahead(number: Term, spaces: Term) -> Term:
    """<w_k, t_n>."""
    x, y = _along(v_(spaces), v_(spaces + 1))
    return x_(number) * x + y_(number) * y


def _arc(p: Proof) -> None:
    goal = p.theorem.statement.conclusion
    length, sizes = p.given["length"], p.given["sizes"]

    def none(q: Proof, case: Fact) -> Fact:
        limit = q.reals(LIMIT >= 0, sizes)
        return q.reals(goal, limit, q.reals(gap * L**2 <= 0, case), sizes)

    p.qed(p.cases(goal, [gap <= 0, gap > 0], [none, _some]), length)


def _some(p: Proof, case: Fact) -> Fact:
    goal = p.theorem.statement.conclusion
    length, sizes = p.given["length"], p.given["sizes"]
    g, is_g = p.define("g", 2 * gap / rho, sizes)
    mu, is_mu = p.define("mu", L / (8 * MOST))
    positive = p.reals(sp.And(g > 0, mu > 0), is_g, is_mu, case, sizes, length)

    def place(q: Proof, t: Term, *facts: Fact) -> Fact:
        return q.reals(sp.And(-1 <= v_(t), v_(t) <= 1), q.at(p.given["arc"], t, *facts))

    def chord(q: Proof, t: Term, *facts: Fact) -> Fact:
        """The gain of the classes t and t + 1 along the chord of t."""
        above, below = (q.at(p.given[name], t, *facts) for name in ("above", "below"))
        gain = (x_(t + 1) - x_(t)) * (_point(v_(t + 1))[0] - _point(v_(t))[0]) + (
            y_(t + 1) - y_(t)
        ) * (_point(v_(t + 1))[1] - _point(v_(t))[1])
        both = q.reals(rho * gain >= 2 * gap, above, below)
        enough = q.reals(gain >= g, both, is_g, sizes)
        ends = [place(q, t, *facts), place(q, t + 1, *facts), q.at(p.given["order"], t, *facts)]
        values = {
            low: v_(t), high: v_(t + 1), threshold: g, rate: mu,
            right: x_(t + 1) - x_(t), up: y_(t + 1) - y_(t),
        }  # fmt: skip
        return q.use("class-gap-along-a-chord", values, enough, positive, *ends)

    def turn(q: Proof, t: Term, *facts: Fact) -> Fact:
        """The class t along the chords before and after."""
        orders = [q.at(p.given["order"], one, *facts) for one in (t - 1, t)]
        norm = q.at(p.given["norms"], t, *facts)
        values = {
            low: v_(t - 1), high: v_(t), last: v_(t + 1), right: x_(t), up: y_(t)
        }  # fmt: skip
        return q.use("class-gap-at-a-turn", values, norm, sizes, *orders)

    inside = sp.And(
        _ahead(n, n - 1) - _ahead(0, 0) + 2 * width * (v_(n) + v_(n - 1) - v_(1) - v_(0))
        >= g * (2 * mu * n - 4 * mu**2 * (v_(n) - v_(0))),
    )
    formula = sp.Implies(n <= L, inside)

    def next_one(q: Proof, t: Term, start: Fact, here: Fact) -> Fact:
        wanted = substituted(formula, {n: t + 1})

        def less(r: Proof, below: Fact) -> Fact:
            steps = chord(r, t, start, below), turn(r, t, start, below)
            before = r.reals(substituted(inside, {n: t}), here, below)
            return r.reals(wanted, *steps, before)

        return q.cases(
            wanted, [t <= L - 1, t > L - 1], [less, lambda r, more: r.reals(wanted, more)]
        )

    base = chord(p, sp.Integer(0), length)
    whole = p.at(p.induction(n, 1, formula, next_one, base, length), L, length)
    summed = p.reals(substituted(inside, {n: L}), whole)

    def end(number: Term, spaces: Term, sign: int) -> Fact:
        """sign <w_k, t_n> <= W."""
        norm = p.at(p.given["norms"], number, length)
        values = {low: v_(spaces), high: v_(spaces + 1), right: sign * x_(number)}
        values[up] = sign * y_(number)
        return p.use("class-gap-direction", values, norm, sizes)

    ends = end(L, L - 1, 1), end(sp.Integer(0), sp.Integer(0), -1)
    places = [p.at(p.given["arc"], t, length) for t in (L, L - 1, sp.Integer(1), sp.Integer(0))]
    spread = p.reals(v_(L) + v_(L - 1) - v_(1) - v_(0) <= 4 * MOST, *places)
    far = p.reals(width * (v_(L) + v_(L - 1) - v_(1) - v_(0)) <= width * (4 * MOST), spread, sizes)
    upper = p.reals(
        g * (2 * mu * L - 4 * mu**2 * (v_(L) - v_(0))) <= 2 * width + 8 * width * MOST,
        summed,
        *ends,
        far,
    )
    apart = p.reals(v_(L) - v_(0) <= 2 * MOST, places[0], places[3])
    weight, is_weight = p.define("h", g * mu**2)
    weighted = p.reals(weight > 0, is_weight, positive)
    product = p.reals(weight * (v_(L) - v_(0)) <= weight * (2 * MOST), apart, weighted)
    lower = p.reals(
        g * (2 * mu * L) - weight * (8 * MOST) <= 2 * width + 8 * width * MOST,
        upper,
        product,
        is_weight,
    )
    value = p.reals(sp.Eq(8 * MOST * mu, L), is_mu)
    squares = p.reals(sp.Eq(weight * (8 * MOST), g * mu * L), value, is_weight)
    single = p.reals(g * mu * L <= 2 * width + 8 * width * MOST, lower, squares)
    scaled = p.reals(
        g * L * L <= 8 * MOST * (2 * width + 8 * width * MOST),
        p.reals(sp.Eq(g * L * L, 8 * MOST * (g * mu * L)), value),
        single,
    )
    numbers = p.reals(g * L**2 <= 2 * (88 - 56 * sp.sqrt(2)) * width, scaled)
    named = p.reals(sp.Eq(g * rho, 2 * gap), is_g, sizes)
    times = p.reals(g * L**2 * rho <= 2 * (88 - 56 * sp.sqrt(2)) * width * rho, numbers, sizes)
    return p.reals(goal, times, named)


def _direction(p: Proof) -> None:
    norm = p.given["norm"]
    e, f = _along(low, high)
    square = p.identity(e**2 + f**2, sp.Integer(1))
    (x, is_x), (y, is_y) = p.define("e", e), p.define("f", f)
    unit = p.reals(sp.Eq(x**2 + y**2, 1), square, is_x, is_y)
    cauchy = p.reals((right * x + up * y) ** 2 <= (right**2 + up**2) * (x**2 + y**2))
    small = p.reals((right * x + up * y) ** 2 <= width**2, cauchy, unit, norm)
    p.qed(p.reals(right * x + up * y <= width, small, norm), is_x, is_y)


DIRECTION = Theorem(
    "class-gap-direction",
    Statement(
        title="The direction of a chord is a unit vector",
        source="theory.md, section 8",
        words="<w, t> <= W for |w| <= W and the direction t of a chord of a circle.",
        hypotheses={"norm": sp.And(width >= 0, right**2 + up**2 <= width**2)},
        conclusion=right * _along(low, high)[0] + up * _along(low, high)[1] <= width,
    ),
    _direction,
)

ON_ARC = Theorem(
    "class-gap-on-an-arc",
    Statement(
        title="The gap of classes over points in order on half a circle",
        source="theory.md, section 8",
        words="Let the scores be rho <w_k, u_n> + b_k with |w_k| <= W, (X_k, Y_k) being w_k in the "
        "plane of the units u_n, whose angles 4 atan(V_n) in [-pi/2, pi/2] do not decrease. If the "
        "classes n and n + 1 win against each other by G at n and n + 1 spaces then "
        "G L^2 <= (88 - 56 sqrt(2)) rho W.",
        integers=(L,),
        hypotheses={**GAPS, **ARC},
        conclusion=gap * L**2 <= LIMIT,
    ),
    _arc,
)

# The line of h_n = N_0 + n N_1 in its plane: the second axis along N_1, the first across.

tangent, secant, size_ = symbols("T E R")


def _quarter(p: Proof) -> None:
    half, given = p.given["half"], p.given["quarter"]
    root, bounds = p.given["root"], p.given["bounds"]
    more = p.reals(secant >= 1, root)
    product = p.reals(sp.Eq(low * (1 + secant), tangent), given, more)
    square = p.reals(sp.Eq(low**2 * (1 + secant), secant - 1), product, root, more)
    plus = p.reals(sp.Eq((1 + low**2) * (1 + secant), 2 * secant), square)
    quartic = p.reals(
        sp.Eq((1 - 6 * low**2 + low**4) * (1 + secant) ** 2, 8 - 4 * secant**2), square
    )
    wide = p.reals(sp.Eq((1 + low**2) ** 2 * (1 + secant) ** 2, 4 * secant**2), plus)
    cosine = p.reals(
        sp.Eq((1 - 6 * low**2 + low**4) * secant**2, (2 - secant**2) * (1 + low**2) ** 2),
        quartic,
        wide,
        more,
    )
    sine = p.reals(
        sp.Eq(4 * low * (1 - low**2) * secant**2, 2 * tangent * (1 + low**2) ** 2),
        p.reals(
            sp.Eq(4 * low * (1 - low**2) * (1 + secant) ** 2, 8 * tangent),
            p.reals(sp.Eq((1 - low**2) * (1 + secant), 2), square),
            product,
        ),
        wide,
        more,
    )
    names = p.reals(
        sp.And(sp.Eq(secant**2 * right, 2 - secant**2), sp.Eq(secant**2 * up, 2 * tangent)),
        half,
        root,
    )
    shorter = p.reals(secant <= sp.sqrt(2), root, bounds)
    turned = p.reals(
        low**2 <= MOST**2,
        p.reals(low**2 <= (secant - 1) / (secant + 1), square, more),
        shorter,
        more,
    )
    small = p.reals(sp.And(-MOST <= low, low <= MOST), turned)
    first_ = p.reals(
        sp.Eq((1 - 6 * low**2 + low**4) / (1 + low**2) ** 2, right), cosine, names, more
    )
    second_ = p.reals(sp.Eq(4 * low * (1 - low**2) / (1 + low**2) ** 2, up), sine, names, more)
    p.qed(small, first_, second_)


QUARTER = Theorem(
    "class-gap-quarter-of-an-angle",
    Statement(
        title="The tangent of a quarter of an angle",
        source="theory.md, section 8",
        words="If T is the tangent of half an angle in [-pi/2, pi/2], E = sqrt(1 + T^2) and "
        "V = T/(1 + E), then |V| <= sqrt(2) - 1, and cosine and sine are those of 4 atan V.",
        hypotheses={
            "bounds": sp.And(-1 <= tangent, tangent <= 1),
            "root": sp.And(secant > 0, sp.Eq(secant**2, 1 + tangent**2)),
            "quarter": sp.Eq(low, tangent / (1 + secant)),
            "half": sp.And(
                sp.Eq(right, (1 - tangent**2) / (1 + tangent**2)),
                sp.Eq(up, 2 * tangent / (1 + tangent**2)),
            ),
        },
        conclusion=sp.And(
            -MOST <= low,
            low <= MOST,
            sp.Eq(_point(low)[0], right),
            sp.Eq(_point(low)[1], up),
        ),
    ),
    _quarter,
)


def _angle(x: Term) -> Term:
    """The tangent of a quarter of the angle of (y, x)."""
    norm = sp.sqrt(height**2 + x**2)
    return x / (norm + height + sp.sqrt(2 * norm * (norm + height)))


def _at_line(p: Proof) -> None:
    known = [p.given["half plane"]]
    norm, is_norm = p.define("R", sp.sqrt(height**2 + start_**2), *known)
    size = p.reals(
        sp.And(norm > 0, sp.Eq(norm**2, height**2 + start_**2), norm + height > 0), is_norm, *known
    )
    root, is_root = p.define("Q", sp.sqrt(2 * norm * (norm + height)), size, *known)
    roots = p.reals(
        sp.And(root > 0, sp.Eq(root**2, 2 * norm * (norm + height))), is_root, size, *known
    )
    t, is_t = p.define("T", start_ / (norm + height), size)
    e, is_e = p.define("E", root / (norm + height), size)
    t_product = p.reals(sp.Eq(t * (norm + height), start_), is_t, size)
    t_square = p.reals(sp.Eq(t**2 * (norm + height), norm - height), t_product, size)
    bounds = p.reals(sp.And(-1 <= t, t <= 1), t_square, size, *known)
    e_product = p.reals(sp.Eq(e * (norm + height), root), is_e, size)
    e_square = p.reals(sp.Eq(e**2 * (norm + height), 2 * norm), e_product, roots, size)
    secant_ = p.reals(
        sp.And(e > 0, sp.Eq(e**2, 1 + t**2)), e_square, t_square, e_product, roots, size
    )
    cosine = p.reals(sp.Eq(height / norm, (1 - t**2) / (1 + t**2)), t_square, size, *known)
    sine = p.reals(
        sp.Eq(start_ / norm, 2 * t / (1 + t**2)),
        p.reals(sp.Eq(start_ * (1 + t**2), 2 * t * norm), t_square, t_product, size),
        size,
    )
    denominator, is_denominator = p.define("D", norm + height + root)
    whole = p.reals(sp.And(denominator > 0, norm + height > 0), is_denominator, roots, size)
    given = p.reals(
        sp.Eq(low, start_ / denominator), p.given["V"], is_root, is_norm, is_denominator, whole
    )
    product = p.reals(sp.Eq(low * (norm + height + root), start_), given, is_denominator, whole)
    inside = p.reals(
        sp.Eq(low * (1 + e) * (norm + height), t * (norm + height)), product, e_product, t_product
    )
    value = p.reals(sp.Eq(low, t / (1 + e)), inside, secant_, size)
    found = p.use(
        "class-gap-quarter-of-an-angle",
        {tangent: t, secant: e, right: height / norm, up: start_ / norm},
        bounds, secant_, value, cosine, sine, size,
    )  # fmt: skip
    p.qed(found, is_norm, size)


AT_LINE = Theorem(
    "class-gap-angle-on-a-line",
    Statement(
        title="The angle of a point, by the tangent of its quarter",
        source="theory.md, section 8",
        words="(y, x)/|(y, x)|, y >= 0, has the tangent V = x/(R + y + sqrt(2R (R + y))) of a "
        "quarter of its angle, R = |(y, x)|, and |V| <= sqrt(2) - 1.",
        hypotheses={
            "half plane": sp.And(height >= 0, height**2 + start_**2 > 0),
            "V": sp.Eq(low, _angle(start_)),
        },
        conclusion=sp.And(
            -MOST <= low,
            low <= MOST,
            sp.Eq(_point(low)[0], height / sp.sqrt(height**2 + start_**2)),
            sp.Eq(_point(low)[1], start_ / sp.sqrt(height**2 + start_**2)),
        ),
    ),
    _at_line,
)


def _order(p: Proof) -> None:
    goal = p.theorem.statement.conclusion
    sizes, small, ahead = p.given["sizes"], p.given["small"], p.given["ahead"]
    (c, s), (c1, s1) = _point(low), _point(high)
    (cc, is_c), (ss, is_s) = p.define("c", c), p.define("s", s)
    (cd, is_cd), (sd, is_sd) = p.define("C", c1), p.define("S", s1)
    places = p.reals(
        sp.And(
            sp.Eq(first * cc, height),
            sp.Eq(second * cd, height),
            sp.Eq(first * ss, start_),
            sp.Eq(second * sd, step_),
        ),
        p.given["points"], is_c, is_s, is_cd, is_sd,
    )  # fmt: skip
    area = p.reals(sp.Eq(first * second * (sd * cc - ss * cd), height * (step_ - start_)), places)
    more = p.reals(height * (step_ - start_) >= 0, ahead)
    positive = p.reals(first * second > 0, sizes)
    cross = p.reals(sd * cc - ss * cd >= 0, area, more, positive)
    wide = (1 + low**2) * (1 + high**2)
    turn = (high - low) * (1 + low * high)
    rest = (1 + low * high) ** 2 - (high - low) ** 2
    same = p.identity(s1 * c - s * c1, 4 * turn * rest / wide**2)
    unfolded = p.unfold(cross, is_c, is_s, is_cd, is_sd)
    sign = p.reals(4 * turn * rest / wide**2 >= 0, same, unfolded)
    plain = p.reals(turn * rest >= 0, sign, p.reals(wide > 0))

    def falls(q: Proof, case: Fact) -> Fact:
        ends = q.reals(sp.And(sp.Eq(low, MOST), sp.Eq(high, -MOST)), plain, small, case)
        flat = q.reals(sp.And(sp.Eq(ss, 1), sp.Eq(sd, -1)), ends, is_s, is_sd)
        return q.reals(goal, flat, places, ahead, sizes)

    ahead_ = [low <= high, low > high]
    p.qed(p.cases(goal, ahead_, [lambda q, case: q.reals(goal, case), falls]))


ORDER = Theorem(
    "class-gap-order",
    Statement(
        title="Angles on a line in order",
        source="theory.md, section 8",
        words="Of two points A (cos, sin) = (y, x_0), S (cos, sin) = (y, x_1) with y >= 0 and "
        "x_0 <= x_1 the second has no smaller angle.",
        hypotheses={
            "sizes": sp.And(first > 0, second > 0),
            "small": sp.And(-MOST <= low, low <= MOST, -MOST <= high, high <= MOST),
            "ahead": sp.And(height >= 0, start_ <= step_),
            "points": sp.And(
                sp.Eq(first * _point(low)[0], height),
                sp.Eq(second * _point(high)[0], height),
                sp.Eq(first * _point(low)[1], start_),
                sp.Eq(second * _point(high)[1], step_),
            ),
        },
        conclusion=high - low >= 0,
    ),
    _order,
)


def _place(spaces: Term) -> Term:
    return start_ + spaces * step_


def _size(spaces: Term) -> Term:
    return sp.sqrt(height**2 + _place(spaces) ** 2)


def _after_norm(number: Term, spaces: Term) -> Term:
    """The score of a class at n spaces and no letters."""
    x = x_(number) * height + y_(number) * _place(spaces)
    return rho * x / _size(spaces) + b_(number)


POST = {
    "length": L >= 1,
    "sizes": sp.And(rho > 0, width >= 0),
    "line": sp.And(height >= 0, step_ >= 0),
    "defined": every(n, IN_L, height**2 + _place(n) ** 2 > 0),
    "above": every(
        n,
        (*BELOW_L, height**2 + _place(n) ** 2 > 0),
        _after_norm(n, n) - _after_norm(n + 1, n) >= gap,
    ),
    "below": every(
        n,
        (*BELOW_L, height**2 + _place(n + 1) ** 2 > 0),
        _after_norm(n + 1, n + 1) - _after_norm(n, n + 1) >= gap,
    ),
    "norms": GAPS["norms"],
    "V": every(n, (*IN_L, height**2 + _place(n) ** 2 > 0), sp.Eq(v_(n), _angle(_place(n)))),
}


def _post(p: Proof) -> None:
    line = p.given["line"]

    def point(q: Proof, t: Term, conditions: list[Fact]) -> list[Fact]:
        defined = q.at(p.given["defined"], t, *conditions)
        value = q.at(p.given["V"], t, *conditions, defined)
        values = {low: v_(t), start_: _place(t)}
        found = q.use("class-gap-angle-on-a-line", values, defined, value, line)
        return [found, defined]

    def arc(q: Proof, t: Term, conditions: list[Fact]) -> Fact:
        found = point(q, t, conditions)[0]
        return q.reals(sp.And(-MOST <= v_(t), v_(t) <= MOST), found)

    def order(q: Proof, t: Term, conditions: list[Fact]) -> Fact:
        ends = [fact for one in (t, t + 1) for fact in point(q, one, conditions)]
        values = {
            low: v_(t), high: v_(t + 1), first: _size(t), second: _size(t + 1),
            start_: _place(t), step_: _place(t + 1),
        }  # fmt: skip
        sizes = q.reals(sp.And(_size(t) > 0, _size(t + 1) > 0), ends[1], ends[3])
        found = q.use("class-gap-order", values, *ends, sizes, line)
        return q.reals(ARC["order"].at(t)[1], found)

    def gaps(name: str, ahead: int) -> Callable[[Proof, Term, list[Fact]], Fact]:
        def show(q: Proof, t: Term, conditions: list[Fact]) -> Fact:
            spaces = t + ahead
            found, defined = point(q, spaces, conditions)
            given = q.at(p.given[name], t, *conditions, defined)
            cosine, sine = _point(v_(spaces))
            (c, is_c), (s, is_s) = q.define("c", cosine), q.define("s", sine)
            share = [height / _size(spaces), _place(spaces) / _size(spaces)]
            parts = q.reals(
                sp.And(sp.Eq(c, share[0]), sp.Eq(s, share[1])), found, is_c, is_s, defined
            )
            x, y = x_(t) - x_(t + 1), y_(t) - y_(t + 1)
            sign = -1 if ahead else 1
            (ratio, is_ratio), (other_, is_other) = (
                q.define("f", share[0], defined),
                q.define("e", share[1], defined),
            )
            less = q.identity(
                rho * (x * height + y * _place(spaces)) / _size(spaces),
                rho * (x * share[0] + y * share[1]), defined,
            )  # fmt: skip
            total = q.reals(
                sign * (rho * (x * share[0] + y * share[1]) + b_(t) - b_(t + 1)) >= gap,
                given,
                less,
                defined,
            )
            named = q.reals(
                sign * (rho * (x * ratio + y * other_) + b_(t) - b_(t + 1)) >= gap,
                total,
                is_ratio,
                is_other,
                defined,
            )
            both = q.reals(
                sp.And(sp.Eq(c, ratio), sp.Eq(s, other_)), parts, is_ratio, is_other, defined
            )
            plain = q.reals(sign * (rho * (x * c + y * s) + b_(t) - b_(t + 1)) >= gap, named, both)
            unfolded = q.unfold(plain, is_c, is_s)
            return q.reals(GAPS[name].at(t)[1], unfolded)

        return show

    facts = [p.every(ARC["arc"], arc), p.every(ARC["order"], order)]
    facts += [
        p.every(GAPS[name], gaps(name, ahead)) for name, ahead in (("above", 0), ("below", 1))
    ]
    named = [p.given[name] for name in ("length", "sizes", "norms")]
    p.qed(p.use("class-gap-on-an-arc", {}, *facts, *named))


POST_LN = Theorem(
    "class-gap-of-post-ln",
    Statement(
        title="The gap of classes after LayerNorm",
        source="theory.md, section 8",
        words="Let h_n = (y, x_0 + n x_1) with y, x_1 >= 0 be the normalised states' directions "
        "(orthonormal coordinates, the second along the space's), and (X_k, Y_k) the part of the "
        "class vector in their plane, of norm at most W; V_n names tan(angle/4). If the classes n "
        "and n + 1 win against each other by G at n and n + 1 spaces, over the scores "
        "rho <w_k, h_n>/|h_n| + b_k, then G L^2 <= (88 - 56 sqrt(2)) rho W.",
        integers=(L,),
        hypotheses=POST,
        conclusion=gap * L**2 <= LIMIT,
    ),
    _post,
)

# --- the parabola --------------------------------------------------------------------------

PARABOLA = {
    "positive": eps > 0,
    "length": L >= 1,
    "inputs": sp.And(n >= 0, m >= 0, n + m <= L),
    "apart": sp.Ne(k, n),
}


def _parabola_theorem(
    name: str,
    title: str,
    words: str,
    weights: Formula,
    denominator: Term,
    scale: Term,
    farther: Callable[[Proof, list[Fact]], list[Fact]],
) -> Theorem:
    """eps/z on the whole domain, and at n = L against L - 1 no more."""
    longest = denominator.subs({n: L, m: 0}, simultaneous=True)

    def prove(p: Proof) -> None:
        known = [p.given[label] for label in ("weights", *PARABOLA)]
        known += farther(p, known)
        own_, other_ = p.given["own"], p.given["other"]
        value, is_value = p.define("z", denominator, *known)
        most, is_most = p.define("Z", longest, *known)
        bounds = p.reals(sp.And(value > 0, value <= most), is_value, is_most, *known)
        step, is_step = p.define("e", eps * scale, *known)
        positive = p.reals(step > 0, is_step, *known)
        plain = [
            p.reals(sp.Eq(value * own, step * n**2 + common), own_, is_value, is_step),
            p.reals(
                sp.Eq(value * other, step * (2 * k * n - k**2) + common), other_, is_value, is_step
            ),
        ]
        far = p.use(
            "parabola-decodes", {z: value, eps: step}, *plain, positive, bounds, p.given["apart"]
        )
        part = p.reals(own - other >= step / most, far, bounds, positive)
        same = p.reals(
            sp.Implies(sp.And(sp.Eq(n, L), sp.Eq(k, L - 1)), sp.Eq(value * (own - other), step)),
            *plain,
        )
        end = p.reals(
            sp.Implies(sp.And(sp.Eq(n, L), sp.Eq(m, 0)), sp.Eq(value, most)),
            is_value,
            is_most,
            *known,
        )
        last_one = sp.And(sp.Eq(n, L), sp.Eq(m, 0), sp.Eq(k, L - 1))
        equal = p.reals(sp.Implies(last_one, sp.Eq(own - other, step / most)), same, end, bounds)
        p.qed(part, equal, is_step, is_most, *known)

    return Theorem(
        name,
        Statement(
            title=title,
            source="theory.md, section 8",
            words=words,
            integers=(L, n, m, k),
            hypotheses={
                "weights": weights,
                **PARABOLA,
                "own": sp.Eq(denominator * own, eps * scale * n**2 + common),
                "other": sp.Eq(denominator * other, eps * scale * (2 * k * n - k**2) + common),
            },
            conclusion=sp.And(
                own - other >= eps * scale / longest,
                sp.Implies(
                    sp.And(sp.Eq(n, L), sp.Eq(m, 0), sp.Eq(k, L - 1)),
                    sp.Eq(own - other, eps * scale / longest),
                ),
            ),
        ),
        prove,
    )


PARABOLA_SOFTMAX = _parabola_theorem(
    "class-gap-of-parabola",
    "The smallest gap of a parabola over softmax attention",
    "Classes along a parabola over z = a + n + delta m have the gap epsilon/(a + L) at least, "
    "and exactly this at n = L against the class L - 1.",
    sp.And(a > 0, delta >= 0, delta <= 1),
    a + n + delta * m,
    sp.Integer(1),
    lambda p, known: [],
)


def _square(spaces: Term) -> Term:
    return (first + second * spaces) ** 2 + (aside + across * spaces) ** 2


def _convex(p: Proof, known: list[Fact]) -> list[Fact]:
    """|N(n)|^2 <= |N(L)|^2, a parabola in n being convex."""
    start, end = _square(sp.Integer(0)), _square(L)
    lean = p.identity(
        (L - n) * start + n * end - L * _square(n), (second**2 + across**2) * n * (L - n) * L
    )
    slope, is_slope = p.define("q", second**2 + across**2)
    product, is_product = p.define("h", n * (L - n) * L)
    positive = p.reals(
        sp.And(slope >= 0, product >= 0),
        is_slope,
        p.reals(product >= 0, p.reals(n * (L - n) >= 0, *known), is_product, *known),
    )
    more = p.reals((second**2 + across**2) * n * (L - n) * L >= 0, positive, is_slope, is_product)
    below = p.reals(L * _square(n) <= (L - n) * start + n * end, lean, more)
    least = p.reals((L - n) * start <= (L - n) * end, *known)
    scaled = p.reals(L * _square(n) <= L * end, below, least)
    return [p.reals(_square(n) <= end, scaled, *known)]


PARABOLA_POST = _parabola_theorem(
    "class-gap-of-parabola-after-norm",
    "The smallest gap of a parabola after LayerNorm",
    "Classes along a parabola over |N(n)|/R, N(n) = (A + S n, C + T n) in orthonormal coordinates, "
    "have the gap epsilon R/|N(L)| at least if |N(0)| <= |N(L)|, and exactly this at n = L against "
    "the class L - 1.",
    sp.And(
        radius > 0,
        _square(n) > 0,
        _square(L) > 0,
        _square(sp.Integer(0)) <= _square(L),
    ),
    sp.sqrt(_square(n)),
    radius,
    _convex,
)
