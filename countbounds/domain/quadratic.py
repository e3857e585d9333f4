"""Signs and ranges of quadratics on real intervals with integer ends, by Bernstein form.

A quadratic is three coefficients (c0, c1, c2), lowest first, as arb balls. On [low, high]
it lies between the smallest and the largest of its three Bernstein coefficients, which
are its two end values and the value where the end tangents meet.
"""

from __future__ import annotations

from collections.abc import Iterator

from countbounds.domain.decide import certain_sign
from countbounds.rings import Element

Quadratic = tuple[Element, Element, Element]


def value(c: Quadratic, t: int) -> Element:
    """The quadratic at a point."""
    return c[0] + t * (c[1] + t * c[2])


def bernstein(c: Quadratic, low: int, high: int) -> tuple[Element, Element, Element]:
    """Its Bernstein coefficients on [low, high]."""
    first = value(c, low)
    return first, first + (c[1] + 2 * low * c[2]) * (high - low) / 2, value(c, high)


def span(c: Quadratic, low: int, high: int) -> Element:
    """A ball that contains all its values on [low, high]."""
    first, middle, last = bernstein(c, low, high)
    return first.union(middle).union(last)


def sign_on(c: Quadratic, low: int, high: int) -> int | None:
    """Its sign, where the Bernstein coefficients prove one for all of [low, high]."""
    signs = {certain_sign(b) for b in bernstein(c, low, high)}
    return signs.pop() if len(signs) == 1 else None


def split_point(c: Quadratic, low: int, high: int) -> int:
    """An integer t, low <= t < high: near a root inside (a guess), else the middle."""
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
        if root.is_finite():
            guess = int(root.mid().floor().unique_fmpz())
            if low < guess < high - 1 or (guess in (low, high - 1) and high - low <= 8):
                return guess
            if guess in (low, high - 1):
                return guess
    return middle


def sign_ranges(
    c: Quadratic, low: int, high: int, budget: int = 400
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
