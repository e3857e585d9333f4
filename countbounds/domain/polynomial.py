"""Signs and ranges of polynomials on real intervals with integer ends, by Bernstein form.

A polynomial is its coefficients, lowest first, as arb balls. On [low, high] it lies
between the smallest and the largest of its Bernstein coefficients.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

from countbounds.domain.decide import certain_sign
from countbounds.rings import Element

Polynomial = tuple[Element, ...]


def value(c: Polynomial, t: int) -> Element:
    """The polynomial at a point."""
    *lower, result = c
    for coefficient in reversed(lower):
        result = result * t + coefficient
    return result


def bernstein(c: Polynomial, low: int, high: int) -> list[Element]:
    """Its Bernstein coefficients on [low, high]: the first and the last are end values."""
    b, degree = list(c), len(c) - 1
    for i in range(degree):
        for j in range(degree - 1, i - 1, -1):
            b[j] = b[j] + b[j + 1] * low
    step = high - low
    for k in range(1, degree + 1):
        b[k] = b[k] * step**k / comb(degree, k)
    for i in range(1, degree + 1):
        for j in range(degree, i - 1, -1):
            b[j] = b[j] + b[j - 1]
    return b


def span(c: Polynomial, low: int, high: int) -> Element:
    """A ball that contains all its values on [low, high]."""
    first, *others = bernstein(c, low, high)
    for other in others:
        first = first.union(other)
    return first


def sign_on(c: Polynomial, low: int, high: int) -> int | None:
    """Its sign, where the Bernstein coefficients prove one for all of [low, high]."""
    signs = {certain_sign(b) for b in bernstein(c, low, high)}
    return signs.pop() if len(signs) == 1 else None


def split_point(c: Polynomial, low: int, high: int) -> int:
    """An integer t, low <= t < high: near a root of a quadratic (a guess), else the middle."""
    middle = (low + high) // 2
    c0, c1, c2 = (b.mid() for b in c)
    roots = []
    if c2.is_zero():
        if not c1.is_zero():
            roots.append(-c0 / c1)
    else:
        discriminant = c1 * c1 - 4 * c2 * c0
        if discriminant > 0:
            far = -(c1 + discriminant.sqrt() * (1 if c1 >= 0 else -1)) / 2
            roots.append(far / c2)
            if not far.contains(0):
                roots.append(c0 / far)
        else:
            roots.append(-c1 / (2 * c2))
    for root in roots:
        # Compared before it is converted: a root far outside has no integer of any use.
        if root.is_finite() and root.mid() >= low and root.mid() < high:
            return int(root.mid().floor().unique_fmpz())
    return middle


def sign_ranges(
    c: Polynomial, low: int, high: int, budget: int = 400
) -> Iterator[tuple[int, int, int | None]]:
    """Cut the integers low..high into ranges with one proven sign.

    Yields:
        (first, last, sign) in order; sign is None for single integers at which no sign
        is proven, and for a longer range only if the budget of cuts was spent.
    """
    if all(b.is_zero() for b in c):
        yield low, high, 0
        return
    pending = [(low, high)]
    while pending:
        first, last = pending.pop()
        sign = sign_on(c, first, last)
        budget -= 1
        if sign is not None or first == last or budget < 0:
            yield first, last, sign
            continue
        cut = split_point(c, first, last)
        pending.append((cut + 1, last))
        pending.append((first, cut))
