"""That no parameters of norm <= bound count to L: each theorem as explicit inequalities.

A refutation at a bound refutes every smaller one, since parameters of smaller norm are
among those of norm <= bound. X is the square of the bound; a* and A* are the infima of the
rounding polytope. The theorems, with proofs, are those of docs/exact-bounds.md.
"""

from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import prod
from typing import Any

from countbounds.kernel.claims import HALF, Facts, fields, integer, number, prove, require
from countbounds.kernel.enclosures import Interval, Number, exp, log, rounded, sqrt

Gaps = list[Number]  # each has to be positive


def check_impossible(variant: str, length: int, dim: int, bound: Fraction, proof: Any) -> None:
    """Refuse unless the named theorem is one for the variant and its inequalities hold."""
    name = str(proof.get("theorem")) if isinstance(proof, dict) else ""
    require(name in THEOREMS[variant], "the theorem is not one for this variant")
    theorem, *names = THEOREMS[variant][name]
    _, *witness = fields(proof, "theorem", *names)

    def facts(bits: int) -> Facts:
        return _positive(theorem(bits, length, dim, bound, *witness))

    prove(facts, f"the inequality of {name}")


def least_weight(length: int) -> int:
    """a* = floor((L - 1)^2 / 4)."""
    return (length - 1) ** 2 // 4


def least_value(length: int) -> Fraction:
    """A* = floor((L + 1)^2 / 4) - 1/2."""
    return (length + 1) ** 2 // 4 - HALF


def _positive(gaps: Gaps) -> Facts:
    """Whether each is certainly positive, and whether it may be; True is 1 and False is 0."""
    return [(x.low > 0, x.high > 0) for x in (Interval(0) + y for y in gaps)]


# --- linear attention -------------------------------------------------------------------


def _linear(bits: int, length: int, dim: int, bound: Fraction) -> Gaps:
    """B^8 <= 2 d (1 - 1/L)^3 for L >= 2, B^8 <= d/16 at L = 1."""
    limit = 2 * (1 - Fraction(1, length)) ** 3 if length > 1 else Fraction(1, 16)
    return [bound**8 <= dim * limit]


def _linear_sphere(bits: int, length: int, dim: int, bound: Fraction) -> Gaps:
    """B d <= 3/2 - 2/L for L >= 2, B d <= 1/4 at L = 1."""
    return [bound * dim <= (Fraction(3, 2) - Fraction(2, length) if length > 1 else HALF / 2)]


# --- softmax without LayerNorm ----------------------------------------------------------


def _value(bits: int, length: int, dim: int, bound: Fraction) -> Gaps:
    """B^2 <= A*: the value <w, x_s> of a space is at most B^2."""
    return [bound * bound <= least_value(length)]


def _score(bits: int, length: int, dim: int, bound: Fraction) -> Gaps:
    """The largest score difference at B is below sqrt(d) log a*, for L >= 4.

    It is (X^2 + sqrt((X^2 - 1/4)(X^2 - A*^2)) + A*/2) / X, reached at alpha_# = -1/2.
    """
    x, a = bound * bound, least_value(length)
    require(length >= 4 and x >= a, "the theorem needs L >= 4 and B^2 >= A*")
    score = (x * x + sqrt((x * x - HALF * HALF) * (x * x - a * a), bits) + a / 2) / x
    return [least_weight(length) - exp(rounded(score / sqrt(dim, bits), bits), bits)]


def _small_score(bits: int, length: int, dim: int, bound: Fraction) -> Gaps:
    """L = 2, 3: with A <= X no score is as small as sqrt(d) log a, whatever a rounds.

    The best is a = 2X - 3, alpha_# = 1/2 at L = 2 and a = 2X - 6, alpha_# = 1 - 3/(2a) at
    L = 3, where sqrt(d) log a + alpha_# - alpha_#^2/X would have to be >= 0.
    """
    x, a = bound * bound, 2 * bound * bound - 3 * (length - 1)
    require(length in (2, 3) and 0 < a <= 2, "the theorem needs L = 2, 3 and 0 < a <= 2")
    alpha = HALF if length == 2 else 1 - 3 / (2 * a)
    return [alpha * alpha / x - alpha - sqrt(dim, bits) * log(a, bits)]


# --- post-LN ----------------------------------------------------------------------------


def _arc(learned: bool, length: int, dim: int, bound: Fraction) -> tuple[Fraction, Fraction]:
    """The largest kappa^2, and the largest offset tau that counts (L/2, by reflection)."""
    x = bound * bound
    return (x * x * (dim - 1), min(x, length * HALF)) if learned else (x * dim, Fraction(0))


def _floor(learned: bool, bits: int, length: int, dim: int, bound: Fraction) -> Gaps:
    """Kappa <= L - 1/2 - tau: y(L) stays at or below L - 1/2."""
    square, tau = _arc(learned, length, dim, bound)
    room = length - HALF - tau
    return [room >= 0, square <= room * room]


def _cross_ratio(learned: bool, bits: int, length: int, dim: int, bound: Fraction, at: Any) -> Gaps:
    """CR_t >= CR_n at the largest kappa and tau; at all smaller ones by monotonicity.

    For tau that needs a divided difference >= 0, which is 0 for points symmetric about L/2.
    """
    require(isinstance(at, list) and len(at) == 4, "four points are expected")
    n = [integer(point, 0, length) for point in at]
    apart = all(y - x >= gap for (x, y), gap in zip(pairwise(n), (2, 1, 2), strict=True))
    require(apart, "the points are out of order or too close")
    square, tau = _arc(learned, length, dim, bound)
    s = [n[0] + HALF - tau, n[1] - HALF - tau, n[2] + HALF - tau, n[3] - HALF - tau]
    require(all(x * x < square for x in s), "a point lies beyond the arc")
    symmetric = 2 * tau == length == n[0] + n[3] == n[1] + n[2]
    t = [rounded(Interval(x) / sqrt(square - x * x, bits), bits) for x in s]
    left = (t[1] - t[0]) * (t[3] - t[2]) * ((n[3] - n[1]) * (n[2] - n[0]))
    right = (t[3] - t[1]) * (t[2] - t[0]) * ((n[1] - n[0]) * (n[3] - n[2]))
    rest = [_divided_difference(t, bits)] if learned and not symmetric else []
    return [left - right, *rest]


def _divided_difference(t: list[Interval], bits: int) -> Interval:
    """f[t0, t1, t2, t3] for f(t) = (1 + t^2)^(3/2)."""

    def term(x: Interval) -> Interval:
        return (1 + x * x) * sqrt(1 + x * x, bits) / prod(x - y for y in t if y is not x)

    return sum(map(term, t), Interval(0))


# --- pre-LN -----------------------------------------------------------------------------


def check_beyond_cap(length: int, dim: int) -> None:
    """Refuse unless L >= 2 and a* > e^(2 sqrt d), which is impossible at any bound."""
    weight = least_weight(length) if length > 1 else 0
    prove(lambda bits: _positive([weight - exp(2 * sqrt(dim, bits), bits)]), "a* > e^(2 sqrt d)")


def _rho(length: int) -> Fraction:
    """rho = 1 - k/L, k = floor((L - 1)/2): the least a is a* + rho eta for eta = beta + a/2."""
    return 1 - Fraction((length - 1) // 2, length)


def _vertex(bits: int, length: int, dim: int, bound: Fraction, ratio: Any) -> Gaps:
    """A multiplier l >= 0: (A* - l/2)^2 > X d (1 + l^2 + 2 l cos theta) at a = a*."""
    ell, a, x = number(ratio), least_weight(length), bound * bound
    height = least_value(length) - ell / 2
    require(length >= 2 and ell >= 0 and height > 0 and a >= 1, "the theorem does not apply")
    cosine = 1 - log(a, bits) / sqrt(dim, bits)
    return [height * height - x * dim * (1 + ell * ell + 2 * ell * cosine)]


def _multiplier(bits: int, length: int, dim: int, bound: Fraction, ratio: Any, at: Any) -> Gaps:
    """A multiplier l <= 0, for which the inequality is convex in a.

    H(a) = M(a)^2 - X d ((1 + l)^2 - 2 l log(a)/sqrt(d)) > 0 for all a >= max(a*, 1), by
    tangents at a1 <= a2: H(a1) > 0, H(a1) + H'(a1)(a2 - a1) > 0, H(a2) > 0, H'(a2) >= 0,
    and H'(a1) <= 0 unless a1 is the least a. M is the larger of two convex functions: at
    eta = (a - a*)/rho where that is at most a, else at eta = a.
    """
    require(isinstance(at, list) and len(at) == 2, "two weights are expected")
    ell, (a1, a2), x = number(ratio), map(number, at), bound * bound
    weight, rho = least_weight(length), _rho(length)
    require(-1 <= ell <= 0 and max(weight, 1) <= a1 <= a2, "a multiplier or weight is out of range")
    constant = length - HALF + weight / (rho * length) + ell * (1 / rho - HALF)
    near = (constant, 1 - 1 / (rho * length), -ell * weight / rho)
    far = (ell / 2 + length - HALF, 1 - Fraction(1, length), 0)

    def tangent(a: Fraction) -> tuple[Number, Number]:
        c0, c1, c2 = near if a - weight <= rho * a else far
        m, scale = c0 + c1 * a + c2 / a, 2 * ell * x * sqrt(dim, bits)
        height = m * m - x * dim * (1 + ell) ** 2 + scale * log(a, bits)
        return height, 2 * m * (c1 - c2 / (a * a)) + scale / a

    (h1, d1), (h2, d2) = tangent(a1), tangent(a2)
    falls = [-d1] if a1 > max(weight, 1) else []
    if ell == 0:  # H = M^2 - X d is rational, does not fall, and may be 0
        return [constant, (h1 + Interval(0)).low >= 0, *falls]
    return [constant, h1, h1 + d1 * (a2 - a1), h2, d2, *falls]


def _reach(bits: int, length: int, dim: int, bound: Fraction) -> Gaps:
    """K X <= A* with K = 1 + sqrt(d - 1)."""
    rest = least_value(length) - bound * bound
    return [rest >= 0, bound**4 * (dim - 1) <= rest * rest]


def _line(bits: int, length: int, dim: int, bound: Fraction) -> Gaps:
    """No weight a >= a* has a score that the vectors reach, for K X as large as the theorem allows.

    |v_#| >= |alpha_#|/B and |P| + |Q| <= K B bound the score from below by a function that
    exceeds sqrt(d) log a up to the a at which K X = A, if c + q (1 - 2 alpha/K X) is large.
    """
    require(length >= 2, "the theorem needs L >= 2")
    k, least, rho = 1 + sqrt(dim - 1, bits), least_weight(length), _rho(length)
    z, c = rounded(k * bound * bound, bits), rounded(sqrt(dim, bits) / k, bits)
    rate = 1 - 1 / (rho * length)
    a = rounded((z - length + HALF - least / (rho * length)) / rate, bits)
    if a.low <= 0:
        return [a]
    q = rounded(Interval(least / rho) / a, bits)
    alpha = 1 / rho - HALF - q
    step = c + q * (1 - 2 * rounded(alpha / z, bits)) - rate * a
    return [z - 2 * alpha, step, alpha * alpha - z * alpha - c * z * log(a, bits)]


def _tangent(bits: int, length: int, dim: int, bound: Fraction, at: Any) -> Gaps:
    """The cubic phi is positive on [sm, K X - sp]: it lies above its tangent at Y0."""
    y0, x, a = number(at), bound * bound, least_value(length)
    require(length >= 3, "the theorem needs A* >= 3")
    sp, sm = (a - HALF) / 2, (a + HALF) / 2
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
    "softmax-pre-ln-learned": {"value": (_reach,), "line": (_line,), "tangent": (_tangent, "at")},
}
