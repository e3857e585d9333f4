"""Post-LN at the offset 0: an explicit arc with the sharp constant.

kappa tan(phi) is to lie near n + 16 q n^3, q = 1/(32 kappa^2). In place of n^3 stands its best
quadratic on [0, L], (3L/2) n^2 - (9 L^2/16) n + L^3/32, which is that of a Moebius function:
U = L^3/64 + (kappa^2 - 9 L^2/32) n and R = kappa (kappa^2 - 3 L n/4). In x = n/L, w = q L^3 and
t = 64 q L^2 what is left of the two halves is w x (4x - 3)^2 and w (1 - x)(4x - 1)^2, and terms
smaller by 1/L, which (1 - w - t)/2 >= 0 and t/2 outweigh.
"""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import HALF, Term, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.cross_ratio import kappa
from proofs.terms import L, n, rounds

U, R, s, a, q, x = symbols("U R s a q x")

BELOW = 1 + a / 2 + 3 * a**2 / 8
"""Below 1/sqrt(1 - a)."""
ABOVE = BELOW + 3 * a**3 / 5
"""Above 1/sqrt(1 - a) for 0 < a <= 1/2."""
SINE = kappa * U / sp.sqrt(U**2 + R**2)

_POINT = {
    "kappa": kappa > 0,
    "s": s > 0,
    "R": R > 0,
    "U": U >= 0,
    "a": sp.Eq(a * kappa**2, s**2),
}


def _root(p: Proof) -> tuple[Term, Fact, Fact]:
    """The root of U^2 + R^2, its definition, and what holds of it."""
    root, is_root = p.define("r", sp.sqrt(U**2 + R**2), p.given["R"])
    square = p.reals(sp.And(root > 0, sp.Eq(root**2, U**2 + R**2)), is_root, p.given["R"])
    return root, is_root, square


def _positive(p: Proof) -> None:
    known = p.given
    root, is_root, square = _root(p)
    p.qed(
        p.reals(kappa * U / root > 0, square, known["kappa"], known["U"]),
        is_root,
        square,
    )


POSITIVE = Theorem(
    "sine-is-positive",
    Statement(
        title="Where an arc is positive",
        source="exact-bounds.md, post-LN",
        words="kappa U/sqrt(U^2 + R^2) > 0 for kappa, U, R > 0.",
        hypotheses={"kappa": kappa > 0, "R": R > 0, "U": U > 0},
        conclusion=SINE > 0,
    ),
    _positive,
)


def _less(p: Proof) -> None:
    known = p.given
    root, is_root, square = _root(p)
    goal = kappa**2 * U**2 < s**2 * (U**2 + R**2)

    def outside(r: Proof, far: Fact) -> Fact:
        wide = r.reals(kappa**2 <= s**2, far, known["a"], known["kappa"])
        rest = r.reals(s**2 * R**2 > 0, known["s"], known["R"])
        return r.reals(goal, r.reals(kappa**2 * U**2 <= s**2 * U**2, wide), rest)

    def inside(r: Proof, near: Fact) -> Fact:
        factor, is_factor = r.define("f", BELOW)
        positive = r.reals(a >= 0, known["a"], known["kappa"])
        series = r.reals((1 - a) * BELOW**2 <= 1, positive)
        small = r.reals((1 - a) * factor**2 <= 1, series, is_factor)
        slope = r.reals(kappa * U < s * R * factor, known["slope"], is_factor)
        squares = r.reals(
            kappa**2 * U**2 < s**2 * R**2 * factor**2, slope, known["U"], known["kappa"]
        )
        left, is_left = r.define("l", kappa**2 * U**2)
        right, is_right = r.define("h", s**2 * R**2)
        scaled = r.reals(
            left * (1 - a) < right * (1 - a) * factor**2,
            r.reals(left < right * factor**2, squares, is_left, is_right),
            near,
        )
        least = r.reals(right >= 0, is_right)
        bound = r.reals(left * (1 - a) < right, scaled, small, least)
        same = r.reals(sp.Eq(left * (1 - a), kappa**2 * U**2 - s**2 * U**2), is_left, known["a"])
        return r.reals(goal, bound, same, is_right)

    reached = p.cases(goal, [a >= 1, a < 1], [outside, inside])
    p.qed(p.reals(kappa * U < s * root, reached, square, known["s"]), is_root, square)


LESS = Theorem(
    "sine-below-by-its-tangent",
    Statement(
        title="An arc below s, from its tangent",
        source="exact-bounds.md, post-LN",
        words="If kappa U/R < s (1 + a/2 + 3 a^2/8) for a = s^2/kappa^2, then "
        "kappa U/sqrt(U^2 + R^2) < s.",
        hypotheses={**_POINT, "slope": kappa * U < s * R * BELOW},
        conclusion=SINE < s,
    ),
    _less,
)


def _more(p: Proof) -> None:
    known = p.given
    root, is_root, square = _root(p)
    factor, is_factor = p.define("f", ABOVE)
    positive = p.reals(a > 0, known["a"], known["kappa"], known["s"])
    series = p.reals((1 - a) * ABOVE**2 > 1, positive, known["small"])
    large = p.reals((1 - a) * factor**2 > 1, series, is_factor)
    ahead = p.reals(factor > 0, is_factor, positive)
    slope = p.reals(kappa * U > s * R * factor, known["slope"], is_factor)
    least = p.reals(s * R > 0, known["s"], known["R"])
    squares = p.reals(kappa**2 * U**2 > s**2 * R**2 * factor**2, slope, least, ahead)
    left, is_left = p.define("l", kappa**2 * U**2)
    right, is_right = p.define("h", s**2 * R**2)
    scaled = p.reals(
        left * (1 - a) > right * (1 - a) * factor**2,
        p.reals(left > right * factor**2, squares, is_left, is_right),
        known["small"],
    )
    bound = p.reals(left * (1 - a) > right, scaled, large, p.reals(right >= 0, is_right))
    same = p.reals(sp.Eq(left * (1 - a), kappa**2 * U**2 - s**2 * U**2), is_left, known["a"])
    reached = p.reals(kappa**2 * U**2 > s**2 * (U**2 + R**2), bound, same, is_right)
    more = p.reals(kappa * U > s * root, reached, square, known["s"], known["U"], known["kappa"])
    p.qed(more, is_root, square)


MORE = Theorem(
    "sine-above-by-its-tangent",
    Statement(
        title="An arc above s, from its tangent",
        source="exact-bounds.md, post-LN",
        words="If kappa U/R > s (1 + a/2 + 3 a^2/8 + 3 a^3/5) for a = s^2/kappa^2 <= 1/2, then "
        "kappa U/sqrt(U^2 + R^2) > s.",
        hypotheses={**_POINT, "small": a <= HALF, "slope": kappa * U > s * R * ABOVE},
        conclusion=SINE > s,
    ),
    _more,
)


# --- the two polynomials -----------------------------------------------------------------


def forward(number: Term) -> Term:
    """U(n)/kappa^2."""
    return q * L**3 / 2 + (1 - 9 * q * L**2) * number


def aside(number: Term) -> Term:
    """R(n)/kappa^3."""
    return 1 - 24 * q * L * number


def upper(number: Term) -> Term:
    """At most s (1 + a/2 + 3 a^2/8) for s = n + 1/2."""
    cubic = 16 * q * (number**3 + 3 * number**2 / 2)
    return number + HALF + cubic + 384 * q**2 * number**5


def lower(number: Term) -> Term:
    """At least s (1 + a/2 + 3 a^2/8 + 3 a^3/5) for s = n - 1/2 >= 1/2."""
    cubic = 16 * q * (number**3 - 3 * number**2 / 2 + 3 * number / 4)
    far = 384 * q**2 * number**5 + sp.Rational(98304, 5) * q**3 * number**7
    return number - HALF + cubic + far


_SCALE = {"length": L >= 1, "q": sp.And(q > 0, q * L**2 * (L + 64) <= 1)}


def _polynomials(p: Proof) -> None:
    known = p.given
    inside, length, small = known["x"], known["length"], known["q"]
    w, is_w = p.define("w", q * L**3)
    t, is_t = p.define("t", 64 * q * L**2)
    h, is_h = p.define("h", 1 / L, length)
    box = p.reals(sp.And(w > 0, t > 0, w + t <= 1), is_w, is_t, length, small)
    step = p.reals(sp.And(h > 0, h <= 1, sp.Eq(h * L, 1)), is_h, length)

    def half(square: Term, rest: Term, value: Term) -> Fact:
        """value > 0, as it is (1 - w - t)/2 + w square + t rest/64."""
        ahead = p.reals(rest > 0, inside, box, step)
        name, is_name = p.define("g", rest)
        even, is_even = p.define("e", square)
        whole = p.reals(
            (1 - w - t) / 2 + w * even + t * name / 64 > 0,
            p.reals(name > 0, is_name, ahead),
            p.reals(even >= 0, is_even, inside),
            box,
        )
        sum_ = (1 - w - t) / 2 + w * square + t * rest / 64
        plain = p.unfold(p.unfold(whole, is_name, is_even), is_w, is_t, is_h)
        worth = sum_.subs({w: q * L**3, t: 64 * q * L**2, h: 1 / L})
        return p.reals(value > 0, plain, p.identity(value, worth, length))

    both = 32 - 12 * x + 24 * x**2 - 9 * t * x**3
    bend = 384 * w * x**4 * (1 - x)
    top = half(
        x * (4 * x - 3) ** 2,
        both - bend - 144 * t * w * x**6,
        upper(L * x) * aside(L * x) - forward(L * x),
    )
    narrow = 1 - 3 * t * x / 8
    far = sp.Rational(1536, 5) * t * w * x**7 * narrow
    low = half(
        (1 - x) * (4 * x - 1) ** 2,
        both + bend + 144 * t * w * x**6 - 12 * h * x * narrow - far,
        forward(L * x) - lower(L * x) * aside(L * x),
    )
    p.qed(top, low)


POLYNOMIALS = Theorem(
    "offset-free-polynomials",
    Statement(
        title="The tangent of the arc at the offset 0 between its limits",
        source="exact-bounds.md, post-LN",
        words="For n = L x, 0 <= x <= 1, and q L^2 (L + 64) <= 1 the quotient of "
        "q L^3/2 + (1 - 9 q L^2) n and 1 - 24 q L n lies between two polynomials about n.",
        hypotheses={**_SCALE, "x": sp.And(x >= 0, x <= 1)},
        conclusion=sp.And(
            forward(L * x) < upper(L * x) * aside(L * x),
            lower(L * x) * aside(L * x) < forward(L * x),
        ),
    ),
    _polynomials,
)

# --- the arc -----------------------------------------------------------------------------

ALONG = L**3 / 64 + (kappa**2 - 9 * L**2 / 32) * n
"""U(n)."""
ACROSS = kappa * (kappa**2 - 3 * L * n / 4)
"""R(n)."""
OUTPUT = SINE.subs({U: ALONG, R: ACROSS}, simultaneous=True)


def _arc(p: Proof) -> None:
    known = p.given
    length, inputs, wide = known["length"], known["inputs"], known["kappa"]
    scale, is_scale = p.define("q", 1 / (32 * kappa**2), wide)
    worth = p.reals(sp.And(scale > 0, sp.Eq(32 * scale * kappa**2, 1)), is_scale, wide)
    size, is_size = p.define("z", L**2 * (L + 64))
    most = p.reals(
        scale * size <= 1,
        p.reals(32 * kappa**2 >= size, is_size, wide),
        worth,
    )
    small = p.reals(sp.And(scale > 0, scale * L**2 * (L + 64) <= 1), most, is_size, worth)
    share = p.reals(sp.And(n / L >= 0, n / L <= 1), inputs, length)
    limits = p.use(POLYNOMIALS.name, {q: scale, x: n / L}, small, share, length)
    square = p.reals(scale * L**2 * 64 < 1, small, length)
    shorter = p.reals(scale * L * n <= scale * L**2, inputs, length, worth)
    thin = p.reals(scale * n**2 <= scale * L**2, inputs, worth)
    first, second = (one.subs(q, scale) for one in (forward(n), aside(n)))
    u, is_u = p.define("u", first)
    v, is_v = p.define("v", second)
    along = p.reals(sp.Eq(ALONG, kappa**2 * u), is_u, worth)
    across = p.reals(sp.Eq(ACROSS, kappa**3 * v), is_v, worth)
    ahead = p.reals(
        sp.And(u > 0, v > 0),
        is_u,
        is_v,
        p.reals(first > 0, square, worth, length, inputs),
        p.reals(second > 0, square, shorter),
    )
    cube = p.reals(kappa**3 > 0, wide)
    right = p.reals(ACROSS > 0, across, ahead, cube)
    up = p.reals(ALONG > 0, along, ahead, wide)

    def slope(r: Proof, side: Term, factor: Term, limit: Term, *facts: Fact) -> tuple[Term, Fact]:
        """a = s^2/kappa^2, and on which side of s R (1 + a/2 + ...) kappa U lies."""
        sign = 1 if factor == ABOVE else -1
        ratio = 32 * scale * side**2
        series, is_series = r.define("f", factor.subs(a, ratio))
        bound, is_bound = r.define("b", limit.subs(q, scale))
        product, is_product = r.define("c", side * series)
        expanded = sp.expand(side * factor.subs(a, ratio))
        value = r.reals(sp.Eq(product, expanded), is_series, is_product)
        met = r.reals(sign * (bound - product) >= 0, value, is_bound, worth, inputs, *facts)
        strict = r.reals(sign * (u - bound * v) > 0, limits, is_u, is_v, is_bound)
        plain = r.reals(sign * (u - product * v) > 0, strict, met, ahead)
        scaled = r.reals(kappa**3 * (sign * (u - product * v)) > 0, plain, cube)
        named = side * ACROSS * series
        same = r.reals(
            sp.And(sp.Eq(kappa * ALONG, kappa**3 * u), sp.Eq(named, kappa**3 * v * product)),
            along,
            across,
            is_product,
        )
        goal = kappa * ALONG > named if sign > 0 else kappa * ALONG < named
        return ratio, r.unfold(r.reals(goal, scaled, same), is_series)

    def use(r: Proof, name: str, side: Term, ratio: Term, *facts: Fact) -> Fact:
        images = {U: ALONG, R: ACROSS, s: side, a: ratio}
        equal = r.reals(sp.Eq(ratio * kappa**2, side**2), worth)
        return r.use(name, images, wide, right, up, equal, *facts)

    ratio, steep = slope(p, n + HALF, BELOW, upper(n))
    below = use(p, LESS.name, n + HALF, ratio, steep, inputs)
    goal = n - HALF < OUTPUT

    def zero(r: Proof, none: Fact) -> Fact:
        positive = r.use(POSITIVE.name, {U: ALONG, R: ACROSS}, wide, right, up)
        return r.reals(goal, positive, none)

    def later(r: Proof, some: Fact) -> Fact:
        ratio, steep = slope(r, n - HALF, ABOVE, lower(n), some)
        small = r.reals(ratio <= HALF, square, thin, some, worth)
        return r.reals(goal, use(r, MORE.name, n - HALF, ratio, steep, small, some))

    above = p.cases(goal, [n <= 0, n >= 1], [zero, later], p.integer_gap(n))
    p.qed(right, below, above)


ARC = Theorem(
    "post-ln-sharp-upper-bound",
    Statement(
        title="Post-LN at the offset 0: the sharp constant, from above",
        source="exact-bounds.md, post-LN",
        words="For every kappa with 32 kappa^2 >= L^2 (L + 64) the arc kappa U/sqrt(U^2 + R^2), "
        "U = L^3/64 + (kappa^2 - 9 L^2/32) n and R = kappa (kappa^2 - 3 L n/4) > 0, rounds "
        "n = 0..L.",
        integers=(L, n),
        hypotheses={
            "length": L >= 1,
            "inputs": sp.And(n >= 0, n <= L),
            "kappa": sp.And(kappa > 0, 32 * kappa**2 >= L**2 * (L + 64)),
        },
        conclusion=sp.And(ACROSS > 0, rounds(OUTPUT, n)),
    ),
    _arc,
)
