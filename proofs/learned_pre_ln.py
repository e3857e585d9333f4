"""Learned pre-LN softmax: v_t = g u_t + b entrywise, with u_t on the sphere in 1-perp.

Entries are those of the gain g, the bias b, u (boundary), s (space) and the read-out w.
"""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import HALF, Term, Total, dot, every, every_real, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.polytope import A, a, first
from proofs.terms import B, L, d, least_value, least_weight, n, rounds, softmax_weight

g, b, u, s, w = symbols("g_i b_i u_i s_i w_i")
BOUNDARY, SPACE = g * u + b, g * s + b
MEAN, HALF_DIFFERENCE = (BOUNDARY + SPACE) / 2, g * (u - s) / 2
GAINED = g**2 * (u + s) ** 2, g**2 * (u - s) ** 2
P2, Q2 = Total(MEAN**2), Total(HALF_DIFFERENCE**2)
K = 1 + sp.sqrt(d - 1)

NORMALISED = {
    "dimension": d >= 3,
    "entries": sp.Eq(Total(sp.Integer(1)), d),
    "means": sp.And(sp.Eq(Total(u), 0), sp.Eq(Total(s), 0)),
    "spheres": sp.And(sp.Eq(Total(u**2), d), sp.Eq(Total(s**2), d)),
}
ENTRIES = dict.fromkeys((g, b, u, s, w), ())


def _bessel(p: Proof) -> None:
    known = list(p.given.values())
    others = [name for name in p.theorem.statement.vectors if name not in ("e", "o")]
    parts = {name: -dot("e", name) / dot(name, name) for name in others}
    apart = p.square({"e": sp.Integer(1), "o": -1 / d, **parts}, *known, why="e less its shadow")
    p.qed(apart, *known)


def _shadows(names: tuple[str, ...]) -> Statement:
    orthogonal = [("o", name) for name in names] + [names[i:] for i in range(len(names) - 1)]
    shadows = [dot("e", name) ** 2 / dot(name, name) for name in names]
    return Statement(
        title="The inequality of Bessel for a unit vector of R^d and vectors of 1-perp",
        source="exact-bounds.md, Learned pre-LN, Lemma",
        words="A unit vector e with <e, 1> = 1 and orthogonal vectors of 1-perp, not 0: the "
        "squares <e, v>^2/|v|^2 add up to at most 1 - 1/d.",
        vectors=("e", "o", *names),
        hypotheses={
            "dimension": d >= 3,
            "unit": sp.And(sp.Eq(dot("e", "e"), 1), sp.Eq(dot("e", "o"), 1)),
            "ones": sp.Eq(dot("o", "o"), d),
            "orthogonal": sp.And(*(sp.Eq(dot(*pair), 0) for pair in orthogonal)),
            "not zero": sp.And(*(dot(name, name) > 0 for name in names)),
        },
        conclusion=sp.Add(*shadows) <= 1 - 1 / d,
    )


BESSEL_1 = Theorem("bessel-of-one", _shadows(("v",)), _bessel)
BESSEL_2 = Theorem("bessel-of-two", _shadows(("p", "q")), _bessel)


def _spread(p: Proof) -> None:
    goal = p.theorem.statement.conclusion
    rows = {"p": u + s, "q": u - s}
    one, known = sp.Integer(1), list(p.given.values())
    sums, squares = [Total(row) for row in rows.values()], [Total(r**2) for r in rows.values()]
    product = Total((u + s) * (u - s))
    zero = [
        p.sums(lambda t, x, y: sp.Eq(t, x + y), [u + s, u, s]),
        p.sums(lambda t, x, y: sp.Eq(t, x - y), [u - s, u, s]),
        p.sums(lambda t, x, y: sp.Eq(t, x - y), [(u + s) * (u - s), u**2, s**2]),
    ]
    flat = p.reals(sp.And(*(sp.Eq(t, 0) for t in (*sums, product))), *zero, *known)
    both = p.sums(
        lambda t, v, x, y: sp.Eq(t + v, 2 * x + 2 * y), [(u + s) ** 2, (u - s) ** 2, u**2, s**2]
    )
    positive = [p.sums(lambda t: t >= 0, [row**2]) for row in rows.values()]
    total = p.reals(sp.Eq(squares[0] + squares[1], 4 * d), both, *known)
    gains = [Total(gained) for gained in GAINED]
    least = [p.sums(lambda t: t >= 0, [gained]) for gained in GAINED]
    gain = p.given["gain"]

    def vanishes(q: Proof, index: int, zero: Fact) -> Fact:
        """The gained vector vanishes with the vector."""
        row = list(rows.values())[index]
        bound = q.sums(
            lambda t, v, x: t <= v * x,
            [GAINED[index], g**2, row**2],
            extra=[lambda t, v, x: v >= 0, lambda t, v, x: x >= 0],
        )
        return q.reals(sp.Eq(gains[index], 0), bound, zero, least[index])

    def alone(q: Proof, index: int, zero: Fact) -> Fact:
        """One vector is 0, so the other's square is 4 d."""
        other, row = 1 - index, list(rows.values())[1 - index]
        size = q.reals(sp.Eq(squares[other], 4 * d), total, zero)
        facts = [size, flat, *known]

        def of_index(r: Proof, about: list[Fact]) -> list[Fact]:
            shadow = r.use("bessel-of-one", {}, *facts, rows={"e": None, "o": one, "v": row})
            part = r.reals(row**2 <= 4 * (d - 1), shadow, size, known[0])
            return [r.reals(GAINED[other] <= 4 * (d - 1) * g**2, part, known[0])]

        spread = q.sums(
            lambda t, v: t <= 4 * (d - 1) * v, [GAINED[other], g**2], *facts, show=of_index
        )
        most = q.reals(gains[other] <= 4 * (d - 1) * B**2, spread, gain, known[0])
        return q.reals(goal, most, vanishes(q, index, zero), least[other])

    def together(q: Proof, apart: Fact) -> Fact:
        facts = [apart, flat, *known]

        def of_index(r: Proof, about: list[Fact]) -> list[Fact]:
            shadows = r.use("bessel-of-two", {}, *facts, rows={"e": None, "o": one, **rows})
            parts = sp.Add(*(gained / t for gained, t in zip(GAINED, squares, strict=True)))
            return [r.reals(parts <= (1 - 1 / d) * g**2, shadows, apart, known[0])]

        spread = q.sums(
            lambda t, v, x: t / squares[0] + v / squares[1] <= (1 - 1 / d) * x,
            [*GAINED, g**2],
            *facts,
            show=of_index,
        )
        parts = gains[0] / squares[0] + gains[1] / squares[1]
        most = q.reals(parts <= (1 - 1 / d) * B**2, spread, gain, known[0], apart)
        values = {x1: squares[0], x2: squares[1], y1: gains[0], y2: gains[1]}
        sum_ = q.use("cauchy-schwarz-of-ratios", values, apart, *least)
        return q.reals(goal, sum_, most, total, known[0], apart)

    p.qed(
        p.cases(
            goal,
            [sp.Eq(squares[0], 0), sp.Eq(squares[1], 0), sp.And(*(t > 0 for t in squares))],
            [
                lambda q, zero: alone(q, 0, zero),
                lambda q, zero: alone(q, 1, zero),
                together,
            ],
            *positive,
        )
    )


x1, x2, y1, y2 = symbols("x_1 x_2 y_1 y_2")


def _ratios(p: Proof) -> None:
    weights, values = p.given["weights"], p.given["values"]
    roots = [p.define("r", sp.sqrt(y), values) for y in (y1, y2)]
    (r1, is_r1), (r2, is_r2) = roots
    squares = p.reals(sp.And(sp.Eq(r1**2, y1), sp.Eq(r2**2, y2)), is_r1, is_r2, values)
    middle = p.reals(2 * r1 * r2 <= r1**2 * x2 / x1 + r2**2 * x1 / x2, weights)
    p.qed(middle, squares, is_r1, is_r2, weights)


RATIOS = Theorem(
    "cauchy-schwarz-of-ratios",
    Statement(
        title="The inequality of Cauchy and Schwarz for two weights",
        source="exact-bounds.md, Learned pre-LN, Lemma",
        words="(sqrt(y1) + sqrt(y2))^2 <= (x1 + x2)(y1/x1 + y2/x2).",
        hypotheses={
            "weights": sp.And(x1 > 0, x2 > 0),
            "values": sp.And(y1 >= 0, y2 >= 0),
        },
        conclusion=(sp.sqrt(y1) + sp.sqrt(y2)) ** 2 <= (x1 + x2) * (y1 / x1 + y2 / x2),
    ),
    _ratios,
)

SPREAD = Theorem(
    "spread-of-gains",
    Statement(
        title="Learned pre-LN: what a gain makes of a sum and a difference",
        source="exact-bounds.md, Learned pre-LN, Lemma",
        words="For u_#, u_s on the sphere of radius sqrt(d) in 1-perp and |g| <= B, "
        "(|g (u_# + u_s)| + |g (u_# - u_s)|)^2 <= 4 (d - 1) B^2.",
        entries=dict.fromkeys((g, u, s), ()),
        hypotheses={**NORMALISED, "gain": Total(g**2) <= B**2},
        conclusion=(sp.sqrt(Total(GAINED[0])) + sp.sqrt(Total(GAINED[1]))) ** 2
        <= 4 * (d - 1) * B**2,
    ),
    _spread,
)


def _triangle(p: Proof) -> None:
    vv, ww, vw = dot("v", "v"), dot("w", "w"), dot("v", "w")
    one = sp.Integer(1)
    positive = [p.square({"v": one}), p.square({"w": one}), p.square({"v": one, "w": one})]
    cauchy = p.use("cauchy-schwarz", {}, vectors={"u": {"v": one}, "v": {"w": one}})
    x, is_x = p.define("x", sp.sqrt(vv), *positive)
    z, is_z = p.define("z", sp.sqrt(ww), *positive)
    squares = p.reals(
        sp.And(x >= 0, z >= 0, sp.Eq(x**2, vv), sp.Eq(z**2, ww)), is_x, is_z, *positive
    )
    product = p.reals(vw <= x * z, cauchy, squares)
    most = p.reals(vv + 2 * vw + ww <= (x + z) ** 2, product, squares)
    p.qed(most, squares, is_x, is_z, *positive)


TRIANGLE = Theorem(
    "triangle",
    Statement(
        title="The inequality of the triangle",
        source="textbooks",
        words="|v + w| <= |v| + |w|.",
        vectors=("v", "w"),
        conclusion=sp.sqrt(dot("v", "v") + 2 * dot("v", "w") + dot("w", "w"))
        <= sp.sqrt(dot("v", "v")) + sp.sqrt(dot("w", "w")),
    ),
    _triangle,
)


def _reach(p: Proof) -> None:
    known = list(p.given.values())
    spread = p.use("spread-of-gains", {}, *known)
    half = g * (u + s) / 2
    bias = Total(b**2)
    split = [
        p.sums(
            lambda t, x, y, z: sp.Eq(t, x + 2 * y + z),
            [MEAN**2, half**2, half * b, b**2],
            why="P = g (u_# + u_s)/2 + b",
        ),
        p.sums(lambda t, x: sp.Eq(4 * t, x), [half**2, GAINED[0]]),
        p.sums(lambda t, x: sp.Eq(4 * t, x), [HALF_DIFFERENCE**2, GAINED[1]]),
    ]
    squares = [half**2, b**2, MEAN**2, HALF_DIFFERENCE**2, *GAINED]
    positive = [p.sums(lambda t: t >= 0, [square]) for square in squares]
    triangle = p.use("triangle", {}, *positive, *split, rows={"v": half, "w": b})
    short = p.reals(sp.sqrt(bias) <= B, p.given["norms"], p.given["B >= 0"], *positive)
    names, roots = [], []
    for total in (P2, Q2, Total(half**2), bias, *(Total(gained) for gained in GAINED)):
        name, is_root = p.define("r", sp.sqrt(total), *positive)
        names.append(name)
        roots.append(is_root)
    mean, difference, left, last, first_gain, second_gain = names
    step = p.reals(mean <= left + last, triangle, split[0], *roots, *positive)
    halves = p.reals(
        sp.And(sp.Eq(2 * left, first_gain), sp.Eq(2 * difference, second_gain)),
        *roots,
        *split,
        *positive,
    )
    root, is_root = p.define("r", sp.sqrt(d - 1), p.given["dimension"])
    most = p.reals(
        first_gain + second_gain <= 2 * root * B,
        p.reals((first_gain + second_gain) ** 2 <= 4 * (d - 1) * B**2, spread, *roots, *positive),
        p.reals(sp.And(root > 0, sp.Eq(root**2, d - 1)), is_root, p.given["dimension"]),
        p.given["B >= 0"],
        p.reals(sp.And(first_gain >= 0, second_gain >= 0), *roots, *positive),
    )
    bound = p.reals(mean + difference <= B + root * B, step, halves, most, short, *roots, *positive)
    p.qed(bound, *roots, is_root, *positive, p.given["dimension"])


REACH = Theorem(
    "reach-of-learned-pre-ln",
    Statement(
        title="Learned pre-LN: how far two tokens reach",
        source="exact-bounds.md, Learned pre-LN, Lemma",
        words="For v_t = g u_t + b with |g|, |b| <= B, P = (v_# + v_s)/2 and Q = (v_# - v_s)/2: "
        "|P| + |Q| <= (1 + sqrt(d - 1)) B.",
        entries=dict.fromkeys((g, b, u, s), ()),
        hypotheses={
            **NORMALISED,
            "gain": Total(g**2) <= B**2,
            "norms": Total(b**2) <= B**2,
            "B >= 0": B >= 0,
        },
        conclusion=sp.sqrt(P2) + sp.sqrt(Q2) <= K * B,
    ),
    _reach,
)

# --- the layer ---------------------------------------------------------------------------

WEIGHT = softmax_weight(Total(BOUNDARY**2), Total(BOUNDARY * SPACE), d)
VALUES = Total(w * BOUNDARY), Total(w * SPACE)
LAYER = {
    "length": L >= 1,
    **NORMALISED,
    "gain": Total(g**2) <= B**2,
    "norms": Total(b**2) <= B**2,
    "B >= 0": B >= 0,
    "readout": Total(w**2) <= B**2,
    "rounds": every(
        n, (n >= 0, n <= L), rounds((WEIGHT * VALUES[0] + n * VALUES[1]) / (WEIGHT + n), n)
    ),
}


def _costs(p: Proof) -> Fact:
    """a >= a*, A >= A*, |alpha_#| <= 1/2 for the layer."""
    values = {a: WEIGHT, first: VALUES[0], A: VALUES[1]}
    known = [p.given[name] for name in ("length", "rounds", "dimension")]
    return p.use("least-weight-of-curves", values, *known)


def _largest_value(p: Proof) -> None:
    known = list(p.given.values())
    reach = p.use("reach-of-learned-pre-ln", {}, *known)
    wp, wq = Total(w * MEAN), Total(w * HALF_DIFFERENCE)
    cauchy = [
        p.use("cauchy-schwarz", {}, rows={"u": w, "v": row}) for row in (MEAN, HALF_DIFFERENCE)
    ]
    value = p.sums(
        lambda t, x, y: sp.Eq(t, x - y),
        [w * SPACE, w * MEAN, w * HALF_DIFFERENCE],
        why="v_s = P - Q",
    )
    positive = [p.sums(lambda t: t >= 0, [x**2]) for x in (w, MEAN, HALF_DIFFERENCE)]
    mean, is_mean = p.define("P", sp.sqrt(P2), *positive)
    difference, is_difference = p.define("Q", sp.sqrt(Q2), *positive)
    squares = p.reals(
        sp.And(mean >= 0, difference >= 0, sp.Eq(mean**2, P2), sp.Eq(difference**2, Q2)),
        is_mean,
        is_difference,
        *positive,
    )
    norm, short = p.given["B >= 0"], p.given["readout"]
    by_mean = p.reals(wp <= B * mean, cauchy[0], squares, norm, short, positive[0])
    by_difference = p.reals(-wq <= B * difference, cauchy[1], squares, norm, short, positive[0])
    far, is_far = p.define("K", K, p.given["dimension"])
    together = p.reals(
        mean + difference <= far * B, reach, is_mean, is_difference, is_far, *positive
    )
    most = p.reals(VALUES[1] <= far * B**2, value, by_mean, by_difference, together, norm)
    p.qed(most, is_far, p.given["dimension"])


WITHOUT_ROUNDING = {name: LAYER[name] for name in LAYER if name not in ("length", "rounds")}

LARGEST_VALUE = Theorem(
    "learned-pre-ln-largest-value",
    Statement(
        title="Learned pre-LN: the largest value of a space",
        source="exact-bounds.md, Learned pre-LN, value",
        words="Norms up to B have A = <w, v_s> <= (1 + sqrt(d - 1)) B^2.",
        entries=ENTRIES,
        hypotheses=WITHOUT_ROUNDING,
        conclusion=VALUES[1] <= K * B**2,
    ),
    _largest_value,
)


def _value(p: Proof) -> None:
    most = p.use("learned-pre-ln-largest-value", {}, *p.given.values())
    p.qed(_costs(p), most, p.given["dimension"])


VALUE = Theorem(
    "learned-pre-ln-value",
    Statement(
        title="Learned pre-LN: the value of a space",
        source="exact-bounds.md, Learned pre-LN, value",
        words="Norms up to B that count to L have (1 + sqrt(d - 1)) B^2 >= A*.",
        integers=(L,),
        entries=ENTRIES,
        hypotheses=LAYER,
        conclusion=K * B**2 >= least_value(L),
    ),
    _value,
)

# --- a line of vectors ---------------------------------------------------------------------

reach, speed, end, rho = symbols("Z c a_0 rho")
least = least_weight(L)
ETA = a * (first + HALF)
LINE_SCORE = first**2 - reach * first - reach * (reach - A) <= speed * reach * sp.log(a)


def line_value(weight: Term) -> Term:
    """A(a) = a + L - 1/2 - (a - a*)/(rho L)."""
    return weight + L - HALF - (weight - least) / (rho * L)


def line_boundary(weight: Term) -> Term:
    """alpha(a) = (a - a*)/(rho a) - 1/2."""
    return (weight - least) / (rho * weight) - HALF


alpha0, q0 = symbols("alpha_0 q_0")
END = {
    "rho": sp.Eq(rho, 1 - sp.floor((L - 1) / 2) / L),
    "rho > 0": sp.And(rho > 0, rho <= 1, rho * L > 1),
    "a_0 > 0": end > 0,
    "Z": sp.Eq(reach, line_value(end)),
    "alpha_0": sp.Eq(alpha0, line_boundary(end)),
    "q_0": sp.Eq(q0, least / (rho * end)),
}
RATE = 1 - 1 / (rho * L)
FALLING = {
    "room": 2 * alpha0 < reach,
    "falls": speed + q0 * (1 - 2 * alpha0 / reach) >= RATE * end,
}
AT_THE_END = alpha0**2 - reach * alpha0 <= speed * reach * sp.log(end)
EDGES = sp.And(ETA >= 0, ETA <= a, rho * ETA <= a - least, A >= a + L - HALF - ETA / L)


def _line(p: Proof) -> None:
    length, ratio, far, weight, positive = (
        p.given[name] for name in ("length", "rho > 0", "a_0 > 0", "weight", "Z, c > 0")
    )
    edges, most, score = (p.given[name] for name in ("edges", "A <= Z", "score"))
    is_alpha, is_q, is_end = (p.given[name] for name in ("alpha_0", "q_0", "Z"))
    size = p.use("size-of-least-weight", {}, length)
    x, is_x = p.define("a*", least)
    tame = p.reals(x >= 0, size, is_x)
    rate, is_rate = p.define("v", RATE, ratio, length)
    grows = p.reals(rate > 0, is_rate, ratio, length)
    eta, is_eta = p.define("eta", ETA)
    bounds = p.reals(
        sp.And(eta >= 0, rho * eta <= a - x, A >= a + L - HALF - eta / L),
        edges,
        is_eta,
        is_x,
    )
    last, is_last = p.define("eta1", (a - x) / rho, ratio)
    below = p.reals(eta <= last, bounds, is_last, ratio)
    own, is_own = p.define("alpha", line_boundary(a), ratio, weight)
    own_is = p.reals(sp.Eq(own, last / a - HALF), is_own, is_last, is_x, ratio, weight)
    value, is_value = p.define("A", line_value(a), ratio, length)
    value_is = p.reals(
        sp.Eq(value, a + L - HALF - last / L), is_value, is_last, is_x, ratio, length
    )
    less = p.reals(eta / L <= last / L, below, length)
    reached = p.reals(value <= reach, value_is, less, bounds, most)
    slopes = [
        p.reals(sp.Eq(t, rate * w + L - HALF + x / (rho * L)), is_t, is_rate, is_x, ratio, length)
        for t, w, is_t in ((value, a, is_value), (reach, end, is_end))
    ]
    before = p.reals(a <= end, *slopes, reached, grows, why="A(a) increases")
    inverse, is_inverse = p.define("r", 1 / rho, ratio)
    own_by = p.reals(
        sp.Eq(own, inverse - x * inverse / a - HALF), is_own, is_inverse, is_x, ratio, weight
    )
    end_by = p.reals(
        sp.Eq(alpha0, inverse - x * inverse / end - HALF), is_alpha, is_inverse, is_x, ratio, far
    )
    unit = p.reals(inverse > 0, is_inverse, ratio)

    room = p.given["room"]
    q_by = p.reals(sp.Eq(q0, x * inverse / end), is_q, is_inverse, is_x, ratio, far)
    rising = p.reals(
        speed + q0 * (1 - 2 * alpha0 / reach) >= rate * end, p.given["falls"], is_rate, positive
    )
    t = sp.Dummy("t")
    function = (
        speed * reach * sp.log(t)
        - (inverse - x * inverse / t - HALF) ** 2
        + reach * (inverse - x * inverse / t - HALF)
        - reach * (rate * t + L - HALF + x / (rho * L) - reach)
    )
    facts = [
        room,
        q_by,
        rising,
        end_by,
        unit,
        tame,
        grows,
        far,
        weight,
        positive,
        ratio,
        length,
    ]

    def rises(r: Proof, t: Term, slope: Term, between: list[Fact]) -> Fact:
        ahead = r.reals(sp.And(t > 0, t <= end), *between, weight)
        here, is_here = r.define("alpha_t", inverse - x * inverse / t - HALF, ahead)
        share, is_share = r.define("q_t", x * inverse / t, ahead)
        high = r.reals(share >= q0, is_share, q_by, ahead, far, tame, unit)
        low = r.reals(here <= alpha0, is_here, end_by, ahead, far, tame, unit)
        factor = r.reals(
            sp.And(1 - 2 * here / reach >= 1 - 2 * alpha0 / reach, 1 - 2 * alpha0 / reach > 0),
            low,
            room,
            positive,
        )
        start = r.reals(q0 >= 0, q_by, tame, unit, far)
        product = r.reals(
            share * (1 - 2 * here / reach) >= q0 * (1 - 2 * alpha0 / reach), factor, high, start
        )
        sign = r.reals(
            speed + share * (1 - 2 * here / reach) - rate * t >= 0,
            product,
            rising,
            grows,
            ahead,
        )
        plain = r.reals(
            sp.Eq(slope * t, reach * (speed + share * (1 - 2 * here / reach) - rate * t)),
            is_here,
            is_share,
            ahead,
            positive,
            ratio,
            length,
        )
        return r.reals(slope >= 0, plain, sign, ahead, positive)

    falls = p.rises(function, t, a, end, before, *facts, show=rises, why="g falls up to a_0")
    top = p.reals(
        speed * reach * sp.log(a) - own**2 + reach * own - reach * (value - reach)
        <= speed * reach * sp.log(end) - alpha0**2 + reach * alpha0,
        falls,
        own_by,
        end_by,
        *slopes,
    )
    lesser = p.reals(own <= alpha0, own_by, end_by, before, weight, tame, unit)
    share = p.reals(sp.Eq(first, eta / a - HALF), is_eta, weight)
    fewer = p.reals(first <= own, share, own_is, below, weight)
    square = p.reals(
        first**2 - reach * first >= own**2 - reach * own,
        fewer,
        lesser,
        room,
        why="falls in alpha up to Z/2",
    )
    highest = p.reals(A >= value, bounds, less, value_is)
    bound = p.reals(
        own**2 - reach * own - reach * (reach - value) <= speed * reach * sp.log(a),
        score,
        square,
        highest,
        positive,
    )
    p.qed(bound, top)


LINE_OF_NUMBERS = Theorem(
    "line-of-numbers",
    Statement(
        title="A weight whose score is too large up to the largest value",
        source="exact-bounds.md, line",
        words="If a point of the polytope has A <= Z and alpha^2 - Z alpha - Z (Z - A) <= "
        "c Z log(a), and g still falls at the a_0 with A(a_0) = Z, then g(a_0) <= 0.",
        integers=(L,),
        hypotheses={
            "length": L >= 2,
            **END,
            "Z, c > 0": sp.And(reach > 0, speed > 0),
            "weight": a > 0,
            "edges": EDGES,
            "A <= Z": A <= reach,
            "score": LINE_SCORE,
            **FALLING,
        },
        conclusion=AT_THE_END,
    ),
    _line,
)

NAMED = {
    "c": sp.Eq(speed, sp.sqrt(d) / K),
    "Z": sp.Eq(reach, K * B**2),
    "weight": sp.Eq(a, WEIGHT),
    "a > 0": a > 0,
    "values": sp.And(sp.Eq(first, VALUES[0]), sp.Eq(A, VALUES[1])),
}


def _score(p: Proof) -> None:
    known = list(p.given.values())
    dimension, norm, short = (p.given[name] for name in ("dimension", "B >= 0", "readout"))
    near = p.use("reach-of-learned-pre-ln", {}, *known)
    positive = [p.sums(lambda t: t >= 0, [x**2]) for x in (w, MEAN, HALF_DIFFERENCE, BOUNDARY)]
    mean, is_mean = p.define("P", sp.sqrt(P2), *positive)
    apart, is_apart = p.define("Q", sp.sqrt(Q2), *positive)
    squares = p.reals(
        sp.And(mean >= 0, apart >= 0, sp.Eq(mean**2, P2), sp.Eq(apart**2, Q2)),
        is_mean,
        is_apart,
        *positive,
    )
    far, is_far = p.define("K", K, dimension)
    together = p.reals(mean + apart <= far * B, near, is_mean, is_apart, is_far, *positive)
    z_is = p.reals(sp.Eq(reach, far * B**2), p.given["Z"], is_far, dimension)
    wq = Total(w * HALF_DIFFERENCE)
    split = p.sums(
        lambda t, v, x: sp.Eq(t - v, 2 * x),
        [w * BOUNDARY, w * SPACE, w * HALF_DIFFERENCE],
        why="v_# - v_s = 2 Q",
    )
    product = p.sums(
        lambda t, x, y: sp.Eq(t, x - y),
        [BOUNDARY * SPACE, MEAN**2, HALF_DIFFERENCE**2],
        why="<v_#, v_s> = |P|^2 - |Q|^2",
    )
    cauchy = p.use("cauchy-schwarz", {}, rows={"u": w, "v": HALF_DIFFERENCE})
    wide = p.reals(wq**2 <= (B * apart) ** 2, cauchy, squares, short, positive[0])
    side = p.reals(-wq <= B * apart, wide, squares, norm)
    values = p.given["values"]
    least_apart = p.reals(2 * B * apart >= A - first, side, split, values)
    along = p.use("cauchy-schwarz", {}, rows={"u": w, "v": BOUNDARY})
    own = p.reals(first**2 <= B**2 * Total(BOUNDARY**2), along, values, short, *positive)
    score, is_score = p.define("S", Total(BOUNDARY**2) - Total(BOUNDARY * SPACE))
    size = p.reals(
        sp.Eq(score, Total(BOUNDARY**2) + apart**2 - mean**2), is_score, product, squares
    )
    most = p.reals(mean**2 <= (far * B - apart) ** 2, together, squares)
    low = p.reals(score >= Total(BOUNDARY**2) + 2 * far * B * apart - far**2 * B**2, size, most)
    times = p.reals(
        B**2 * score >= B**2 * Total(BOUNDARY**2) + far * B**2 * (2 * B * apart) - far**2 * B**4,
        low,
    )
    one = p.reals(sp.And(far > 0, reach >= 0), is_far, z_is, dimension)
    spread = p.reals(reach * (2 * B * apart) >= reach * (A - first), least_apart, one)
    bound = p.reals(
        first**2 - reach * first - reach * (reach - A) <= B**2 * score, times, own, spread, z_is
    )
    inverse = p.axiom("log inverts exp", WEIGHT.args[0], facts=[dimension])
    same = [
        p.axiom("log increases", *pair, facts=[p.given["weight"], dimension, p.given["a > 0"]])
        for pair in ((a, WEIGHT), (WEIGHT, a))
    ]
    log = p.reals(sp.Eq(sp.log(a), sp.log(WEIGHT)), *same, p.given["weight"], dimension)
    difference = p.reals(
        sp.Eq(score, sp.sqrt(d) * sp.log(a)), is_score, inverse, log, dimension, p.given["a > 0"]
    )
    scale = p.reals(sp.Eq(speed * far, sp.sqrt(d)), p.given["c"], is_far, one, dimension)
    rate = p.reals(sp.Eq(speed * reach, B**2 * sp.sqrt(d)), scale, z_is)
    p.qed(p.reals(LINE_SCORE, bound, difference, rate, dimension, p.given["a > 0"]))


SCORE = Theorem(
    "learned-pre-ln-line-score",
    Statement(
        title="Learned pre-LN: what a weight costs on a line",
        source="exact-bounds.md, line",
        words="With Z = K B^2 and c = sqrt(d)/K, any norms up to B have "
        "alpha^2 - Z alpha - Z (Z - A) <= c Z log(a).",
        entries=ENTRIES,
        hypotheses={
            **WITHOUT_ROUNDING,
            **NAMED,
        },
        conclusion=LINE_SCORE,
    ),
    _score,
)


def _line_refutes(p: Proof) -> None:
    known = {name: p.given[name] for name in LAYER}
    dimension, length, weight = (p.given[name] for name in ("dimension", "length", "weight"))
    named = [p.given[name] for name in NAMED]
    score = p.use("learned-pre-ln-line-score", {}, *known.values(), *named)
    largest = p.use("learned-pre-ln-largest-value", {}, *known.values())
    edges_ = p.use(
        "edges-of-the-polytope",
        {a: WEIGHT, first: VALUES[0], A: VALUES[1]},
        *(known["length"], known["rounds"], dimension, p.given["rho"]),
    )
    values = p.given["values"]
    value = p.reals(A <= reach, largest, values, p.given["Z"], dimension)
    edges = p.reals(EDGES, edges_, weight, values, length)
    size = p.use("size-of-least-weight", {}, length)
    far, is_far = p.define("K", K, dimension)
    z_is = p.reals(sp.And(far > 0, sp.Eq(reach, far * B**2)), p.given["Z"], is_far, dimension)
    cost = p.use(
        "least-weight-of-curves",
        {a: WEIGHT, first: VALUES[0], A: VALUES[1]},
        *(known["length"], known["rounds"], dimension),
    )
    large = p.reals(A >= HALF, cost, values, size, length)
    positive = p.reals(reach > 0, large, value)
    quick = p.reals(speed > 0, p.given["c"], is_far, z_is, dimension)
    ends = [p.given[name] for name in (*END, *FALLING) if name != "Z"]
    p.qed(
        p.use(
            "line-of-numbers",
            {},
            length,
            *ends,
            p.given["Z at a_0"],
            positive,
            quick,
            p.given["a > 0"],
            edges,
            value,
            score,
        )
    )


LINE = Theorem(
    "learned-pre-ln-line",
    Statement(
        title="Learned pre-LN: the bound of vectors on a line",
        source="exact-bounds.md, line",
        words="Let K = 1 + sqrt(d - 1), Z = K B^2, c = sqrt(d)/K and a_0 > 0 with A(a_0) = Z, "
        "2 alpha_0 < Z and c + q_0 (1 - 2 alpha_0/Z) >= a_0 (1 - 1/(rho L)). If norms up to B "
        "count to L >= 2 then alpha_0^2 - Z alpha_0 <= c Z log(a_0).",
        integers=(L,),
        entries=ENTRIES,
        hypotheses={
            **LAYER,
            "length": L >= 2,
            **NAMED,
            **{name: END[name] for name in END if name != "Z"},
            "Z at a_0": sp.Eq(reach, line_value(end)),
            "Z > 0": reach > 0,
            **FALLING,
        },
        conclusion=AT_THE_END,
    ),
    _line_refutes,
)

# --- vectors off a line: Theorem 6.2 -------------------------------------------------------

apart, cross, level = symbols("Y E T")
value, other = symbols("A_0 y")


def room(total: Term, share: Term, side: Term) -> tuple[Term, Term]:
    """U and V, for Y = share: what is left of B P and B Q at right angles to w."""
    return (reach - share) ** 2 - (total + side) ** 2 / 4, share**2 - (total - side) ** 2 / 4


def _across(p: Proof) -> None:
    norm, size, order = (p.given[x] for x in ("readout", "sizes", "order"))
    one = sp.Integer(1)
    ww, pp, qq, pq, pw, qw = (dot(*pair) for pair in ("ww", "PP", "QQ", "PQ", "Pw", "Qw"))
    goal = p.theorem.statement.conclusion
    is_value, is_side = p.given["A_0"], p.given["alpha"]
    own, second = (value + first) / 2, (value - first) / 2
    products = p.reals(
        sp.And(sp.Eq(pw, own), sp.Eq(qw, -second), own >= 0, second >= 0),
        is_value,
        is_side,
        order,
    )
    u_, v_ = room(value, apart, first)
    square = p.square({"w": one})
    rest = p.square({"Q": one})

    def rooted(q: Proof, *facts: Fact) -> Fact:
        signs = q.reals(sp.And(u_ >= 0, v_ >= 0), *facts)
        product = q.reals((cross + own * second) ** 2 <= u_ * v_, *facts)
        left = q.reals(cross + own * second <= sp.sqrt(u_ * v_), product, signs)
        return q.reals(goal, left, signs)

    def none(q: Proof, zero: Fact) -> Fact:
        flat = [
            q.use("cauchy-schwarz", {}, vectors={"u": {"w": one}, "v": {name: one}})
            for name in "PQ"
        ]
        nothing = q.reals(sp.And(sp.Eq(pw, 0), sp.Eq(qw, 0)), *flat, zero)
        still = q.reals(sp.And(sp.Eq(value, 0), sp.Eq(first, 0)), nothing, is_value, is_side)
        cauchy = q.use("cauchy-schwarz", {}, vectors={"u": {"P": one}, "v": {"Q": one}})
        most = q.reals(cross**2 <= (B**2 * pp) * (B**2 * qq), cauchy, p.given["E"])
        less = q.reals(cross**2 <= (reach - apart) ** 2 * apart**2, most, size, rest)
        return rooted(q, less, still)

    def some(q: Proof, apart_: Fact) -> Fact:
        t, is_t = q.define("t", 1 / ww, apart_)
        inverse = q.reals(sp.And(sp.Eq(t * ww, 1), t > 0), is_t, apart_)
        many = q.reals(B**2 * t >= 1, inverse, norm)
        vectors = {"u": {"P": one, "w": -t * pw}, "v": {"Q": one, "w": -t * qw}}
        cauchy = q.use("cauchy-schwarz", {}, apart_, vectors=vectors)
        sides = [q.square(vector, apart_) for vector in vectors.values()]
        parts = [
            q.reals(sp.Eq(total - 2 * t * x**2 + t**2 * ww * x**2, total - t * x**2), inverse)
            for total, x in ((pp, pw), (qq, qw))
        ]
        least = [
            q.reals(total - t * x**2 >= 0, side, part)
            for total, x, side, part in zip((pp, qq), (pw, qw), sides, parts, strict=True)
        ]
        gram = q.reals(
            (pq - t * pw * qw) ** 2 <= (pp - t * pw**2) * (qq - t * qw**2),
            cauchy,
            *parts,
            q.reals(sp.Eq(t**2 * ww, t), inverse),
        )
        scale, is_scale = q.define("s", B**2 * t)
        x, is_x = q.define("U0", B**2 * pp - scale * pw**2)
        z, is_z = q.define("V0", B**2 * qq - scale * qw**2)
        low = q.reals(sp.And(x >= 0, z >= 0), *least, is_x, is_z, is_scale)
        high = q.reals(sp.And(x <= u_, z <= v_), is_x, is_z, is_scale, many, size, products)
        e, is_e = q.define("e", cross - scale * pw * qw)
        large = q.reals(e**2 <= x * z, gram, is_e, is_x, is_z, is_scale, p.given["E"])
        more = q.reals(cross + own * second <= e, is_e, is_scale, many, products)
        signs = q.reals(sp.And(u_ >= 0, v_ >= 0, e**2 <= u_ * v_), low, high, large)
        root = q.reals(e <= sp.sqrt(u_ * v_), signs)
        return q.reals(goal, root, more, signs)

    p.qed(p.cases(goal, [sp.Eq(ww, 0), ww > 0], [none, some], square))


ACROSS = Theorem(
    "largest-product-across",
    Statement(
        title="Learned pre-LN: the product <P, Q> across the read-out",
        source="exact-bounds.md, tangent",
        words="With Y = B |Q| and B |P| <= Z - Y, E = B^2 <P, Q> is at most "
        "sqrt(U V) - (A^2 - alpha^2)/4 for |w| <= B.",
        vectors=("P", "Q", "w"),
        hypotheses={
            "B > 0": B > 0,
            "readout": dot("w", "w") <= B**2,
            "sizes": sp.And(
                B**2 * dot("P", "P") <= (reach - apart) ** 2, sp.Eq(B**2 * dot("Q", "Q"), apart**2)
            ),
            "E": sp.Eq(cross, B**2 * dot("P", "Q")),
            "A_0": sp.Eq(value, dot("P", "w") - dot("Q", "w")),
            "alpha": sp.Eq(first, dot("P", "w") + dot("Q", "w")),
            "order": sp.And(first <= value, -first <= value),
        },
        conclusion=sp.And(
            *(term >= 0 for term in room(value, apart, first)),
            cross + (value**2 - first**2) / 4 <= sp.sqrt(sp.Mul(*room(value, apart, first))),
        ),
    ),
    _across,
)

# The two sides of G(Y; -1/2).
sp_, sm_ = (A - HALF) / 2, (A + HALF) / 2
HEIGHT = other**2 - sp_ * sm_ + sp.sqrt(((reach - other) ** 2 - sp_**2) * (other**2 - sm_**2))
BELOW = every_real(other, (sm_ <= other, other <= reach - sp_), HEIGHT < level)
U_, V_ = room(A, apart, first)
PARAMETERS = {
    "A >= 1": A >= 1,
    "A <= Z": A <= reach,
    "alpha": sp.And(-HALF <= first, first <= HALF),
    "Y": sp.And(apart >= 0, apart <= reach),
}


def _unimodal(p: Proof) -> None:
    large, side = (p.given[x] for x in ("A >= 1", "alpha"))
    u1, v1 = room(A, apart, -HALF)
    d_, is_d = p.define("D", first + HALF)
    total, is_total = p.define("o", first - HALF, why="the sum of the two alphas")
    u, is_u = p.define("u", (2 * A + total) / 4)
    v, is_v = p.define("v", (2 * A - total) / 4)
    below = p.reals(
        sp.And(d_ >= 0, u >= 0, v >= 0, 3 * u >= v, 3 * v >= u, u + v > 0),
        is_d,
        is_total,
        is_u,
        is_v,
        large,
        side,
    )
    rooms = p.given["rooms"]
    x, is_x = p.define("U2", U_)
    z, is_z = p.define("V2", V_)
    moved = p.reals(
        sp.And(sp.Eq(u1, x + d_ * u), sp.Eq(v1, z - d_ * v)),
        is_d,
        is_total,
        is_u,
        is_v,
        is_x,
        is_z,
    )
    signs = p.reals(sp.And(x >= 0, z >= 0), rooms, is_x, is_z)
    s_, is_s = p.define("s", sp.sqrt(x), signs)
    t, is_t = p.define("t", sp.sqrt(z), signs)
    roots = p.reals(sp.And(s_ >= 0, t >= 0, sp.Eq(s_**2, x), sp.Eq(t**2, z)), is_s, is_t, signs)
    ahead = p.reals(z - x >= d_ * (u + v), p.given["past the peak"], moved, why="U <= V at -1/2")
    order = p.reals(t >= s_, ahead, roots, below)
    near = p.reals(d_ * (u + v) <= (t - s_) * (t + s_), ahead, roots)
    wide = p.reals(4 * (u * t + v * s_) >= (t + s_) * (u + v), below, roots)
    step = p.reals(4 * (t - s_) * (u * t + v * s_) >= (t - s_) * (t + s_) * (u + v), wide, order)
    rest = p.reals((t - s_) * (t + s_) * (u + v) >= d_ * (u + v) ** 2, near, below)
    gain = p.reals(d_ * (t - s_) * (u * t + v * s_) >= d_**2 * (u + v) ** 2 / 4, step, rest, below)
    square = p.identity(
        (s_**2 + d_ * u) * (t**2 - d_ * v) - (s_ * t + d_ * (u - v) / 2) ** 2,
        d_ * (t - s_) * (u * t + v * s_) - d_**2 * (u + v) ** 2 / 4,
    )
    larger = p.reals(u1 * v1 >= (s_ * t + d_ * (u - v) / 2) ** 2, square, gain, roots, moved)
    positive = p.reals(sp.And(u1 >= 0, v1 >= 0), moved, signs, below, p.given["past the peak"])
    product = p.reals(
        sp.Eq(left_root, s_ * t), p.given["root"], is_s, is_t, is_x, is_z, roots, signs
    )
    half = p.reals(sp.Eq(d_ * (u - v) / 2, (first**2 - QUARTER) / 4), is_d, is_u, is_v, is_total)
    p.qed(
        p.reals((left_root + (first**2 - QUARTER) / 4) ** 2 <= u1 * v1, larger, product, half),
        positive,
    )


left_root = symbols("R")
QUARTER = sp.Rational(1, 4)
UNIMODAL = Theorem(
    "score-falls-past-its-peak",
    Statement(
        title="Learned pre-LN: past its peak the score falls with alpha",
        source="exact-bounds.md, tangent",
        words="If U <= V at alpha = -1/2, sqrt(U V) + alpha^2/4 is largest there, for alpha in "
        "[-1/2, 1/2]: (R + (alpha^2 - 1/4)/4)^2 <= U V at -1/2 for R = sqrt(U V) at alpha.",
        hypotheses={
            **PARAMETERS,
            "rooms": sp.And(U_ >= 0, V_ >= 0),
            "root": sp.Eq(left_root, sp.sqrt(U_ * V_)),
            "past the peak": room(A, apart, -HALF)[0] <= room(A, apart, -HALF)[1],
        },
        conclusion=sp.And(
            *(x >= 0 for x in room(A, apart, -HALF)),
            (left_root + (first**2 - QUARTER) / 4) ** 2 <= sp.Mul(*room(A, apart, -HALF)),
        ),
    ),
    _unimodal,
)


def _peak(p: Proof) -> None:
    goal = p.theorem.statement.conclusion
    large, most, side, share, rooms, score = (p.given[x] for x in (*PARAMETERS, "rooms", "score"))
    before = [large, most, side, share]
    u1, v1 = room(A, apart, -HALF)

    def past(q: Proof, case: Fact) -> Fact:
        root, is_root = q.define("R", sp.sqrt(U_ * V_), rooms)
        falls = q.use("score-falls-past-its-peak", {left_root: root}, *before, rooms, case, is_root)
        inside = q.reals(sp.And(sm_ <= apart, apart <= reach - sp_), falls, share, large)
        top = q.at(q.given["below"], apart, inside)
        product, is_product = q.define("UV", u1 * v1)
        signs = q.reals(product >= 0, falls, is_product)
        least_ = q.reals(
            root + (first**2 - QUARTER) / 4 <= sp.sqrt(product), falls, is_product, signs
        )
        highest = q.reals(apart**2 - sp_ * sm_ + sp.sqrt(product) < level, top, is_product, signs)
        scored = q.reals(cross + (A**2 - first**2) / 4 <= root, score, is_root, rooms)
        return q.reals(goal, least_, highest, scored, signs)

    def rising(q: Proof, case: Fact) -> Fact:
        peak, is_peak = q.define("Y1", (reach + A / (2 * reach)) / 2, most, large)
        product = q.reals(sp.Eq(4 * reach * peak, 2 * reach**2 + A), is_peak, most, large)
        less = q.reals(apart <= peak, case, product, most, large)
        inside = q.reals(sp.And(sm_ <= peak, peak <= reach - sp_), product, most, large)
        top = q.at(q.given["below"], peak, inside)
        equal = q.reals(
            sp.Eq((reach - peak) ** 2 - sp_**2, peak**2 - sm_**2),
            product,
            most,
            large,
            why="U = V at the peak",
        )
        room_ = q.reals(peak**2 - sm_**2 >= 0, inside, large)
        root = q.reals(
            sp.Eq(sp.sqrt(((reach - peak) ** 2 - sp_**2) * (peak**2 - sm_**2)), peak**2 - sm_**2),
            equal,
            room_,
        )
        u, is_u = q.define("U", U_)
        v, is_v = q.define("V", V_)
        positive = q.reals(sp.And(u >= 0, v >= 0), rooms, is_u, is_v)
        mean = q.reals(2 * sp.sqrt(u * v) <= u + v, positive)
        bound = q.reals(
            cross + (A**2 - first**2) / 4 <= (u + v) / 2, mean, score, is_u, is_v, positive
        )
        plain = q.reals(
            2 * (cross + apart**2) <= 4 * apart**2 - 2 * reach * apart + reach**2 - A**2,
            bound,
            is_u,
            is_v,
        )
        grows = q.reals(
            2 * apart**2 - reach * apart <= 2 * peak**2 - reach * peak,
            less,
            share,
            product,
            most,
            large,
        )
        end = q.reals(
            2 * (2 * peak**2 - sp_ * sm_ - sm_**2)
            >= 4 * peak**2 - 2 * reach * peak + reach**2 - A**2,
            equal,
        )
        return q.reals(goal, plain, grows, end, top, root)

    p.qed(p.cases(goal, [u1 <= v1, u1 > v1], [past, rising]))


PEAK = Theorem(
    "score-is-largest-at-the-vertex",
    Statement(
        title="Learned pre-LN: the largest score is that of alpha = -1/2",
        source="exact-bounds.md, tangent",
        words="If G(y; -1/2) < 2T for all y in [sm, Z - sp] then G(Y; alpha) < 2T for every Y in "
        "[0, Z] and alpha in [-1/2, 1/2], for all 1 <= A <= Z.",
        hypotheses={
            **PARAMETERS,
            "rooms": sp.And(U_ >= 0, V_ >= 0),
            "score": cross + (A**2 - first**2) / 4 <= sp.sqrt(U_ * V_),
            "below": BELOW,
        },
        conclusion=cross + apart**2 < level,
    ),
    _peak,
)

# phi(y) = (T + sp sm - y^2)^2 - U V at alpha = -1/2, T = X S/2: a cubic, as y^4 cancels.
COEFFICIENTS = (
    level**2 + 2 * level * sp_ * sm_ + reach**2 * sm_**2,
    -2 * reach * sm_**2,
    sp.Rational(1, 4) - reach**2 - 2 * level,
    2 * reach,
)
point, height, slope = symbols("Y_0 phi_0 phi'_0")


def _cubic(number: Term) -> Term:
    return sp.Add(*(c * number**i for i, c in enumerate(COEFFICIENTS)))


def _tangent_at(number: Term) -> Term:
    return height + slope * (number - point)


CERTIFICATE = {
    "height": sp.Eq(height, _cubic(point)),
    "slope": sp.Eq(
        slope, sp.Add(*(i * c * point ** (i - 1) for i, c in enumerate(COEFFICIENTS) if i))
    ),
    "above": level + sp_ * sm_ > (reach - sp_) ** 2,
    "convex": COEFFICIENTS[3] * (sm_ + 2 * point) + COEFFICIENTS[2] >= 0,
}


def _certificate(p: Proof) -> None:
    large, most, above, convex, ends = (
        p.given[x] for x in ("A >= 1", "A <= Z", "above", "convex", "ends")
    )
    definitions = [p.given["height"], p.given["slope"]]

    def show(q: Proof, y: Term, conditions: list[Fact]) -> Fact:
        apart_ = q.identity(
            _cubic(y),
            _cubic(point)
            + sp.Add(*(i * c * point ** (i - 1) for i, c in enumerate(COEFFICIENTS) if i))
            * (y - point)
            + (y - point) ** 2 * (COEFFICIENTS[3] * (y + 2 * point) + COEFFICIENTS[2]),
        )
        bend, is_bend = q.define("b", COEFFICIENTS[3] * (y + 2 * point) + COEFFICIENTS[2])
        curved = q.reals(bend >= 0, is_bend, convex, most, large, *conditions)
        line = q.reals(_tangent_at(y) > 0, ends, *conditions, why="linear between both ends")
        phi, is_phi = q.define("phi", _cubic(y))
        equal = q.reals(
            sp.Eq(phi, _tangent_at(y) + (y - point) ** 2 * bend),
            apart_,
            is_bend,
            is_phi,
            *definitions,
        )
        positive = q.reals(phi > 0, equal, curved, line)
        room_ = ((reach - y) ** 2 - sp_**2) * (y**2 - sm_**2)
        square = q.identity(_cubic(y), (level + sp_ * sm_ - y**2) ** 2 - room_)
        rest, is_rest = q.define("r", level + sp_ * sm_ - y**2)
        left = q.reals(rest > 0, is_rest, above, large, *conditions)
        inside = q.reals(
            sp.And((reach - y) ** 2 - sp_**2 >= 0, y**2 - sm_**2 >= 0), large, *conditions
        )
        product, is_product = q.define("UV", room_)
        signs = q.reals(product >= 0, inside, is_product)
        less = q.reals(product < rest**2, positive, is_phi, square, is_rest, is_product)
        root = q.reals(sp.sqrt(product) < rest, less, left, signs)
        return q.reals(
            BELOW.at(y)[1],
            q.reals(sp.sqrt(room_) < rest, root, is_product, signs),
            is_rest,
            signs,
            is_product,
        )

    p.qed(p.every(BELOW, show))


TANGENT_OF_CUBIC = Theorem(
    "tangent-of-the-cubic",
    Statement(
        title="Learned pre-LN: a tangent that shows the scores are too small",
        source="exact-bounds.md, tangent",
        words="If the tangent of phi at Y_0 is positive at sm and at Z - sp, and phi is convex "
        "enough, then G(y; -1/2) < 2T for all y in [sm, Z - sp].",
        hypotheses={
            "A >= 1": A >= 1,
            "A <= Z": A <= reach,
            **CERTIFICATE,
            "ends": sp.And(_tangent_at(sm_) > 0, _tangent_at(reach - sp_) > 0),
        },
        conclusion=BELOW,
    ),
    _certificate,
)


def _tangent(p: Proof) -> None:
    layer = [p.given[name] for name in LAYER]
    dimension, length, norm = (p.given[x] for x in ("dimension", "length", "B >= 0"))
    is_z, is_a, is_t = (p.given[x] for x in ("Z", "A", "T"))
    near = p.use("reach-of-learned-pre-ln", {}, *layer)
    positive = [p.sums(lambda t: t >= 0, [x**2]) for x in (w, MEAN, HALF_DIFFERENCE)]
    cost = _costs(p)
    size = p.use("size-of-least-weight", {}, length)
    first_value = p.use("learned-pre-ln-value", {}, *layer)
    large = p.reals(sp.And(A >= 1, least_weight(L) > 0), is_a, size, length)
    most = p.reals(A <= reach, first_value, is_z, is_a, dimension)
    k_, is_k = p.define("K", K, dimension)
    z_is = p.reals(sp.Eq(reach, k_ * B**2), is_z, is_k, dimension)
    some = p.reals(B > 0, z_is, norm, most, large)
    mean, is_mean = p.define("P", sp.sqrt(P2), *positive)
    rest, is_rest = p.define("Q", sp.sqrt(Q2), *positive)
    squares = p.reals(
        sp.And(mean >= 0, rest >= 0, sp.Eq(mean**2, P2), sp.Eq(rest**2, Q2)),
        is_mean,
        is_rest,
        *positive,
    )
    together = p.reals(mean + rest <= k_ * B, near, is_mean, is_rest, is_k, *positive)
    y, is_y = p.define("Y", B * rest)
    share = p.reals(sp.And(y >= 0, y <= reach), is_y, z_is, together, squares, some)
    product = p.reals(B * mean <= reach - y, is_y, z_is, together, some)
    sizes = p.reals(
        sp.And(B**2 * P2 <= (reach - y) ** 2, sp.Eq(B**2 * Q2, y**2)), product, squares, is_y, some
    )
    wp, wq = Total(w * MEAN), Total(w * HALF_DIFFERENCE)
    split = [
        p.sums(lambda t, x, z: sp.Eq(t, x + z), [w * BOUNDARY, w * MEAN, w * HALF_DIFFERENCE]),
        p.sums(lambda t, x, z: sp.Eq(t, x - z), [w * SPACE, w * MEAN, w * HALF_DIFFERENCE]),
    ]
    pq = Total(MEAN * HALF_DIFFERENCE)
    alpha, is_alpha = p.define("alpha", VALUES[0])
    own, is_own = p.define("A0", VALUES[1])
    e, is_e = p.define("E", B**2 * pq)
    side = p.reals(sp.And(-HALF <= alpha, alpha <= HALF), cost, is_alpha)
    more = p.reals(own >= A, cost, is_own, is_a)
    across = p.use(
        "largest-product-across",
        {apart: y, cross: e, value: own, first: alpha},
        *(some, p.given["readout"], sizes, is_e),
        p.reals(sp.Eq(own, wp - wq), is_own, split[1]),
        p.reals(sp.Eq(alpha, wp + wq), is_alpha, split[0]),
        p.reals(sp.And(alpha <= own, -alpha <= own), side, more, large),
        rows={"P": MEAN, "Q": HALF_DIFFERENCE, "w": w},
    )
    u0, v0 = room(own, y, alpha)
    u1, v1 = room(A, y, alpha)
    signs = p.reals(sp.And(u0 >= 0, v0 >= 0), across)
    rooms = p.reals(sp.And(u1 >= u0, v1 >= v0), more, side, large)
    fits = p.reals(sp.And(u1 >= 0, v1 >= 0), signs, rooms)
    names = [p.define("r", term) for term in (u0, v0, u1, v1)]
    (x0, i0), (z0, j0), (x1_, i1), (z1, j1) = names
    grows = p.reals(
        sp.sqrt(x0 * z0) <= sp.sqrt(x1_ * z1),
        p.reals(sp.And(x0 >= 0, z0 >= 0, x1_ >= x0, z1 >= z0), signs, rooms, i0, j0, i1, j1),
    )
    least_ = p.reals(x0 * z0 >= 0, signs, i0, j0)
    last = p.reals(x1_ * z1 >= 0, fits, i1, j1)
    score = p.reals(
        e + (A**2 - alpha**2) / 4 <= sp.sqrt(x1_ * z1),
        p.reals(e + (own**2 - alpha**2) / 4 <= sp.sqrt(x0 * z0), across, i0, j0, least_, signs),
        grows,
        least_,
        last,
        more,
        large,
    )
    scored = p.reals(e + (A**2 - alpha**2) / 4 <= sp.sqrt(u1 * v1), score, i1, j1, fits, last)
    exponent = WEIGHT.args[0]
    difference = p.sums(
        lambda t, v, x, z: sp.Eq(t - v, 2 * x + 2 * z),
        [BOUNDARY**2, BOUNDARY * SPACE, MEAN * HALF_DIFFERENCE, HALF_DIFFERENCE**2],
        why="the score is 2 <P, Q> + 2 |Q|^2",
    )
    inverse = p.axiom("log inverts exp", exponent, facts=[dimension])
    larger = p.axiom("log increases", WEIGHT, least_weight(L), facts=[large, dimension])
    log = p.reals(sp.log(WEIGHT) >= sp.log(least_weight(L)), larger, cost, large, dimension)
    root, is_root = p.define("r", sp.sqrt(d), dimension)
    wide = p.reals(sp.And(root > 0, sp.Eq(root**2, d)), is_root, dimension)
    by_log = p.reals(
        sp.Eq(root * sp.log(WEIGHT), 2 * pq + 2 * Q2), inverse, difference, is_root, wide, dimension
    )
    reached = p.reals(
        2 * (e + y**2) >= B**2 * root * sp.log(least_weight(L)),
        p.reals(
            root * sp.log(least_weight(L)) <= 2 * pq + 2 * Q2, by_log, log, wide, large, dimension
        ),
        is_e,
        sizes,
        large,
    )
    enough = p.reals(e + y**2 >= level, reached, is_t, is_root, large, dimension)
    goal = p.theorem.statement.conclusion

    def both(q: Proof, ends: Fact) -> Fact:
        known = [p.given[name] for name in CERTIFICATE]
        at_one = q.reals(A >= 1, large)
        below = q.use("tangent-of-the-cubic", {}, at_one, most, *known, ends)
        small = q.use(
            "score-is-largest-at-the-vertex",
            {apart: y, cross: e, first: alpha},
            at_one,
            most,
            side,
            share,
            fits,
            scored,
            below,
        )
        return q.reals(goal, small, enough)

    ends = sp.And(_tangent_at(sm_) > 0, _tangent_at(reach - sp_) > 0)
    p.qed(p.cases(goal, [goal, ends], [lambda q, here: q.reals(goal, here), both]))


TANGENT = Theorem(
    "learned-pre-ln-tangent",
    Statement(
        title="Learned pre-LN: the bound of the cubic's tangent",
        source="exact-bounds.md, tangent",
        words="Let Z = (1 + sqrt(d - 1)) B^2, A = A*, T = B^2 sqrt(d) log(a*)/2. If norms up to B "
        "count to L >= 3, the tangent of phi at a Y_0 that meets the side conditions is not "
        "positive at both ends of [sm, Z - sp].",
        integers=(L,),
        entries=ENTRIES,
        hypotheses={
            **LAYER,
            "length": L >= 3,
            "Z": sp.Eq(reach, K * B**2),
            "A": sp.Eq(A, least_value(L)),
            "a* > 0": least_weight(L) > 0,
            "T": sp.Eq(level, B**2 * sp.sqrt(d) * sp.log(least_weight(L)) / 2),
            **CERTIFICATE,
        },
        conclusion=sp.Or(_tangent_at(sm_) <= 0, _tangent_at(reach - sp_) <= 0),
    ),
    _tangent,
)
