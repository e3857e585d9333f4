"""Smaller offsets are refuted too: the limits' cross-ratio grows as tau falls.

With f(t) = (1 + t^2)^(3/2) the logarithm of the ratio of t = s/sqrt(1 - s^2) grows with a common
shift of the s_i at the rate f[t0, t1] + f[t2, t3] - f[t1, t3] - f[t0, t2], which has the sign of
the third divided difference f[t0, t1, t2, t3]. In z = t + sqrt(1 + t^2) it is rational, and its
numerator stays >= 0 where the z_i grow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import sympy as sp

from countbounds.proving.formulas import Term, substituted, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.cross_ratio import LIMITS, N, chained, cross_ratio, kappa, sine, tau
from proofs.post_ln import FOUR, ROUNDED_RATIO, bound, limits, tangent
from proofs.post_ln_vectors import LAYER, a, along, norm, ss, ws, wx, xs, xx
from proofs.terms import d, rounds
from proofs.width import S

Z, GROWN = symbols("z0 z1 z2 z3"), symbols("y0 y1 y2 y3")
T, F = symbols("t0 t1 t2 t3"), symbols("f0 f1 f2 f3")
one, shift, moving = symbols("x e eta")
ENDS = ((0, 1), (2, 3), (1, 3), (0, 2))


def numerator(z: Sequence[Term]) -> Term:
    """That of the third divided difference, in elementary symmetric polynomials."""
    e1, e2, e3, e4 = (sp.Add(*(sp.Mul(*few) for few in combinations(z, k))) for k in range(1, 5))
    rest = e1 * e3 + e2 * (e4 + 1) + e4**2 - 6 * e4 + 1
    return e1**2 * e4 - e3**2 + (e4 - 1) * rest


def rate(t: Sequence[Term], f: Sequence[Term]) -> Term:
    """f[t0, t1] + f[t2, t3] - f[t1, t3] - f[t0, t2]."""
    first, second, third, fourth = ((f[j] - f[i]) / (t[j] - t[i]) for i, j in ENDS)
    return first + second - third - fourth


def cube(s: Term) -> Term:
    """f at t = s/sqrt(1 - s^2): dt/ds."""
    return (1 - s**2) ** sp.Rational(-3, 2)


# --- the numerator -----------------------------------------------------------------------


def _one_grows(p: Proof) -> None:
    signs, y = p.given["signs"], GROWN[0]
    others = Z[1:]
    before, after = numerator(Z), numerator((y, *others))
    old, new = (prod(one * other + 1 for other in others) for one in (Z[0], y))
    difference = sp.Poly(after * old - before * new, *Z, y)
    growth, _ = sp.div(difference, sp.Poly(y - Z[0], *Z, y))
    common = prod(others)
    growth, _ = sp.div(growth, sp.Poly(common, *Z, y))
    relation = p.identity(after * old - before * new, (y - Z[0]) * common * growth.as_expr())
    each = [
        sp.Mul(*(v**k for v, k in zip((*Z, y), powers, strict=True))) > 0
        for powers, _ in growth.terms()
    ]
    positive = p.reals(sp.And(*each), signs)
    (size, is_size), (worth, is_worth) = p.define("a", after), p.define("b", before)
    (left, is_left), (right, is_right) = p.define("P", old), p.define("Q", new)
    (many, is_many) = p.define("c", common)
    signed = [
        p.reals(name > 0, fact, signs)
        for name, fact in ((left, is_left), (right, is_right), (many, is_many))
    ]
    (sum_, is_sum) = p.define("G", growth.as_expr())
    grows = p.reals(sum_ >= 0, is_sum, positive, why="a polynomial with positive coefficients")
    short = p.reals(
        sp.Eq(size * left - worth * right, (y - Z[0]) * many * sum_),
        relation,
        is_size,
        is_left,
        is_worth,
        is_right,
        is_many,
        is_sum,
    )
    (step, is_step) = p.define("h", (y - Z[0]) * many * sum_)
    ahead = p.reals(step >= 0, is_step, grows, signed[2], p.given["grows"])
    found = p.reals(
        size >= 0,
        p.reals(sp.Eq(size * left - worth * right, step), short, is_step),
        ahead,
        *signed[:2],
        p.reals(worth >= 0, is_worth, p.given["numerator"]),
    )
    p.qed(p.unfold(found, is_size))


ONE_GROWS = Theorem(
    "divided-difference-of-one-grown",
    Statement(
        title="A divided difference that stays positive, one point moved",
        source="exact-bounds.md, Smaller tau",
        words="The third divided difference of (1 + t^2)^(3/2) does not change from positive to "
        "negative as a point moves to the right; z = t + sqrt(1 + t^2).",
        hypotheses={
            "signs": sp.And(*(z > 0 for z in Z), GROWN[0] > 0),
            "grows": GROWN[0] >= Z[0],
            "numerator": numerator(Z) >= 0,
        },
        conclusion=numerator((GROWN[0], *Z[1:])) >= 0,
    ),
    _one_grows,
)


def _all_grow(p: Proof) -> None:
    found, now = p.given["numerator"], list(Z)
    signs, grow = p.given["signs"], p.given["grow"]
    for i in range(4):
        others = now[:i] + now[i + 1 :]
        values = {**dict(zip(Z, [now[i], *others], strict=True)), GROWN[0]: GROWN[i]}
        found = p.use("divided-difference-of-one-grown", values, signs, grow, found)
        now[i] = GROWN[i]
    p.qed(found)


ALL_GROW = Theorem(
    "divided-difference-of-grown",
    Statement(
        title="A divided difference that stays positive",
        source="exact-bounds.md, Smaller tau",
        words="The third divided difference of (1 + t^2)^(3/2) does not change from positive to "
        "negative as its points move to the right.",
        hypotheses={
            "signs": sp.And(*(z > 0 for z in (*Z, *GROWN))),
            "grow": sp.And(*(y >= z for y, z in zip(GROWN, Z, strict=True))),
            "numerator": numerator(Z) >= 0,
        },
        conclusion=numerator(GROWN) >= 0,
    ),
    _all_grow,
)


# --- the rate ----------------------------------------------------------------------------


def _rational(p: Proof) -> None:
    known = p.given
    signs, order = known["signs"], known["order"]
    at = [(known[f"t{i}"], known[f"f{i}"]) for i in range(4)]
    slopes, terms, about = [], [], []
    for i, j in ENDS:
        m = Z[i] * Z[j]
        half = [(z + 1 / z) / 2 for z in (Z[i], Z[j])]
        term = (m - 1) / (m + 1) * (half[0] ** 2 + half[0] * half[1] + half[1] ** 2)
        signed = p.reals(sp.And(Z[i] > 0, Z[j] > 0, Z[i] < Z[j]), signs, order)
        positive = p.reals(sp.And(m + 1 > 0, Z[i] > 0, Z[j] > 0), signed)
        t = [p.reals(sp.Eq(T[k], (Z[k] - 1 / Z[k]) / 2), at[k][0], signed) for k in (i, j)]
        f = [p.reals(sp.Eq(F[k], ((Z[k] + 1 / Z[k]) / 2) ** 3), at[k][1], signed) for k in (i, j)]
        same = p.identity(
            term * ((Z[j] - 1 / Z[j]) / 2 - (Z[i] - 1 / Z[i]) / 2),
            half[1] ** 3 - half[0] ** 3,
            positive,
        )
        slope, is_slope = p.define("q", term, positive)
        product = p.reals(
            sp.Eq(slope * (T[j] - T[i]), F[j] - F[i]), same, is_slope, *t, *f, positive
        )
        apart = p.reals(T[j] > T[i], at[i][0], at[j][0], signed)
        about.append(p.reals(sp.Eq((F[j] - F[i]) / (T[j] - T[i]), slope), product, apart))
        about.append(p.reals(T[j] - T[i] > 0, apart))
        slopes.append(is_slope)
        terms.append((slope, term))
    bottom = 4 * prod(Z) * prod(Z[i] * Z[j] + 1 for i, j in ENDS)
    top = (Z[2] - Z[1]) * (Z[3] - Z[0]) * numerator(Z)
    a, b, c, d = (term for _, term in terms)
    positive = p.reals(sp.And(*(z > 0 for z in Z), *(Z[i] * Z[j] + 1 > 0 for i, j in ENDS)), signs)
    value = p.identity(bottom * (a + b - c - d), top, positive)
    many, is_many = p.define("m", bottom)
    a, b, c, d = (slope for slope, _ in terms)
    whole = p.reals(sp.Eq(rate(T, F), a + b - c - d), *about)
    total, is_total = p.define("r", rate(T, F), *about)
    worth, is_worth = p.define("n", numerator(Z))
    wide, is_wide = p.define("w", (Z[2] - Z[1]) * (Z[3] - Z[0]))
    product = p.reals(
        sp.Eq(many * total, wide * worth),
        p.reals(sp.Eq(total, a + b - c - d), whole, is_total),
        p.reals(
            sp.Eq(many * (a + b - c - d), wide * worth),
            *(value, is_many, is_wide, is_worth, *slopes),
        ),
    )
    large = p.reals(sp.And(many > 0, wide > 0), is_many, is_wide, positive, order)
    sign = p.reals(
        sp.And(sp.Implies(total >= 0, worth >= 0), sp.Implies(worth >= 0, total >= 0)),
        *(product, large),
    )
    p.qed(p.unfold(sign, is_total, is_worth))


RATE_GIVEN = {
    "signs": sp.And(*(z > 0 for z in Z)),
    "order": sp.And(*chained(Z, True)),
    **{f"t{i}": sp.Eq(2 * T[i] * Z[i], Z[i] ** 2 - 1) for i in range(4)},
    **{f"f{i}": sp.Eq(8 * F[i] * Z[i] ** 3, (Z[i] ** 2 + 1) ** 3) for i in range(4)},
}
RATE = Theorem(
    "rate-along-the-offset",
    Statement(
        title="The sign of the rate along the offset",
        source="exact-bounds.md, Smaller tau",
        words="f[t0, t1] + f[t2, t3] - f[t1, t3] - f[t0, t2] for f(t) = (1 + t^2)^(3/2) has the "
        "sign of a polynomial in z = t + sqrt(1 + t^2).",
        hypotheses=RATE_GIVEN,
        conclusion=sp.And(
            sp.Implies(rate(T, F) >= 0, numerator(Z) >= 0),
            sp.Implies(numerator(Z) >= 0, rate(T, F) >= 0),
        ),
    ),
    _rational,
)


def divided(t: Sequence[Term], f: Sequence[Term]) -> Term:
    """f[t0, t1, t2, t3]."""
    return sp.Add(*(f[i] / sp.Mul(*(t[i] - t[j] for j in range(4) if j != i)) for i in range(4)))


def _third(p: Proof) -> None:
    order = p.given["order"]
    far = (T[2] - T[1]) * (T[3] - T[0])
    value = p.identity(rate(T, F), far * divided(T, F), order)
    r, is_r = p.define("r", rate(T, F), order)
    third, is_third = p.define("g", divided(T, F), order)
    wide, is_wide = p.define("w", far)
    same = p.reals(sp.Eq(r, wide * third), value, is_r, is_third, is_wide)
    positive = p.reals(wide > 0, is_wide, order)
    sign = p.reals(
        sp.And(sp.Implies(third >= 0, r >= 0), sp.Implies(r >= 0, third >= 0)), same, positive
    )
    p.qed(p.unfold(sign, is_r, is_third))


THIRD = Theorem(
    "rate-is-a-divided-difference",
    Statement(
        title="The rate has the sign of the third divided difference",
        source="exact-bounds.md, Smaller tau",
        words="f[t0, t1] + f[t2, t3] - f[t1, t3] - f[t0, t2] has the sign of f[t0, t1, t2, t3].",
        hypotheses={"order": sp.And(*chained(T, True))},
        conclusion=sp.And(
            sp.Implies(divided(T, F) >= 0, rate(T, F) >= 0),
            sp.Implies(rate(T, F) >= 0, divided(T, F) >= 0),
        ),
    ),
    _third,
)


# --- along the offset --------------------------------------------------------------------


def rational(s: Term) -> Term:
    """z = t + sqrt(1 + t^2)."""
    return (1 + s) / sp.sqrt(1 - s**2)


def speed(s: Term) -> Term:
    """The derivative of s/sqrt(1 - s^2), as it is formed."""
    return substituted(sp.diff(tangent(one), one), {one: s})


def _point(p: Proof) -> None:
    inside = p.given["inside"]
    under = p.reals(sp.And(1 - one**2 > 0, one + 1 > 0), inside)
    z = rational(one)
    p.qed(
        p.reals(z > 0, under),
        p.identity(2 * tangent(one) * z, z**2 - 1, under),
        p.identity(8 * cube(one) * z**3, (z**2 + 1) ** 3, under),
        p.identity(speed(one), cube(one), under),
    )


POINT = Theorem(
    "rational-tangent",
    Statement(
        title="A tangent and its derivative made rational",
        source="exact-bounds.md, Smaller tau",
        words="t = x/sqrt(1 - x^2) and dt/dx = (1 + t^2)^(3/2) in z = t + sqrt(1 + t^2).",
        hypotheses={"inside": sp.And(-1 < one, one < 1)},
        conclusion=sp.And(
            rational(one) > 0,
            sp.Eq(2 * tangent(one) * rational(one), rational(one) ** 2 - 1),
            sp.Eq(8 * cube(one) * rational(one) ** 3, (rational(one) ** 2 + 1) ** 3),
            sp.Eq(speed(one), cube(one)),
        ),
    ),
    _point,
)


def offset_rate(points: Sequence[Term]) -> Term:
    """The rate at which the logarithm of the cross-ratio of tangents grows with a shift."""
    return rate([tangent(s) for s in points], [cube(s) for s in points])


@dataclass(frozen=True)
class _Points:
    """t_i, their derivatives f_i and z_i, by name.

    Attributes:
        t: the tangents.
        f: their derivatives.
        z: t_i + sqrt(1 + t_i^2).
        defined: what the names t_i and f_i stand for.
        relations: what they have to do with z_i.
        places: what z_i has to do with the point.
        rising: that z_i > 0 increase.
        apart: that t_i increase.
    """

    t: Sequence[Term]
    f: Sequence[Term]
    z: Sequence[Term]
    defined: Sequence[Fact]
    relations: Sequence[Fact]
    places: Sequence[Fact]
    rising: Fact
    apart: Fact


def _named(q: Proof, points: Sequence[Term], growth: Term, *facts: Fact) -> _Points:
    """The points by name; growth is the derivative of the tangent in x."""
    names, defined, relations, places, signs = [], [], [], [], []
    for i, s in enumerate(points):
        inside = q.reals(sp.And(-1 < s, s < 1), *facts)
        under = q.reals(1 - s**2 > 0, inside)
        about = q.use("rational-tangent", {one: s}, inside)
        t, is_t = q.define(f"t{i}", tangent(s), under)
        f, is_f = q.define(f"f{i}", substituted(growth, {one: s}), under)
        z, is_z = q.define(f"z{i}", rational(s), under)
        value = q.reals(sp.Eq(f, cube(s)), is_f, about, under)
        signs.append(q.reals(z > 0, is_z, about))
        relations += [
            q.reals(sp.Eq(2 * t * z, z**2 - 1), is_t, is_z, about, under),
            q.reals(sp.Eq(8 * f * z**3, (z**2 + 1) ** 3), value, is_z, about, under),
        ]
        square = q.reals(sp.Eq(z**2 * (1 - s), 1 + s), is_z, inside, under)
        places.append(q.both(square, inside))
        names.append((t, f, z))
        defined += [is_t, is_f]
    ts, fs, zs = zip(*names, strict=True)
    rising = [
        q.reals(zs[i] < zs[i + 1], *places[i : i + 2], *signs[i : i + 2], *facts) for i in range(3)
    ]
    apart = [
        q.reals(ts[i] < ts[i + 1], rising[i], *relations[2 * i : 2 * i + 4 : 2], *signs[i : i + 2])
        for i in range(3)
    ]
    return _Points(ts, fs, zs, defined, relations, places, q.both(*signs, *rising), q.both(*apart))


def ratio_slope(t: Sequence[Term], f: Sequence[Term]) -> Term:
    """The derivative of the cross-ratio of t_i with derivatives f_i, as it is formed."""
    curves = [sp.Function(f"T{i}")(one) for i in range(4)]
    slope = sp.diff(cross_ratio(curves), one)
    slope = substituted(slope, {c.diff(one): g for c, g in zip(curves, f, strict=True)})
    return substituted(slope, dict(zip(curves, t, strict=True)))


def _shifted(p: Proof) -> None:
    order, inside, ahead, starts = (p.given[name] for name in ("order", "inside", "e", "rate"))
    given = (order, inside, ahead)
    first = _named(p, S, cube(one), *given)

    def signs(q: Proof, points: _Points) -> Fact:
        values = {
            **dict(zip(T, points.t, strict=True)),
            **dict(zip(F, points.f, strict=True)),
            **dict(zip(Z, points.z, strict=True)),
        }
        return q.use("rate-along-the-offset", values, *points.relations, points.rising)

    begun = p.reals(numerator(first.z) >= 0, p.unfold(signs(p, first), *first.defined), starts)

    def show(q: Proof, here: Term, slope: Term, between: list[Fact]) -> Fact:
        now = _named(q, [s + here for s in S], speed(one), *given, *between)
        grown = [
            q.reals(
                now.z[i] >= first.z[i],
                *(first.places[i], now.places[i], first.rising, now.rising, *between),
            )
            for i in range(4)
        ]
        values = {**dict(zip(Z, first.z, strict=True)), **dict(zip(GROWN, now.z, strict=True))}
        kept = q.use("divided-difference-of-grown", values, *grown, first.rising, now.rising, begun)
        growth = q.reals(rate(now.t, now.f) >= 0, signs(q, now), kept)
        ratio = cross_ratio(now.t)
        small = ratio_slope(now.t, now.f)
        value = q.identity(small, ratio * rate(now.t, now.f), now.apart)
        positive = q.reals(ratio >= 0, now.apart)
        (x, is_x), (y, is_y) = (
            q.define("c", ratio, now.apart),
            q.define("r", rate(now.t, now.f), now.apart),
        )
        (v, is_v) = q.define("v", small, now.apart)
        sign = q.reals(
            v >= 0,
            q.reals(sp.Eq(v, x * y), is_v, is_x, is_y, value),
            q.reals(x >= 0, is_x, positive),
            q.reals(y >= 0, is_y, growth),
        )
        return q.unfold(q.unfold(sign, is_v), *now.defined)

    function = cross_ratio([tangent(s + moving) for s in S])
    p.qed(p.rises(function, moving, sp.Integer(0), shift, *given, show=show))


SHIFTED = Theorem(
    "cross-ratio-grows-as-the-offset-falls",
    Statement(
        title="The limits' cross-ratio grows as tau falls",
        source="exact-bounds.md, Smaller tau",
        words="Where the cross-ratio of t = s/sqrt(1 - s^2) does not decrease with a common shift "
        "of the s_i, it does not decrease from there on.",
        hypotheses={
            "order": sp.And(*chained(S, True)),
            "e": shift >= 0,
            "inside": sp.And(-1 < S[0], S[3] + shift < 1),
            "rate": offset_rate(S) >= 0,
        },
        conclusion=cross_ratio([tangent(s) for s in S])
        <= cross_ratio([tangent(s + shift) for s in S]),
    ),
    _shifted,
)


# --- smaller offsets ---------------------------------------------------------------------

offset = symbols("tau'")
REFUTED = ROUNDED_RATIO < cross_ratio(N)
ONE_OFFSET = {
    "order": sp.And(*chained(LIMITS, True)),
    "inside": sp.And(-1 < LIMITS[0], LIMITS[3] < 1),
    "rate": offset_rate(LIMITS) >= 0,
    "offset": offset >= tau,
}


def _lower(p: Proof, refutation: str, reach: Callable[[dict[Any, Term], Fact], Fact]) -> None:
    """reach gives s3 < 1 at tau from the limits there."""
    known = p.given
    wide = p.reals(bound > 0, *(known[name] for name in ("kappa", "bound") if name in known))
    e, is_e = p.define("e", (offset - tau) / bound, wide)
    ahead = p.reals(e >= 0, is_e, wide, known["offset"])
    now = {s: s + e for s in LIMITS}
    own = p.reals(substituted(limits(bound, tau), now), known["limits"], is_e, wide)
    four = [known[name] for name in known if name not in (*ONE_OFFSET, "limits")]
    refuted = p.use(refutation, now, *four, own)
    grown = p.use(
        "cross-ratio-grows-as-the-offset-falls",
        {shift: e},
        *(known["order"], ahead, p.both(known["inside"], reach(now, own)), known["rate"]),
    )
    p.qed(p.reals(REFUTED, refuted, grown))


def _lower_arc(p: Proof) -> None:
    known, last = p.given, N[3]

    def reach(now: dict[Any, Term], own: Fact) -> Fact:
        size = p.reals(sine(last) <= 1, known[f"valid at {last}"])
        widths = (known["kappa"], known["bound"])
        there = (size, own, known[f"n = {last}"], *widths)
        return p.reals(now[LIMITS[3]] < 1, *there, why="the arc gets there")

    _lower(p, "post-ln-cross-ratio-at-any-width", reach)


LOWER = Theorem(
    "post-ln-cross-ratio-at-any-smaller-offset",
    Statement(
        title="Post-LN: one tau refutes all smaller ones",
        source="exact-bounds.md, Smaller tau",
        words="If an arc with offset at most tau' and width at most kappa' rounds four integers, "
        "CR_t < CR_n at tau' and kappa', where CR_t does not increase with tau there.",
        hypotheses={
            **ONE_OFFSET,
            **{name: formula for name, formula in FOUR.items() if name != "limits"},
            "bound": bound >= kappa,
            "limits": limits(bound, offset),
        },
        conclusion=REFUTED,
    ),
    _lower_arc,
)


def _lower_vectors(p: Proof) -> None:
    def reach(now: dict[Any, Term], own: Fact) -> Fact:
        four = [p.given[name] for name in LAYER if name != "limits"]
        return p.use("post-ln-reach", now, *four, own)

    _lower(p, "post-ln-refutation", reach)


LOWER_VECTORS = Theorem(
    "post-ln-refutation-at-any-smaller-offset",
    Statement(
        title="Post-LN: one tau refutes all smaller ones, for vectors",
        source="exact-bounds.md, Smaller tau",
        words="Whoever rounds four integers correctly with sqrt(d) |P(w o g)| <= kappa and an "
        "offset of at most tau' has CR_t < CR_n at this kappa and tau', where CR_t does not "
        "increase with tau there.",
        vectors=("w", "x", "s"),
        hypotheses={
            **ONE_OFFSET,
            **{name: formula for name, formula in LAYER.items() if name != "limits"},
            "limits": limits(bound, offset),
        },
        conclusion=REFUTED,
    ),
    _lower_vectors,
)


# --- the centre --------------------------------------------------------------------------

outer, inner = symbols("alpha beta")
SYMMETRIC = (-outer, -inner, inner, outer)


def _centre(p: Proof) -> None:
    order, inside, ahead = p.given["order"], p.given["inside"], p.given["e"]
    within = p.reals(sp.And(1 - outer**2 > 0, 1 - inner**2 > 0), order, inside, ahead)
    a, is_a = p.define("a", tangent(outer), within)
    b, is_b = p.define("b", tangent(inner), within)
    apart = p.reals(sp.And(0 < b, b < a), is_a, is_b, within, order)
    f, is_f = p.define("f", cube(outer), within)
    g, is_g = p.define("g", cube(inner), within)
    flat = p.reals(rate((-a, -b, b, a), (f, g, g, f)) >= 0, apart)
    p.qed(
        p.use(
            "cross-ratio-grows-as-the-offset-falls",
            dict(zip(S, SYMMETRIC, strict=True)),
            *(order, inside, ahead, p.unfold(flat, is_a, is_b, is_f, is_g)),
        )
    )


CENTRE = Theorem(
    "cross-ratio-is-least-at-the-centre",
    Statement(
        title="Symmetric limits have the least cross-ratio at the offset L/2",
        source="exact-bounds.md, Smaller tau",
        words="For limits symmetric about L/2 the rate vanishes at tau = L/2: the cross-ratio "
        "there is at most that at every smaller tau.",
        hypotheses={
            "order": sp.And(0 < inner, inner < outer),
            "e": shift >= 0,
            "inside": outer + shift < 1,
        },
        conclusion=cross_ratio([tangent(s) for s in SYMMETRIC])
        <= cross_ratio([tangent(s + shift) for s in SYMMETRIC]),
    ),
    _centre,
)


_FOUR = {name: formula for name, formula in LAYER.items() if name != "limits"}
_CENTRED = {
    **_FOUR,
    "gaps": N[1] - N[0] > 1,
    "symmetric": sp.And(sp.Eq(N[0] + N[3], 2 * offset), sp.Eq(N[1] + N[2], 2 * offset)),
    "limits": limits(bound, offset),
}


def _up_to_the_centre(p: Proof) -> None:
    known = p.given
    wide = p.reals(bound > 0, known["kappa"])
    e, is_e = p.define("e", (offset - tau) / bound, wide)
    now = {s: s + e for s in LIMITS}
    own = p.reals(substituted(limits(bound, tau), now), known["limits"], is_e, wide)
    reach = p.use("post-ln-reach", now, *(known[name] for name in _FOUR), own)
    ahead = p.reals(e >= 0, is_e, wide, known["offset"])
    placed = (known["limits"], known["symmetric"], wide)
    even = p.reals(sp.And(sp.Eq(LIMITS[0], -LIMITS[3]), sp.Eq(LIMITS[1], -LIMITS[2])), *placed)
    order = p.reals(sp.And(*chained(LIMITS, True)), *placed, known["gaps"], known["inputs"])
    inside = p.reals(sp.And(-1 < LIMITS[0], LIMITS[3] < 1), reach, ahead, even)
    under = [p.reals(1 - s**2 > 0, inside, order) for s in LIMITS]
    t, is_t = zip(
        *(p.define(f"t{i}", tangent(s), under[i]) for i, s in enumerate(LIMITS)), strict=True
    )
    f, is_f = zip(
        *(p.define(f"f{i}", cube(s), under[i]) for i, s in enumerate(LIMITS)), strict=True
    )
    facts = [even, order]
    for i, j in ((0, 3), (1, 2)):
        facts += [
            p.reals(sp.Eq(t[i], -t[j]), is_t[i], is_t[j], even, under[i], under[j]),
            p.reals(sp.Eq(f[i], f[j]), is_f[i], is_f[j], even, under[i], under[j]),
        ]
    rising = [
        p.reals(t[i] < t[i + 1], is_t[i], is_t[i + 1], under[i], under[i + 1], order)
        for i in range(3)
    ]
    flat = p.reals(rate(t, f) >= 0, *facts[2:], *rising, why="it vanishes by symmetry")
    p.qed(
        p.use(
            "post-ln-refutation-at-any-smaller-offset",
            {},
            *(known[name] for name in (*_FOUR, "limits", "offset")),
            *(order, inside, p.unfold(flat, *is_t, *is_f)),
        )
    )


UP_TO_THE_CENTRE = Theorem(
    "post-ln-refutation-up-to-the-centre",
    Statement(
        title="Post-LN: symmetric inputs refute all offsets up to the centre",
        source="exact-bounds.md, Smaller tau",
        words="Whoever rounds four integers symmetric about tau' correctly with "
        "sqrt(d) |P(w o g)| <= kappa and an offset of at most tau' has CR_t < CR_n at tau'.",
        vectors=("w", "x", "s"),
        hypotheses={**_CENTRED, "offset": offset >= tau},
        conclusion=REFUTED,
    ),
    _up_to_the_centre,
)


def _any_offset(p: Proof) -> None:
    known, whole = p.given, sp.Integer(1)
    plain = [known[n] for n in ("dimension", "a > 0", "inputs", "kappa", "gaps", "limits")]
    symmetric = known["symmetric"]

    def below(q: Proof, less: Fact) -> Fact:
        return q.use(
            "post-ln-refutation-up-to-the-centre", {}, *(known[name] for name in _CENTRED), less
        )

    def above(q: Proof, more: Fact) -> Fact:
        facts = []
        for i in range(4):
            here, there = N[i], N[3 - i]
            valid = known[f"valid at {there}"]
            turned = {
                wx: -wx - 2 * offset / a * ws,
                ws: ws,
                xx: xx + 4 * offset / a * xs + 4 * offset**2 / a**2 * ss,
                xs: -xs - 2 * offset / a * ss,
            }
            size, part = (substituted(one(here), turned) for one in (norm, along))
            sum_ = q.reals(sp.Eq(here + there, 2 * offset), symmetric)
            same = q.reals(
                sp.And(sp.Eq(size, norm(there)), sp.Eq(part, -along(there))), sum_, known["a > 0"]
            )
            long = q.reals(size > 0, same, valid)
            level, is_level = q.define(
                "v", sp.sqrt(d) * along(there) / sp.sqrt(norm(there)), valid, known["dimension"]
            )
            mirrored = q.reals(
                sp.Eq(sp.sqrt(d) * part / sp.sqrt(size), -level),
                *(is_level, same, valid, long, known["dimension"]),
            )
            at = q.reals(rounds(tau + level, there), is_level, known[f"n = {there}"])
            facts += [
                long,
                q.reals(
                    rounds(2 * offset - tau + sp.sqrt(d) * part / sp.sqrt(size), here),
                    *(mirrored, at, sum_),
                ),
            ]
        ahead = q.reals(offset >= 2 * offset - tau, more)
        return q.use(
            "post-ln-refutation-up-to-the-centre",
            {tau: 2 * offset - tau},
            *(*plain, symmetric, ahead, *facts),
            vectors={
                "w": {"w": -whole},
                "x": {"x": whole, "s": 2 * offset / a},
                "s": {"s": -whole},
            },
            why="n is counted from the other end",
        )

    p.qed(p.cases(REFUTED, [tau <= offset, tau > offset], [below, above]))


ANY_OFFSET = Theorem(
    "post-ln-refutation-at-any-offset",
    Statement(
        title="Post-LN: symmetric inputs refute every offset",
        source="exact-bounds.md, Smaller tau",
        words="Whoever rounds four integers symmetric about tau' correctly with "
        "sqrt(d) |P(w o g)| <= kappa has CR_t < CR_n at tau', whatever the offset.",
        vectors=("w", "x", "s"),
        hypotheses=_CENTRED,
        conclusion=REFUTED,
    ),
    _any_offset,
)
