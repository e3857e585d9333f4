"""The optimum of softmax attention with learned pre-LN; a bracket where letters bite.

With a = e^(s_# - s_s), alpha = <w, v_#> and A = <w, v_s> a layer counts to L without letters
if and only if (a, a alpha, A) lies inside the rounding polytope S_L. Write r = sqrt(d - 1),
K = 1 + r, X = B^2, P = (v_# + v_s)/2 and Q = (v_# - v_s)/2; then |P| + |Q| <= K B.

Geometry. With w along the first axis of a plane that holds all v_t,

    v_t = B (r N a_t + b),    |N| <= 1 (Frobenius),  |b| <= 1,  |a_t| <= 1 (= 1 at d = 3):

the rows of r N are g_1 and g_2 times the projections of e1 and e2 on the complement of the
all-ones vector, and a_t is u_t/sqrt d in the plane of these. They meet at the cosine -1/r^2, so
the plane is rotated until the rows of N do; that is possible if the ratio of the squared
singular values of N is at most (d - 2)/d. All |a_t| are 1 here.

Regimes of the letter-free optimum:

- Line (L <= 3, and L = 4 for d <= 9): N has rank one, everything is parallel to w, A = K X, and
  the score leaves one point of an edge of S_L. Theorem "line"; theorem "value", K X >= A*, is
  attained at L = 1 only.
- Plane (otherwise): the vertex alpha = -1/2, A = A*, a = a* of S_L. With sp = (A + alpha)/2,
  sm = (A - alpha)/2 and Y = B |Q|, the largest X score at Y is

      2 (Y^2 - sp sm + sqrt(U V)),   U = (K X - Y)^2 - sp^2,   V = Y^2 - sm^2,

  reached by BP = (sp, sqrt U) and BQ = (-sm, sqrt V); b is parallel to P, and the columns of N,
  parallel to P and Q, have the lengths cos h and sin h, sin^2 h = Y/(r X). The best
  Y = K X/(1 + kappa)^2 has kappa in (0, sqrt 2 - 1) with

      2 sqrt((sp + kappa sm)/(sp - kappa sm)) (sp - kappa (kappa^2 + 3 kappa + 1) sm)
          = kappa sqrt((kappa + 3)(1 + kappa)^3) sqrt(d) log(a)/K,

  and X^2 = (1 + kappa)^3 (sp^2 - kappa^2 sm^2)/(K^2 kappa^2 (kappa + 3)). Theorem "tangent".

Letters. v_l is tied to the same N and b. With E = a/2 - a alpha and
F = a alpha + A (L - 1) - (L - 3/2)(a + L - 1) a letter of value alpha_l and weight delta spoils
nothing if delta L (alpha_l - 1/2) <= E and delta (L - 3/2 - alpha_l) <= F; both are equalities at
the corner delta = (E/L + F)/(L - 2). From d = 21 on (for large L earlier) some letter satisfies
them at the letter-free optimum, and the bracket closes. Elsewhere letters bite: the upper end is
the smallest X with a letter at the corner, found numerically over the four numbers that fix N, b
and a_s; the lower end remains the letter-free optimum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from countbounds.kernel.claims import RejectedError
from countbounds.kernel.impossible import check_impossible, least_value, least_weight
from countbounds.kernel.possible import check_possible
from countbounds.layer import Parameters
from countbounds.optimum.rational import bracket, context, fraction, near
from countbounds.optimum.result import Optimum, SearchFailedError
from countbounds.optimum.softmax import Point, real, zero_between
from countbounds.vectors import Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAME = "softmax-pre-ln-learned"
HALF = Fraction(1, 2)

Pair = tuple[Any, Any]


def optimum(length: int, dim: int, digits: int) -> Optimum:
    """A bracket of B_min(L, d) with its witnesses; of relative width <= 10^-digits where exact.

    The regime is "exact" where it is that narrow, else "open". In an open bracket both ends are
    given to no more digits than tell it from a closed one.

    Args:
        length: L, from 1 to 10^18.
        dim: d, from 3 to 10^6.
        digits: from 1 to 1000.

    Raises:
        SearchFailedError: if no witnesses are accepted.
    """
    enough = 2 * len(str(length)) + 16
    found = _search(length, dim, min(digits, enough))
    if digits > enough and found.regime == "exact":
        found = _search(length, dim, digits)
    return found


def _search(length: int, dim: int, digits: int) -> Optimum:
    """The bracket whose ends are computed to so many digits."""
    work = context(2 * digits + 4 * len(str(length)) + 40)
    problem = _Problem(work, length, dim)
    lower, witness = _lower(problem, digits)
    upper, parameters = _upper(problem, digits)
    narrow = (upper - lower) * 10**digits <= lower
    return Optimum(lower, witness, upper, parameters, "exact" if narrow else "open")


class _Problem:
    """The numbers of one (L, d) in a context, and the rounding polytope's points.

    Attributes:
        work: the mpmath context.
        root: r = sqrt(d - 1).
        reach: K = 1 + r.
        on_line: whether the letter-free optimum is a line.
    """

    def __init__(self, work: Any, length: int, dim: int) -> None:
        self.work, self.length, self.dim = work, length, dim
        self.root = work.sqrt(dim - 1)
        self.reach = 1 + self.root
        self.on_line = length < 4 or (length == 4 and self.excess(self.edge(2)) < 0)

    def score(self, weight: Any) -> Any:
        """sqrt(d) log a."""
        return self.work.sqrt(self.dim) * self.work.log(weight)

    def edge(self, weight: Any) -> Point:
        """The point of S_L with the largest a alpha and, for it, the smallest A; a* is a vertex."""
        a = self.work.mpf(weight)
        k = (self.length - 1) // 2
        eta = min((a - least_weight(self.length)) * self.length / (self.length - k), a)
        return Point(a, eta - a / 2, a + self.length - HALF_OF[0] - eta / self.length)
