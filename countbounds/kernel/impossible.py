"""That no parameters of norm <= bound count to L: each theorem as explicit inequalities.

A refutation at a bound refutes every smaller one, since parameters of smaller norm are
among those of norm <= bound. X is the square of the bound; a* and A* are the infima of the
rounding polytope. The theorems, with proofs, are those of docs/exact-bounds.md.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from countbounds.kernel.claims import HALF, decide, fields, integer, number, require
from countbounds.kernel.enclosures import Interval, Number, exp, log, rounded, sqrt


def check_impossible(variant: str, length: int, dim: int, bound: Fraction, proof: Any) -> None:
    """Refuse unless the named theorem is one for the variant and its inequalities hold."""
    name = str(proof.get("theorem")) if isinstance(proof, dict) else ""
    require(name in THEOREMS[variant], "the theorem is not one for this variant")
    theorem, *names = THEOREMS[variant][name]
    _, *witness = fields(proof, "theorem", *names)
    require(theorem(length, dim, bound, *witness), f"the inequality of {name} does not hold")


def least_weight(length: int) -> int:
    """a* = floor((L - 1)^2 / 4)."""
    return (length - 1) ** 2 // 4


def least_value(length: int) -> Fraction:
    """A* = floor((L + 1)^2 / 4) - 1/2."""
    return (length + 1) ** 2 // 4 - HALF


def _all_positive(quantities: Callable[[int], list[Number]], what: str) -> bool:
    """Whether all quantities, enclosed with more and more bits, are positive."""

    def answer(bits: int) -> bool | None:
        enclosed = [Interval(0) + x for x in quantities(bits)]
        if any(x.high <= 0 for x in enclosed):
            return False
        return True if all(x.low > 0 for x in enclosed) else None

    return decide(answer, what)


# --- linear attention -------------------------------------------------------------------


def _linear(length: int, dim: int, bound: Fraction) -> bool:
    """B^8 <= 2 d (1 - 1/L)^3 for L >= 2, B^8 <= d/16 at L = 1."""
    limit = 2 * (1 - Fraction(1, length)) ** 3 if length > 1 else Fraction(1, 16)
    return bound**8 <= dim * limit


def _linear_sphere(length: int, dim: int, bound: Fraction) -> bool:
    """B d <= 3/2 - 2/L for L >= 2, B d <= 1/4 at L = 1."""
    return bound * dim <= (Fraction(3, 2) - Fraction(2, length) if length > 1 else Fraction(1, 4))


# --- softmax without LayerNorm ----------------------------------------------------------


def _value(length: int, dim: int, bound: Fraction) -> bool:
    """B^2 <= A*: the value <w, x_s> of a space is at most B^2."""
    return bound * bound <= least_value(length)


def _score(length: int, dim: int, bound: Fraction) -> bool:
    """The largest score difference at B is below sqrt(d) log a*, for L >= 4.

    It is (X^2 + sqrt((X^2 - 1/4)(X^2 - A*^2)) + A*/2) / X, reached at alpha_# = -1/2.
    """
    x, a = bound * bound, least_value(length)
    require(length >= 4 and x >= a, "the theorem needs L >= 4 and B^2 >= A*")

    def gap(bits: int) -> list[Number]:
        score = (x * x + sqrt((x * x - HALF * HALF) * (x * x - a * a), bits) + a / 2) / x
        return [least_weight(length) - exp(rounded(score / sqrt(dim, bits), bits), bits)]

    return _all_positive(gap, "the score of the boundary token")


def _small_score(length: int, dim: int, bound: Fraction) -> bool:
    """L = 2, 3: with A <= X no score is as small as sqrt(d) log a, whatever a rounds.

    The best is a = 2X - 3, alpha_# = 1/2 at L = 2 and a = 2X - 6, alpha_# = 1 - 3/(2a) at
    L = 3, where sqrt(d) log a + alpha_# - alpha_#^2/X would have to be >= 0.
    """
    x, a = bound * bound, 2 * bound * bound - 3 * (length - 1)
    require(length in (2, 3) and 0 < a <= 2, "the theorem needs L = 2, 3 and 0 < a <= 2")
    alpha = HALF if length == 2 else 1 - 3 / (2 * a)
    return _all_positive(
        lambda bits: [alpha * alpha / x - alpha - sqrt(dim, bits) * log(a, bits)], "the score"
    )


# --- post-LN ----------------------------------------------------------------------------


def _arc(learned: bool, length: int, dim: int, bound: Fraction) -> tuple[Fraction, Fraction]:
    """The largest kappa^2, and the largest offset tau that counts (L/2, by reflection)."""
    x = bound * bound
    return (x * x * (dim - 1), min(x, length * HALF)) if learned else (x * dim, Fraction(0))


def _floor(learned: bool, length: int, dim: int, bound: Fraction) -> bool:
    """Kappa <= L - 1/2 - tau: y(L) stays at or below L - 1/2."""
    square, tau = _arc(learned, length, dim, bound)
    room = length - HALF - tau
    return room >= 0 and square <= room * room


def _cross_ratio(learned: bool, length: int, dim: int, bound: Fraction, points: Any) -> bool:
    """CR_t >= CR_n at the largest kappa and tau; at all smaller ones by monotonicity.

    For tau that needs a divided difference >= 0, which is 0 for points symmetric about L/2.
    """
    require(isinstance(points, list) and len(points) == 4, "four points are expected")
    n = [integer(point, 0, length) for point in points]
    apart = all(y - x >= gap for (x, y), gap in zip(pairwise(n), (2, 1, 2), strict=True))
    require(apart, "the points are out of order or too close")
    square, tau = _arc(learned, length, dim, bound)
    s = [n[0] + HALF - tau, n[1] - HALF - tau, n[2] + HALF - tau, n[3] - HALF - tau]
    require(all(x * x < square for x in s), "a point lies beyond the arc")
    symmetric = 2 * tau == length == n[0] + n[3] == n[1] + n[2]

    def gaps(bits: int) -> list[Number]:
        t = [Interval(x) / sqrt(square - x * x, bits) for x in s]
        left = (t[1] - t[0]) * (t[3] - t[2]) * ((n[3] - n[1]) * (n[2] - n[0]))
        right = (t[3] - t[1]) * (t[2] - t[0]) * ((n[1] - n[0]) * (n[3] - n[2]))
        rest = [_divided_difference(t, bits)] if learned and not symmetric else []
        return [left - right, *rest]

    return _all_positive(gaps, "the cross-ratio")


def _divided_difference(t: list[Interval], bits: int) -> Interval:
    """f[t0, t1, t2, t3] for f(t) = (1 + t^2)^(3/2)."""
    total = Interval(0)
    for i, x in enumerate(t):
        term = (1 + x * x) * sqrt(1 + x * x, bits)
        for y in t[:i] + t[i + 1 :]:
            term = term / (x - y)
        total = total + term
    return total


# --- pre-LN -----------------------------------------------------------------------------


def beyond_cap(length: int, dim: int) -> bool:
    """a* > e^(2 sqrt d): impossible at any bound, for L >= 2."""
    weight = least_weight(length) if length > 1 else 0
    return _all_positive(lambda bits: [weight - exp(2 * sqrt(dim, bits), bits)], "the cap")


def _vertex(length: int, dim: int, bound: Fraction, ratio: Any) -> bool:
    """A multiplier l >= 0: (A* - l/2)^2 > X d (1 + l^2 + 2 l cos theta) at a = a*."""
    ell, a, x = number(ratio), least_weight(length), bound * bound
    height = least_value(length) - ell / 2
    require(length >= 2 and ell >= 0 and height > 0 and a >= 1, "the theorem does not apply")

    def gap(bits: int) -> list[Number]:
        cosine = 1 - log(a, bits) / sqrt(dim, bits)
        return [height * height - x * dim * (1 + ell * ell + 2 * ell * cosine)]

    return _all_positive(gap, "the multiplier")


def _multiplier(length: int, dim: int, bound: Fraction, ratio: Any, between: Any) -> bool:
    """A multiplier l <= 0, for which the inequality is convex in a.

    H(a) = M(a)^2 - X d ((1 + l)^2 - 2 l log(a)/sqrt(d)) > 0 for all a >= max(a*, 1), by
    tangents at a1 <= a2: H(a1) > 0, H(a1) + H'(a1)(a2 - a1) > 0, H(a2) > 0, H'(a2) >= 0,
    and H'(a1) <= 0 unless a1 is the least a. M is the larger of two convex functions: at
    eta = (a - a*)/rho where that is at most a, else at eta = a.
    """
    require(isinstance(between, list) and len(between) == 2, "two weights are expected")
    ell, (a1, a2), x = number(ratio), map(number, between), bound * bound
    weight, k, rho = (
        least_weight(length),
        (length - 1) // 2,
        1 - Fraction((length - 1) // 2, length),
    )
    require(-1 <= ell <= 0 and max(weight, 1) <= a1 <= a2, "a multiplier or weight is out of range")
    constant = length - HALF + weight / (rho * length) + ell * (1 / rho - HALF)
    near = (constant, 1 - 1 / (rho * length), -ell * weight / rho)
    far = (ell / 2 + length - HALF, 1 - Fraction(1, length), 0)

    def gaps(bits: int) -> list[Number]:
        def tangent(a: Fraction) -> tuple[Number, Number]:
            c0, c1, c2 = near if a * k <= weight * length else far
            m, scale = c0 + c1 * a + c2 / a, 2 * ell * x * sqrt(dim, bits)
            height = m * m - x * dim * (1 + ell) ** 2 + scale * log(a, bits)
            return height, 2 * m * (c1 - c2 / (a * a)) + scale / a

        (h1, d1), (h2, d2) = tangent(a1), tangent(a2)
        falls = [-d1] if a1 > max(weight, 1) else []
        rises = [d2] if ell else []  # at l = 0, H = M^2 - X d cannot fall
        return [constant, h1, h1 + d1 * (a2 - a1), h2, *falls, *rises]

    return _all_positive(gaps, "the multiplier")


def _learned_value(length: int, dim: int, bound: Fraction) -> bool:
    """K X <= A* with K = 1 + sqrt(d - 1)."""
    rest = least_value(length) - bound * bound
    return rest >= 0 and bound**4 * (dim - 1) <= rest * rest


def _learned_tangent(length: int, dim: int, bound: Fraction, at: Any) -> bool:
    """The cubic phi is positive on [sm, K X - sp]: it lies above its tangent at Y0."""
    y0, x, a = number(at), bound * bound, least_value(length)
    require(length >= 3, "the theorem needs A* >= 3")
    sp, sm = (a - HALF) / 2, (a + HALF) / 2

    def gaps(bits: int) -> list[Number]:
        kx = (1 + sqrt(dim - 1, bits)) * x
        xs = rounded(x * sqrt(dim, bits) * log(least_weight(length), bits), bits)
        c0 = xs * xs / 4 + xs * sp * sm + kx * kx * sm * sm
        c1, c2, c3 = -2 * kx * sm * sm, Fraction(1, 4) - kx * kx - xs, 2 * kx
        end = kx - sp
        height = c0 + y0 * (c1 + y0 * (c2 + y0 * c3))
        slope = c1 + y0 * (2 * c2 + 3 * y0 * c3)
        ends = [height + slope * (sm - y0), height + slope * (end - y0)]
        convex = c3 * (sm + 2 * y0) + c2
        return [kx - a, 3 * a - 2 * kx, xs / 2 + sp * sm - end * end, convex, *ends]

    return _all_positive(gaps, "the cubic")


def _arc_theorems(learned: bool) -> dict[str, tuple[Any, ...]]:
    cross_ratio = partial(_cross_ratio, learned)
    return {"floor": (partial(_floor, learned),), "cross-ratio": (cross_ratio, "points")}


# variant -> theorem -> its inequality and the names of its witnesses
THEOREMS: dict[str, dict[str, tuple[Any, ...]]] = {
    "linear": {"linear": (_linear,)},
    "linear-pre-ln": {"linear-sphere": (_linear_sphere,)},
    "softmax": {"value": (_value,), "score": (_score,), "small-score": (_small_score,)},
    "softmax-post-ln": _arc_theorems(False),
    "softmax-post-ln-learned": _arc_theorems(True),
    "softmax-pre-ln": {
        "vertex": (_vertex, "ratio"),
        "multiplier": (_multiplier, "ratio", "between"),
    },
    "softmax-pre-ln-learned": {"value": (_learned_value,), "tangent": (_learned_tangent, "at")},
}
