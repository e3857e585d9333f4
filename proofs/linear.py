"""Linear attention, without LayerNorm and in bare pre-LN: both sides of both bounds.

The output is y = p_# + p_s n + p_l m with p_t = <x, t> <w, t>/sqrt(d): x is the boundary
token as attention sees it, s a space, l a letter and w the read-out. In pre-LN the tokens lie
on the sphere of radius sqrt(d) at right angles to the all-ones vector, and only w counts.
"""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import HALF, Formula, Term, dot, every, substituted, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.terms import B, L, d, inner, m, n, rounds

xx, xs, ss = dot("x", "x"), dot("x", "s"), dot("s", "s")
wx, ws, ww = dot("w", "x"), dot("w", "s"), dot("w", "w")
ONE, ZERO = sp.Integer(1), sp.Integer(0)

FIRST, RATE = xx * wx / sp.sqrt(d), xs * ws / sp.sqrt(d)
COUNTS = every(n, (n >= 0, n <= L), rounds(FIRST + RATE * n, n))
NORMS = sp.And(xx <= B**2, ss <= B**2, ww <= B**2)
SPHERE = sp.And(sp.Eq(xx, d), sp.Eq(ss, d), ww <= B**2)
BASIC = {"dimension": d >= 3, "B > 0": B > 0}


def linear_output(tokens: list[list[Term]], readout: list[Term]) -> Term:
    """y(n, m) for a boundary token, a space and a letter."""
    boundary = tokens[0]
    p = [inner(boundary, token) * inner(readout, token) / sp.sqrt(d) for token in tokens]
    return p[0] + p[1] * n + p[2] * m


def within(vectors: list[list[Term]]) -> Formula:
    """All norms are at most B."""
    return sp.And(*(inner(vector, vector) <= B**2 for vector in vectors))


def on_sphere(vectors: list[list[Term]]) -> Formula:
    """All squared norms are d."""
    return sp.And(*(sp.Eq(inner(vector, vector), d) for vector in vectors))


# --- exact counting ----------------------------------------------------------------------


def _orthogonal(p: Proof, known: list[Fact]) -> Fact:
    """(<x,s> <w,s>)^2 <= |x|^2 |w|^2 |s|^4/4 for orthogonal x and w, none of them zero."""
    bessel = p.square({"s": ONE, "x": -xs / xx, "w": -ws / ww}, *known, why="Bessel")
    sides = p.reals(xs**2 / xx + ws**2 / ww <= ss, bessel, *known)
    return p.reals(
        (xs**2 / xx) * (ws**2 / ww) <= ss**2 / 4, sides, *known, why="arithmetic and geometric mean"
    )


def _exact_without(p: Proof) -> None:
    given = list(p.given.values())
    norms = [p.square({name: ONE}) for name in ("x", "w", "s")]
    cauchy = [
        p.use("cauchy-schwarz", {}, vectors={"u": {u: ONE}, "v": {"s": ONE}}) for u in ("x", "w")
    ]
    root = p.reals(sp.sqrt(d) > 1, p.given["dimension"])
    product = p.reals(sp.Eq(xs * ws, sp.sqrt(d)), p.given["rate"], root)
    nonzero = p.reals(sp.And(xx > 0, ww > 0), product, root, *norms, *cauchy)
    angle = p.reals(sp.Eq(wx, 0), p.given["first"], nonzero, root)
    mean = _orthogonal(p, [nonzero, angle])
    square = p.reals((xs * ws) ** 2 <= xx * ww * ss**2 / 4, mean, nonzero)
    short = p.reals(
        xx * ww * ss**2 <= B**8,
        p.reals(xx * ww <= B**4, p.given["norms"], nonzero),
        p.reals(ss**2 <= B**4, p.given["norms"], *norms),
        p.reals(sp.And(xx * ww >= 0, ss**2 >= 0), nonzero),
    )
    p.qed(
        p.reals(sp.Eq((xs * ws) ** 2, d), product, p.given["dimension"]), square, short, *given[:2]
    )


EXACT = Theorem(
    "linear-exact",
    Statement(
        title="Linear attention: what exact counting costs",
        source="exact-bounds.md, linear attention",
        words="Norms up to B that count exactly have B^8 >= 4 d.",
        vectors=("x", "s", "w"),
        hypotheses={
            **BASIC,
            "norms": NORMS,
            "first": sp.Eq(FIRST, 0),
            "rate": sp.Eq(RATE, 1),
        },
        conclusion=B**8 >= 4 * d,
    ),
    _exact_without,
)

side, height = symbols("sigma v")
_EXACT_TOKENS: list[list[Term]] = [[B, ZERO], [side, side], [ZERO, ZERO]]
_EXACT_READOUT: list[Term] = [ZERO, height]

EXACT_REACHED = Theorem(
    "linear-exact-reached",
    Statement(
        title="Linear attention counts exactly at that cost",
        source="exact-bounds.md, linear attention",
        words="Every B with B^8 >= 4 d has vectors of norm at most B with y = n everywhere.",
        hypotheses={
            **BASIC,
            "bound": B**8 >= 4 * d,
            "space": sp.And(side > 0, sp.Eq(2 * side**2, B**2)),
            "readout": sp.Eq(height, 2 * sp.sqrt(d) / B**3),
        },
        conclusion=sp.And(
            within([*_EXACT_TOKENS, _EXACT_READOUT]),
            sp.Eq(linear_output(_EXACT_TOKENS, _EXACT_READOUT), n),
        ),
    ),
    lambda p: p.qed(*p.given.values()),
)


def _exact_sphere(p: Proof) -> None:
    given = list(p.given.values())
    cauchy = p.use("cauchy-schwarz", {}, vectors={"u": {"w": ONE}, "v": {"s": ONE}})
    root = p.reals(sp.sqrt(d) > 1, p.given["dimension"])
    product = p.reals(sp.Eq(xs * ws, sp.sqrt(d)), p.given["rate"], root)
    norm = p.square({"w": ONE})
    nonzero = p.reals(sp.And(xx > 0, ww > 0), product, root, cauchy, norm, *given)
    angle = p.reals(sp.Eq(wx, 0), p.given["first"], nonzero, root)
    mean = _orthogonal(p, [nonzero, angle])
    square = p.reals(4 * d <= d**3 * ww, mean, product, nonzero, p.given["sphere"], *given[:1])
    p.qed(p.reals(4 <= d**2 * ww, square, p.given["dimension"]), *given)


EXACT_SPHERE = Theorem(
    "linear-pre-ln-exact",
    Statement(
        title="Linear attention in pre-LN: what exact counting costs",
        source="exact-bounds.md, linear attention",
        words="A read-out of norm at most B that counts exactly has B >= 2/d.",
        vectors=("x", "s", "w"),
        hypotheses={
            **BASIC,
            "sphere": SPHERE,
            "first": sp.Eq(FIRST, 0),
            "rate": sp.Eq(RATE, 1),
        },
        conclusion=B * d >= 2,
    ),
    _exact_sphere,
)

_ROOT = sp.sqrt(d)
diagonal, long = symbols("sigma q")
_SPHERE_TOKENS: list[list[Term]] = [[long, ZERO], [diagonal, diagonal], [long, ZERO]]
_SPHERE_READOUT: list[Term] = [ZERO, height]

EXACT_SPHERE_REACHED = Theorem(
    "linear-pre-ln-exact-reached",
    Statement(
        title="Linear attention in pre-LN counts exactly at that cost",
        source="exact-bounds.md, linear attention",
        words="In a plane at right angles to the all-ones vector: y = n with |w| = 2/d.",
        hypotheses={
            **BASIC,
            "bound": B * d >= 2,
            "boundary": sp.Eq(long, sp.sqrt(d)),
            "space": sp.And(diagonal > 0, sp.Eq(2 * diagonal**2, d)),
            "readout": sp.Eq(height, 2 / d),
        },
        conclusion=sp.And(
            on_sphere(_SPHERE_TOKENS),
            within([_SPHERE_READOUT]),
            sp.Eq(linear_output(_SPHERE_TOKENS, _SPHERE_READOUT), n),
        ),
    ),
    lambda p: p.qed(*p.given.values()),
)

# --- rounding ----------------------------------------------------------------------------

length = symbols("rho")


def _half_way(p: Proof, radius: Term, known: list[Fact]) -> Fact:
    """<x,s> <w,s> <= |s|^2 (|x| |w| + <w,x>)/2, for |x| = radius and any |w| <= B, B > 0."""
    apart = p.square({"w": radius, "x": -B}, *known)
    along = p.use(
        "cauchy-schwarz",
        {},
        *known,
        vectors={"u": {"w": radius, "x": B}, "v": {"s": ONE}},
        why="s is best half-way between x and w",
    )
    other = p.reals((radius * ws - B * xs) ** 2 >= 0)
    product = p.reals(
        4 * radius * B * xs * ws <= ss * (radius**2 * ww + B**2 * xx + 2 * radius * B * wx),
        along,
        other,
    )
    space = p.square({"s": ONE})
    return p.reals(
        2 * xs * ws <= ss * (radius * B + wx),
        p.reals(
            ss * (radius**2 * ww + B**2 * xx) <= ss * (2 * radius**2 * B**2), space, apart, *known
        ),
        product,
        *known,
    )


def _round_without(p: Proof) -> None:
    given = [p.given[name] for name in ("length", "dimension", "B > 0")]
    norms = p.given["norms"]
    cauchy = p.use("cauchy-schwarz", {}, vectors={"u": {"x": ONE}, "v": {"s": ONE}})
    angle = p.use("cauchy-schwarz", {}, vectors={"u": {"w": ONE}, "v": {"x": ONE}})
    squares = [p.square({name: ONE}) for name in ("x", "s", "w")]
    inputs = [p.at(p.given["rounds"], term, *given) for term in (ZERO, L)]
    root = p.reals(sp.sqrt(d) > 1, p.given["dimension"])
    small = p.reals(
        sp.And(xx * wx < sp.sqrt(d) / 2, xs * ws > (1 - 1 / L) * sp.sqrt(d)), *inputs, root, *given
    )
    nonzero = p.reals(sp.And(xx > 0), small, cauchy, root, squares[0], *given)
    radius, equal = p.define("rho", sp.sqrt(xx), nonzero)
    sized = p.reals(
        sp.And(radius > 0, radius <= B, sp.Eq(radius**2, xx)), equal, nonzero, norms, *given
    )
    mean = _half_way(p, radius, [sized, norms, *given])
    near = p.reals(wx**2 <= radius**2 * B**2, angle, sized, norms, squares[2])
    space = p.reals(
        2 * xs * ws <= B**2 * (radius * B + wx),
        mean,
        p.reals(
            radius * B + wx >= 0,
            near,
            sized,
            *given,
        ),
        norms,
        squares[1],
    )
    share, share_is = p.define("u", radius / B, *given)
    cosine, cosine_is = p.define("c", wx / (radius * B), sized, *given)
    power, power_is = p.define("X", B**4 / sp.sqrt(d), root)
    rest, rest_is = p.define("s", 1 - 1 / L, *given)
    normal = p.reals(
        sp.And(share > 0, share <= 1, cosine <= 1, power > 0, rest >= HALF, rest <= 1),
        share_is,
        cosine_is,
        power_is,
        rest_is,
        sized,
        p.reals(wx <= radius * B, near, sized, *given),
        root,
        *given,
    )
    first = p.reals(
        power * share**3 * cosine < HALF,
        p.reals(sp.Eq(power * share**3 * cosine, radius**2 * wx / sp.sqrt(d)), share_is, cosine_is,
                power_is, sized, root, *given),
        p.reals(radius**2 * wx < sp.sqrt(d) / 2, small, sized),
        root,
    )  # fmt: skip
    rate = p.reals(
        power * share * (1 + cosine) > 2 * rest,
        p.reals(
            sp.Eq(power * share * (1 + cosine), B**2 * (radius * B + wx) / sp.sqrt(d)),
            share_is, cosine_is, power_is, sized, root, *given,
        ),
        p.reals(B**2 * (radius * B + wx) > 2 * rest * sp.sqrt(d), space, small, rest_is),
        root,
    )  # fmt: skip
    enough = p.reals(power**2 >= 2 * rest**3, normal, first, rate, why="at the best angle")
    p.qed(
        p.reals(sp.Eq(power**2, B**8 / d), power_is, *given),
        p.reals(sp.Eq(rest, 1 - 1 / L), rest_is),
        enough,
        *given,
    )


ROUND = Theorem(
    "linear-rounding",
    Statement(
        title="Linear attention: what rounding costs",
        source="exact-bounds.md, linear attention",
        words="Norms up to B that count to L >= 2 have B^8 >= 2 d (1 - 1/L)^3.",
        integers=(L,),
        vectors=("x", "s", "w"),
        hypotheses={"length": L >= 2, **BASIC, "norms": NORMS, "rounds": COUNTS},
        conclusion=B**8 >= 2 * d * (1 - 1 / L) ** 3,
    ),
    _round_without,
)

excess = symbols("eta")
INPUTS = sp.And(n >= 0, m >= 0, n + m <= L)
_share = 1 - 1 / L
_rise = excess / (3 / _share + L)
_LINE: list[list[Term]] = [[(_share + _rise) * sp.sqrt(d) / B**3], [B], [ZERO]]


def _round_reached(p: Proof) -> None:
    given = [p.given[name] for name in ("length", "dimension", "B > 0")]
    share, share_is = p.define("s", _share, *given)
    rise, rise_is = p.define("t", _rise, p.given["range"], *given)
    square, square_is = p.define("X^2", B**8 / d, *given)
    above = p.reals(
        sp.Eq(square, 2 * share**3 * (1 + excess)), p.given["excess"], square_is, share_is, *given
    )
    sizes = p.reals(
        sp.And(share >= HALF, share < 1, sp.Eq(L * (1 - share), 1), square > 0),
        share_is,
        square_is,
        *given,
    )
    ratio, ratio_is = p.define("tau", rise / share, sizes)
    small = p.reals(
        sp.And(ratio > 0, sp.Eq(ratio * (3 + L * share), excess), 4 * ratio <= excess),
        ratio_is, rise_is, share_is, sizes, p.given["range"], *given,
    )  # fmt: skip
    cube = p.reals((1 + ratio) ** 3 < 1 + excess, small, p.given["range"])
    first = p.reals(
        sp.And((share + rise) ** 3 / square < HALF, (share + rise) ** 3 / square > 0),
        p.reals(sp.Eq((share + rise) ** 3, share**3 * (1 + ratio) ** 3), ratio_is, sizes),
        p.reals(share**3 * (1 + ratio) ** 3 < share**3 * (1 + excess), cube, sizes),
        p.reals(share**3 * (1 + ratio) ** 3 > 0, small, sizes),
        above,
        sizes,
    )
    bernoulli = p.reals(
        (share + rise) ** 3 / square >= (1 + 3 * ratio) / (2 * (1 + excess)),
        p.reals(sp.Eq((share + rise) ** 3, share**3 * (1 + ratio) ** 3), ratio_is, sizes),
        p.reals(share**3 * (1 + ratio) ** 3 >= share**3 * (1 + 3 * ratio), small, sizes),
        above,
        sizes,
        p.given["range"],
    )
    last = p.reals(
        (share + rise) ** 3 / square + L * rise > HALF,
        bernoulli,
        p.reals(sp.Eq(L * rise, L * share * ratio), ratio_is, sizes),
        p.reals(
            (1 + 3 * ratio) / (2 * (1 + excess)) + L * share * ratio > HALF,
            small,
            p.reals(L * share > 0, sizes, *given),
            p.given["range"],
        ),
    )
    whole = p.reals(
        sp.And(share + rise <= 1, rise > 0),
        p.reals(
            sp.And(rise * L <= 1, rise > 0), rise_is, share_is, sizes, p.given["range"], *given
        ),
        sizes,
        *given,
    )
    short = p.reals(
        (share + rise) ** 2 <= square,
        p.reals(sp.Eq((share + rise) ** 2, share**2 * (1 + ratio) ** 2), ratio_is, sizes),
        p.reals(share**2 * (1 + ratio) ** 2 <= share**2 * (1 + excess),
                p.reals((1 + ratio) ** 2 <= 1 + excess, small, cube), sizes),
        p.reals(share**2 * (1 + excess) <= square, above, sizes, p.given["range"]),
    )  # fmt: skip
    boundary = (share + rise) * sp.sqrt(d) / B**3
    norm = p.reals(boundary**2 <= B**2, short, square_is, *given)
    start = p.reals(
        sp.Eq(boundary**3 * B / sp.sqrt(d), (share + rise) ** 3 / square), square_is, *given
    )
    slope = p.reals(sp.Eq(boundary * B**3 / sp.sqrt(d), share + rise), *given)
    output = (share + rise) ** 3 / square + (share + rise) * n
    counts = p.reals(
        rounds(output, n),
        p.reals(
            output < n + HALF, first, p.reals((1 - share - rise) * n >= 0, whole, p.given["inputs"])
        ),
        p.reals(
            output > n - HALF,
            p.reals(
                (1 - share - rise) * n <= 1 - L * rise, whole, sizes, p.given["inputs"], *given
            ),
            last,
        ),
    )
    y = linear_output(_LINE, [B])
    equal = p.reals(
        sp.Eq(y, output),
        p.reals(sp.Eq(_LINE[0][0], boundary), share_is, rise_is, p.given["range"], *given),
        start,
        slope,
        *given,
    )
    p.qed(
        p.reals(
            within([*_LINE, [B]]),
            norm,
            p.reals(sp.Eq(_LINE[0][0], boundary), share_is, rise_is, p.given["range"], *given),
            *given,
        ),
        p.reals(rounds(y, n), equal, counts),
    )


ROUND_REACHED = Theorem(
    "linear-rounding-reached",
    Statement(
        title="Linear attention rounds at that cost",
        source="exact-bounds.md, linear attention",
        words="Every B just above (2 d)^(1/8) (1 - 1/L)^(3/8) counts, with vectors on a line.",
        integers=(L, n, m),
        hypotheses={
            "length": L >= 2,
            **BASIC,
            "inputs": INPUTS,
            "excess": sp.Eq(excess, B**8 / (2 * d * _share**3) - 1),
            "range": sp.And(excess > 0, excess <= 1),
        },
        conclusion=sp.And(within([*_LINE, [B]]), rounds(linear_output(_LINE, [B]), n)),
    ),
    _round_reached,
)


def _one(p: Proof) -> None:
    given = list(p.given.values())
    cauchy = [
        p.use("cauchy-schwarz", {}, vectors={"u": {u: ONE}, "v": {v: ONE}})
        for u, v in (("w", "x"), ("w", "s"), ("x", "s"))
    ]
    squares = [p.square({name: ONE}) for name in ("x", "s", "w")]
    norms = [p.given["norms"], p.given["B > 0"], *squares]
    root = p.reals(sp.sqrt(d) > 1, p.given["dimension"])
    products = [
        p.reals(sp.And(product <= B**2, product >= -(B**2)), one, *norms)
        for product, one in zip((wx, ws, xs), cauchy, strict=True)
    ]
    first = p.reals(xx * wx <= B**4, products[0], *norms)
    rate = p.reals(xs * ws <= B**4, products[1], products[2], p.given["B > 0"])
    total = p.reals(xx * wx + xs * ws > sp.sqrt(d) / 2, p.given["last"], root)
    p.qed(total, first, rate, *given[:2])


ROUND_ONE = Theorem(
    "linear-rounding-at-one",
    Statement(
        title="Linear attention at L = 1",
        source="exact-bounds.md, linear attention",
        words="Norms up to B that count to 1 have 4 B^4 >= sqrt(d).",
        vectors=("x", "s", "w"),
        hypotheses={**BASIC, "norms": NORMS, "last": rounds(FIRST + RATE, ONE)},
        conclusion=4 * B**4 >= sp.sqrt(d),
    ),
    _one,
)

_ALIKE: list[list[Term]] = [[B], [B], [ZERO]]


def _one_reached(p: Proof) -> None:
    given = list(p.given.values())
    gap = p.integer_gap(n, why="n is 0 or 1")
    size, size_is = p.define("X", B**4 / sp.sqrt(d), *given)
    between = p.reals(
        sp.And(size > sp.Rational(1, 4), size < HALF), size_is, p.given["bound"], *given
    )
    y = linear_output(_ALIKE, [B])
    p.qed(
        p.reals(within([*_ALIKE, [B]]), p.given["B > 0"]),
        p.reals(
            rounds(y, n),
            p.reals(sp.Eq(y, size + size * n), size_is, *given),
            between,
            gap,
            p.given["inputs"],
        ),
    )


ROUND_ONE_REACHED = Theorem(
    "linear-rounding-at-one-reached",
    Statement(
        title="Linear attention rounds at L = 1 at that cost",
        source="exact-bounds.md, linear attention",
        words="Every B just above (sqrt(d)/4)^(1/4) counts to 1.",
        integers=(n, m),
        hypotheses={
            **BASIC,
            "inputs": sp.And(n >= 0, m >= 0, n + m <= 1),
            "bound": sp.And(4 * B**4 > sp.sqrt(d), 2 * B**4 < sp.sqrt(d)),
        },
        conclusion=sp.And(within([*_ALIKE, [B]]), rounds(linear_output(_ALIKE, [B]), n)),
    ),
    _one_reached,
)

# --- rounding in pre-LN ------------------------------------------------------------------


def _round_sphere(p: Proof) -> None:
    given = [p.given[name] for name in ("length", "dimension", "B > 0")]
    inputs = [p.at(p.given["rounds"], term, *given) for term in (ZERO, L)]
    root, root_is = p.define("q", sp.sqrt(d), *given)
    sized = p.reals(sp.And(root > 1, sp.Eq(root**2, d)), root_is, p.given["dimension"])
    sphere = p.given["sphere"]
    mean = _half_way(p, root, [sized, p.reals(ww <= B**2, sphere), p.reals(sp.Eq(xx, root**2),
                     sphere, sized), *given])  # fmt: skip
    first = p.reals(
        root * wx < HALF,
        p.reals(sp.Eq(FIRST, root * wx), root_is, sphere, sized, *given),
        inputs[0],
    )
    rate = p.reals(
        2 * RATE <= root**2 * B + root * wx,
        p.reals(2 * xs * ws <= root**2 * (root * B + wx), mean, sphere, sized),
        p.reals(sp.Eq(RATE * root, xs * ws), root_is, sized, *given),
        sized,
    )
    last = p.reals(
        RATE * L > L - HALF - root * wx,
        p.reals(sp.Eq(FIRST, root * wx), root_is, sphere, sized, *given),
        inputs[1],
    )
    scaled, scaled_is = p.define("p_#", root * wx)
    slope, slope_is = p.define("p_s", RATE, *given)
    p.qed(
        p.reals(
            root**2 * B >= sp.Rational(3, 2) - 2 / L,
            p.reals(scaled < HALF, first, scaled_is),
            p.reals(2 * slope <= root**2 * B + scaled, rate, scaled_is, slope_is),
            p.reals(slope * L > L - HALF - scaled, last, scaled_is, slope_is),
            *given,
        ),
        sized,
        *given,
    )


ROUND_SPHERE = Theorem(
    "linear-pre-ln-rounding",
    Statement(
        title="Linear attention in pre-LN: what rounding costs",
        source="exact-bounds.md, linear attention",
        words="A read-out of norm at most B that counts to L >= 2 has B d >= 3/2 - 2/L.",
        integers=(L,),
        vectors=("x", "s", "w"),
        hypotheses={"length": L >= 2, **BASIC, "sphere": SPHERE, "rounds": COUNTS},
        conclusion=B * d >= sp.Rational(3, 2) - 2 / L,
    ),
    _round_sphere,
)


def _sphere_one(p: Proof) -> None:
    cauchy = [
        p.use("cauchy-schwarz", {}, vectors={"u": {u: ONE}, "v": {v: ONE}})
        for u, v in (("w", "x"), ("w", "s"), ("x", "s"))
    ]
    given = [p.given[name] for name in ("dimension", "B > 0")]
    sphere = p.given["sphere"]
    root, root_is = p.define("q", sp.sqrt(d), *given)
    sized = p.reals(sp.And(root > 1, sp.Eq(root**2, d)), root_is, *given)
    norm = p.square({"w": ONE})
    inner_ = [
        p.reals(sp.And(product <= root * B, product >= -root * B), one, sphere, sized, norm, *given)
        for product, one in zip((wx, ws), cauchy[:2], strict=True)
    ]
    angle = p.reals(sp.And(xs <= root**2, xs >= -(root**2)), cauchy[2], sphere, sized)
    p.qed(
        p.reals(
            4 * root**2 * B >= 1,
            p.reals(
                root**2 * wx + xs * ws > root / 2,
                p.reals(sp.Eq(FIRST * root, root**2 * wx), sphere, root_is, sized, *given),
                p.reals(sp.Eq(RATE * root, xs * ws), root_is, sized, *given),
                p.reals((FIRST + RATE) * root > root / 2, p.given["last"], sized, root_is, *given),
            ),
            p.reals(xs * ws <= root**3 * B, angle, inner_[1], sized, *given),
            p.reals(root**2 * wx <= root**3 * B, inner_[0], sized),
            sized,
            p.given["B > 0"],
        ),
        sized,
        *given,
    )


SPHERE_ONE = Theorem(
    "linear-pre-ln-rounding-at-one",
    Statement(
        title="Linear attention in pre-LN at L = 1",
        source="exact-bounds.md, linear attention",
        words="A read-out of norm at most B that counts to 1 has 4 B d >= 1.",
        vectors=("x", "s", "w"),
        hypotheses={**BASIC, "sphere": SPHERE, "last": rounds(FIRST + RATE, ONE)},
        conclusion=4 * B * d >= 1,
    ),
    _sphere_one,
)

cosine = symbols("c")
_near, _off = sp.sqrt((1 + cosine) / 2), sp.sqrt((1 - cosine) / 2)
_HALF_WAY: list[list[Term]] = [
    [_ROOT * cosine, _ROOT * 2 * _near * _off],
    [_ROOT * _near, _ROOT * _off],
    [-_ROOT * 2 * _near * _off, _ROOT * cosine],
]


def _sphere_counts(p: Proof) -> None:
    given = [p.given[name] for name in ("dimension", "B > 0", "angle")]
    y = linear_output(_HALF_WAY, [B, ZERO])
    first, first_is = p.define("p_#", B * d * cosine)
    scale, scale_is = p.define("Y", B * d)
    output = p.reals(sp.Eq(y, first + (scale + first) / 2 * n), first_is, scale_is, *given)
    p.qed(
        p.reals(sp.And(on_sphere(_HALF_WAY), within([[B, ZERO]])), *given),
        p.reals(
            rounds(y, n),
            output,
            p.reals(
                rounds(first + (scale + first) / 2 * n, n),
                p.reals(sp.And(first < HALF, first > -HALF), p.given["first"], first_is),
                p.reals(
                    rounds(first + (scale + first) / 2 * L, L),
                    p.given["last"],
                    first_is,
                    scale_is,
                ),
                p.given["length"],
                p.given["inputs"],
                why="linear in n, so n = 0 and n = L decide",
            ),
        ),
    )


_last = B * d * cosine + (B * d + B * d * cosine) / 2 * L

SPHERE_COUNTS = Theorem(
    "linear-pre-ln-construction",
    Statement(
        title="Linear attention in pre-LN: a space half-way between boundary and read-out",
        source="exact-bounds.md, linear attention",
        words="It counts if p_# and the output at n = L round.",
        integers=(L, n, m),
        hypotheses={
            "length": L >= 1,
            **BASIC,
            "inputs": INPUTS,
            "angle": sp.And(cosine >= -1, cosine <= 1),
            "first": rounds(B * d * cosine, ZERO),
            "last": rounds(_last, L),
        },
        conclusion=sp.And(
            on_sphere(_HALF_WAY),
            within([[B, ZERO]]),
            rounds(linear_output(_HALF_WAY, [B, ZERO]), n),
        ),
    ),
    _sphere_counts,
)


def _sphere_reached(p: Proof) -> None:
    given = [p.given[name] for name in ("length", "dimension", "B > 0", "excess", "range")]
    first, first_is = p.define("p_#", B * d * cosine)
    scale, scale_is = p.define("Y", B * d)
    sized = p.reals(
        sp.Eq(scale, sp.Rational(3, 2) - 2 / L + excess), scale_is, p.given["excess"], *given
    )
    start = p.reals(
        sp.And(first > 0, first < HALF, sp.Eq(first * 2 * (1 + 2 / L), 1 + 2 / L - excess)),
        p.reals(
            sp.Eq(first, HALF - excess / (2 * (1 + 2 / L))), p.given["cosine"], first_is, *given
        ),
        *given,
    )
    angle = p.reals(
        sp.And(cosine >= -1, cosine <= 1),
        p.reals(sp.Eq(first, scale * cosine), first_is, scale_is),
        p.reals(scale >= HALF, sized, *given),
        start,
    )
    last = p.reals(
        rounds(_last, L),
        p.reals(
            rounds(first + (scale + first) / 2 * L, L),
            p.reals(sp.Eq(scale * L, L * sp.Rational(3, 2) - 2 + excess * L), sized, *given),
            p.reals(sp.Eq(first * 2 * (L + 2), L + 2 - excess * L), start, *given),
            p.reals(sp.And(excess * L > 0, excess * L <= 1), p.given["range"], *given),
            p.reals(first * L < L / 2, start, *given),
            start,
            *given,
        ),
        first_is,
        scale_is,
    )
    p.qed(
        p.use(
            "linear-pre-ln-construction",
            {},
            angle,
            last,
            p.reals(rounds(B * d * cosine, ZERO), start, first_is),
            p.given["inputs"],
            *given,
        )
    )


SPHERE_REACHED = Theorem(
    "linear-pre-ln-rounding-reached",
    Statement(
        title="Linear attention in pre-LN rounds at that cost",
        source="exact-bounds.md, linear attention",
        words="Every B just above (3/2 - 2/L)/d counts to L >= 2.",
        integers=(L, n, m),
        hypotheses={
            "length": L >= 2,
            **BASIC,
            "inputs": INPUTS,
            "excess": sp.Eq(excess, B * d - (sp.Rational(3, 2) - 2 / L)),
            "range": sp.And(excess > 0, excess <= 1 / L),
            "cosine": sp.Eq(cosine, (HALF - excess / (2 * (1 + 2 / L))) / (B * d)),
        },
        conclusion=SPHERE_COUNTS.statement.conclusion,
    ),
    _sphere_reached,
)


def _sphere_one_reached(p: Proof) -> None:
    given = list(p.given.values())
    p.qed(p.use("linear-pre-ln-construction", {cosine: ONE, L: ONE}, *given))


SPHERE_ONE_REACHED = Theorem(
    "linear-pre-ln-rounding-at-one-reached",
    Statement(
        title="Linear attention in pre-LN rounds at L = 1 at that cost",
        source="exact-bounds.md, linear attention",
        words="Every B just above 1/(4 d) counts to 1, with all tokens alike.",
        integers=(n, m),
        hypotheses={
            **BASIC,
            "inputs": sp.And(n >= 0, m >= 0, n + m <= 1),
            "bound": sp.And(4 * B * d > 1, 2 * B * d < 1),
        },
        conclusion=substituted(SPHERE_COUNTS.statement.conclusion, {cosine: ONE, L: ONE}),
    ),
    _sphere_one_reached,
)
