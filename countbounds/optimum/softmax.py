"""The exact optimum of softmax attention without LayerNorm.

With a = e^(s_# - s_s), alpha = <w, x_#> and A = <w, x_s> a layer counts to L if and only if
(a, a alpha, A) lies inside the rounding polytope S_L, and with X = B^2 norms <= B allow A <= X
and the scores sqrt(d) log a = |x_#|^2 - <x_#, x_s> between

    ((A/2 - alpha)^2 - X^2/4)/X   and   (X^2 - alpha A + sqrt((X^2 - alpha^2)(X^2 - A^2)))/X

(the extrema over the Gram matrices with |w|^2 = X). Write S = sqrt(d) log a*.

- Norm-limited: A >= A*, so X >= A*; reached at L = 1 (a = 1, alpha = A = 1/2), and for L >= 4
  if S <= A* + 1/2. Theorem "value".
- Score-limited, S > A* + 1/2, L >= 4: the largest score falls in alpha and in A, so it is best
  at the vertex alpha = -1/2, A = A*; it equals S where 2 S X^2 - (S^2 + (A* + 1/2)^2) X + A* S = 0
  (the larger root). Theorem "score".
- L = 2, 3: the smallest score binds. Let k = floor((L-1)/2), eta = a (alpha + 1/2). Rounding at
  n = k from above and at n = L from below gives eta <= (a - a*)/(1 - k/L) and
  A >= a + L - 1/2 - eta/L. The smallest score falls in alpha and, as A/2 > alpha, rises in A, so
  both bounds are attained; what is left falls below sqrt(d) log a as a grows (for a <= 2), so a is
  the largest with A <= X. Then A = X, a = 2X - 3(L - 1), alpha = 1/2 (L = 2) or 1 - 3/(2a)
  (L = 3), and X is the root of sqrt(d) log a + alpha - alpha^2/X = 0. Theorem "small-score".

The upper side moves from the binding point of S_L by (2e, 0, 2e) in (a, a alpha, A), which gives
every inequality of S_L the slack e, and rounds vectors so finely that the slack remains.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from countbounds.decimals import significant
from countbounds.kernel.claims import RejectedError
from countbounds.kernel.impossible import check_impossible, least_value, least_weight
from countbounds.kernel.possible import check_possible
from countbounds.layer import Parameters
from countbounds.optimum.rational import bracket, context, near
from countbounds.optimum.result import Optimum, SearchFailedError
from countbounds.vectors import Vector

HALF = Fraction(1, 2)
THEOREM = {"norm": "value", "score": "score", "small-score": "small-score"}


class Point(NamedTuple):
    """A point of the rounding polytope S_L.

    Attributes:
        weight: a > 0.
        boundary: a alpha, with alpha the read-out value of the boundary token.
        space: A, the read-out value of a space.
    """

    weight: Any
    boundary: Any
    space: Any

    def inside(self, slack: Any) -> Point:
        """The point at which every inequality of S_L has this much more slack."""
        return Point(self.weight + 2 * slack, self.boundary, self.space + 2 * slack)


def optimum(length: int, dim: int, digits: int) -> Optimum:
    """A bracket of B_min(L, d) of relative width <= 10^-digits, with its witnesses.

    Args:
        length: L, from 1 to 10^18.
        dim: d, from 3 to 10^6.
        digits: from 1 to 1000.

    Raises:
        SearchFailedError: if the witnesses found are not accepted.
    """
    work = context(2 * digits + 3 * len(str(length)) + 30)
    square, regime = _infimum(work, length, dim)
    lower, upper = bracket(work.sqrt(square), digits)
    room = real(work, upper**2) - square
    # At L = 2, 3 the room lets a grow, and with it the score, by some room above the smallest.
    point = _binding(work, length, square + (room / work.sqrt(dim) if length in (2, 3) else 0))
    slack = room * work.mpf(10) ** -5
    places = digits + len(str(length)) + 15
    parameters = _realised(work, point.inside(slack), length, dim, upper, places)
    # Close to the change of regime the lower end may be so low that the norm refutes it.
    theorem = "value" if regime == "score" and lower**2 <= least_value(length) else THEOREM[regime]
    found = Optimum(lower, {"theorem": theorem}, upper, parameters, regime)
    return checked("softmax", length, dim, found)


def _infimum(work: Any, length: int, dim: int) -> tuple[Any, str]:
    """B_min^2 and the regime."""
    if length in (2, 3):
        return _small(work, length, dim), "small-score"
    value = real(work, least_value(length))
    score = work.sqrt(dim) * work.log(max(least_weight(length), 1))
    if score <= value + 0.5:
        return value, "norm"
    middle = score * score + (value + 0.5) ** 2
    square = (middle + work.sqrt(middle * middle - 8 * value * score * score)) / (4 * score)
    return square, "score"


def _small(work: Any, length: int, dim: int) -> Any:
    """B_min^2 at L = 2, 3; a is between 1/2 and 1 at L = 2, between 1 and 2 at L = 3."""
    root = work.sqrt(dim)

    def excess(weight: Any) -> Any:
        alpha = work.mpf(0.5) if length == 2 else 1 - work.mpf(1.5) / weight
        return root * work.log(weight) + alpha - alpha * alpha * 2 / (weight + 3 * (length - 1))

    low, high = (0.5, 1) if length == 2 else (1, 2)
    return (zero_between(work, excess, low, high) + 3 * (length - 1)) / 2


def _binding(work: Any, length: int, square: Any) -> Point:
    """The closed inequalities' solution that the infimum is approached from."""
    if length == 1:
        return Point(work.mpf(1), work.mpf(0.5), work.mpf(0.5))
    if length > 3:
        weight, value = least_weight(length), least_value(length)
        return Point(work.mpf(weight), -work.mpf(weight) / 2, real(work, value))
    weight = 2 * square - 3 * (length - 1)
    return Point(weight, weight / 2 if length == 2 else weight - 1.5, square)


def _realised(
    work: Any, point: Point, length: int, dim: int, bound: Fraction, places: int
) -> Parameters:
    """Rational vectors of norm <= B in the plane of e1, e2 that have these values.

    w = B e2; x_s leans to the side of e1 opposite x_# as far as its norm allows, so that
    x_# = (r, alpha/B), with r the positive root of r^2 + r t + ... = sqrt(d) log a, is shortest.
    """
    b = real(work, bound)
    lift = near(point.boundary / (point.weight * b), places)
    height = near(point.space / b, places)
    tilt = near(work.sqrt(real(work, bound**2 - height**2)), places)
    rest = work.sqrt(dim) * work.log(point.weight) + real(work, lift * (height - lift))
    t = real(work, tilt)
    radius = near(2 * rest / (t + work.sqrt(t * t + 4 * rest)), places)
    return Parameters(
        boundary=Vector.leading(dim, radius, lift),
        space=Vector.leading(dim, -tilt, height),
        letter=Vector.leading(dim, *_letter(length, (radius, lift), (-tilt, height), bound)),
        readout=Vector.leading(dim, 0, bound),
    )


def _letter(
    length: int, boundary: tuple[Fraction, Fraction], space: tuple[Fraction, Fraction], b: Fraction
) -> tuple[Fraction, Fraction]:
    """A letter that spoils nothing.

    With |alpha_l| <= 1/2 it is enough that its score is at most that of a space: zero at
    L = 1, 2, where <x_#, x_s> > 0; else -x_#, or opposite e1. At L = 3 x_# is parallel to w and
    the letter's weight exceeds that of a space a little; with alpha_l = 1/2 it may.
    """
    if length < 3:
        return Fraction(0), Fraction(0)
    if length == 3:
        return Fraction(0), significant(HALF / b, 10, up=False)
    product = boundary[0] * space[0] + boundary[1] * space[1]
    opposite = significant(-product / boundary[0], 10, up=True)
    return (-opposite, Fraction(0)) if opposite <= b else (-boundary[0], -boundary[1])


# --- what the searches for softmax share -------------------------------------------------


def real(work: Any, value: Fraction) -> Any:
    """A rational number in the context."""
    return work.mpf(value.numerator) / value.denominator


def zero_between(work: Any, function: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """The zero of a function that is negative at low and positive at high."""
    return work.findroot(
        function,
        (work.mpf(low), work.mpf(high)),
        solver="anderson",
        tol=work.mpf(10) ** (5 - work.dps),
        maxsteps=20 * work.dps,
        verify=False,
    )


def checked(variant: str, length: int, dim: int, found: Optimum) -> Optimum:
    """The optimum, if the kernel's checks accept both its sides.

    Raises:
        SearchFailedError: if not.
    """
    from countbounds.certificate import write_vectors

    try:
        check_impossible(variant, length, dim, found.lower, found.witness)
        check_possible(variant, length, dim, found.upper, write_vectors(found.parameters))
    except RejectedError as error:
        raise SearchFailedError(f"{variant}, L = {length}, d = {dim}: {error}") from error
    return found
