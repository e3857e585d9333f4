"""Positivity of polynomials at all integers of a range, exactly.

Coefficients are fractions, lowest first. Between two neighbouring members of
`breakpoints` of its derivative a polynomial is monotone, so its smallest value at
integers is at one of them or at an end: few evaluations decide, whatever the range.
"""

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm

Polynomial = Sequence[Fraction | int]


def value(p: Polynomial, n: int) -> Fraction | int:
    """The polynomial at an integer."""
    result: Fraction | int = 0
    for coefficient in reversed(p):
        result = result * n + coefficient
    return result


def times(p: Polynomial, q: Polynomial) -> list[Fraction]:
    """The product of two polynomials."""
    result = [Fraction(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            result[i + j] = result[i + j] + a * b
    return result


def breakpoints(p: Polynomial, low: int, high: int) -> list[int]:
    """Integers between two neighbours of which p has no sign change, low and high included.

    Every real root of p in [low, high] lies in some [k, k + 1] with both k and k + 1 among
    them. By induction on the degree: between neighbours of the derivative's breakpoints at
    a distance above 1 the derivative keeps its sign, p is monotone, and bisection finds the
    one unit interval in which it changes sign.
    """
    if len(p) < 2:
        return sorted({low, high})
    points = breakpoints(_derivative(p), low, high)
    found = set(points)
    for left, right in pairwise(points):
        crossing = _crossing(p, left, right)
        found |= {crossing - 1, crossing}
    return sorted(found)


def _crossing(p: Polynomial, left: int, right: int) -> int:
    """The first integer above left, at most right, past the sign change of a monotone p."""
    rising = value(p, right) > value(p, left)
    inside = range(left + 1, right)
    return left + 1 + bisect_left(inside, True, key=lambda n: (value(p, n) > 0) == rising)


def positive(p: Polynomial, low: int, high: int) -> bool:
    """Whether p(n) > 0 for every integer n of low..high (true if there is none)."""
    scale = lcm(*(c.denominator for c in p))  # integers are faster, and of the same signs
    whole = [Fraction(c * scale).numerator for c in p]
    points = breakpoints(_derivative(whole), low, high) if low <= high else []
    return all(value(whole, n) > 0 for n in points)


def _derivative(p: Polynomial) -> Polynomial:
    return [k * c for k, c in enumerate(p)][1:]
