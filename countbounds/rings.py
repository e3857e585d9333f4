"""The rings a closed form is evaluated on.

| ring | elements | for |
|---|---|---|
| `Enclosure` | arb balls (python-flint) | verdicts: every result contains the true value |
| `ExactNumbers` | `countbounds.exact.Exact` | recognising equality |
| `HighPrecision` | mpmath mpf | display and search; not certified |
| `Floating` | numpy float64, arrays too | search and plots; decides nothing |
| `Symbolic` | sympy expressions | printing formulas |

Each supplies `number`, `sqrt`, `exp`, `log`, `floor`, `minimum` and `maximum`; its
elements carry + - * / themselves. Backends are imported when a ring is made.

>>> from countbounds.expressions import sqrt, rational, evaluate
>>> half_diagonal = sqrt(2) / 2
>>> with Enclosure(60) as ring:
...     print(evaluate(half_diagonal, ring))
[0.70710678118654752 +/- 5.04e-18]
>>> print(evaluate(half_diagonal, Symbolic()))
sqrt(2)/2
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol, TypeAlias

from countbounds.errors import NotExact, Undecided
from countbounds.exact import Exact

Element: TypeAlias = Any
"""An element of whichever ring is in use; only + - * / and the ring's functions apply."""


class Ring(Protocol):
    """What a ring supplies beyond the arithmetic of its elements."""

    def number(self, value: Fraction) -> Element:
        """The element for a rational number."""
        ...

    def symbol(self, name: str) -> Element:
        """The element for an unknown; KeyError where the ring has no symbols."""
        ...

    def sqrt(self, x: Element) -> Element:
        """The square root."""
        ...

    def exp(self, x: Element) -> Element:
        """The exponential."""
        ...

    def log(self, x: Element) -> Element:
        """The natural logarithm."""
        ...

    def floor(self, x: Element) -> Element:
        """The largest integer at or below."""
        ...

    def minimum(self, x: Element, y: Element) -> Element:
        """The smaller of two."""
        ...

    def maximum(self, x: Element, y: Element) -> Element:
        """The larger of two."""
        ...


class _NoSymbols:
    def symbol(self, name: str) -> Element:
        raise KeyError(f"the formula needs a value for {name}")


class Enclosure(_NoSymbols):
    """Balls of arb: each result provably contains the true value.

    arb works at a precision that is global to the process, so the ring is a context:
    elements may be computed with only inside `with Enclosure(bits) as ring`, and by one
    thread at a time.

    Args:
        bits: the working precision, in bits.
    """

    def __init__(self, bits: int) -> None:
        import flint

        self.bits = bits
        self._arb = flint.arb
        self._fmpq = flint.fmpq
        self._context: Any = flint.ctx
        self._outer: list[int] = []

    def __enter__(self) -> Enclosure:
        self._outer.append(self._context.prec)
        self._context.prec = self.bits
        return self

    def __exit__(self, *_: object) -> None:
        self._context.prec = self._outer.pop()

    @property
    def infinity(self) -> Element:
        """Positive infinity, as an upper bound where there is no better one."""
        return self._arb.pos_inf()

    def number(self, value: Fraction) -> Element:
        """The ball around a rational number; exact where the precision allows."""
        if value.denominator == 1:
            return self._arb(value.numerator)
        return self._arb(self._fmpq(value.numerator, value.denominator))

    def sqrt(self, x: Element) -> Element:
        """The square root."""
        return x.sqrt()

    def exp(self, x: Element) -> Element:
        """The exponential."""
        return x.exp()

    def log(self, x: Element) -> Element:
        """The natural logarithm."""
        return x.log()

    def floor(self, x: Element) -> Element:
        """The largest integer at or below.

        Raises:
            Undecided: if the ball holds points on both sides of an integer.
        """
        lower, upper = x.lower().floor(), x.upper().floor()
        if lower.is_exact() and upper.is_exact() and lower == upper:
            return lower
        raise Undecided("A floor falls on both sides of an integer at this precision.")

    def minimum(self, x: Element, y: Element) -> Element:
        """The smaller of two."""
        return x.min(y)

    def maximum(self, x: Element, y: Element) -> Element:
        """The larger of two."""
        return x.max(y)


class ExactNumbers(_NoSymbols):
    """Sums of rational multiples of square roots and their exponentials.

    Every operation raises `NotExact` where its result would leave these numbers.
    """

    def number(self, value: Fraction) -> Element:
        """The exact rational number."""
        return Exact.of(value)

    def sqrt(self, x: Element) -> Element:
        """The square root of a rational number."""
        return x.sqrt()

    def exp(self, x: Element) -> Element:
        """The exponential of a sum of square roots."""
        return x.exp()

    def log(self, x: Element) -> Element:
        """The logarithm of 1; no other lies in the field."""
        if (x - 1).is_zero():
            return Exact.of(0)
        raise NotExact("Logarithms lie outside the exact numbers.")

    def floor(self, x: Element) -> Element:
        """The floor of a rational number."""
        return Exact.of(_rational(x).__floor__())

    def minimum(self, x: Element, y: Element) -> Element:
        """The smaller of two rational numbers."""
        return x if _rational(x - y) <= 0 else y

    def maximum(self, x: Element, y: Element) -> Element:
        """The larger of two rational numbers."""
        return x if _rational(x - y) >= 0 else y


def _rational(x: Exact) -> Fraction:
    value = x.rational()
    if value is None:
        raise NotExact("Only rational numbers are ordered exactly.")
    return value


class HighPrecision(_NoSymbols):
    """Multiprecision floating point by mpmath: accurate, but not an enclosure.

    Args:
        digits: significant decimal digits carried.
    """

    def __init__(self, digits: int) -> None:
        import mpmath

        self._context: Any = mpmath.MPContext()
        self._context.dps = digits

    def number(self, value: Fraction) -> Element:
        """The nearest number."""
        return self._context.mpf(value.numerator) / value.denominator

    def sqrt(self, x: Element) -> Element:
        """The square root."""
        return self._context.sqrt(x)

    def exp(self, x: Element) -> Element:
        """The exponential."""
        return self._context.exp(x)

    def log(self, x: Element) -> Element:
        """The natural logarithm."""
        return self._context.log(x)

    def floor(self, x: Element) -> Element:
        """The largest integer at or below."""
        return self._context.floor(x)

    def minimum(self, x: Element, y: Element) -> Element:
        """The smaller of two."""
        return min(x, y)

    def maximum(self, x: Element, y: Element) -> Element:
        """The larger of two."""
        return max(x, y)


class Floating(_NoSymbols):
    """Double precision by numpy, for single numbers and arrays alike; decides nothing."""

    def __init__(self) -> None:
        import numpy

        self._numpy: Any = numpy

    def number(self, value: Fraction) -> Element:
        """The nearest double; infinite where it overflows."""
        try:
            return self._numpy.float64(value.numerator / value.denominator)
        except OverflowError:
            return self._numpy.float64("inf" if value > 0 else "-inf")

    def sqrt(self, x: Element) -> Element:
        """The square root."""
        return self._numpy.sqrt(x)

    def exp(self, x: Element) -> Element:
        """The exponential."""
        return self._numpy.exp(x)

    def log(self, x: Element) -> Element:
        """The natural logarithm."""
        return self._numpy.log(x)

    def floor(self, x: Element) -> Element:
        """The largest integer at or below."""
        return self._numpy.floor(x)

    def minimum(self, x: Element, y: Element) -> Element:
        """The smaller of two, entrywise."""
        return self._numpy.minimum(x, y)

    def maximum(self, x: Element, y: Element) -> Element:
        """The larger of two, entrywise."""
        return self._numpy.maximum(x, y)


class Symbolic:
    """sympy expressions; symbols are positive reals."""

    def __init__(self) -> None:
        import sympy

        self._sympy: Any = sympy

    def number(self, value: Fraction) -> Element:
        """The rational number."""
        return self._sympy.Rational(value.numerator, value.denominator)

    def symbol(self, name: str) -> Element:
        """A positive symbol."""
        return self._sympy.Symbol(name, positive=True)

    def sqrt(self, x: Element) -> Element:
        """The square root."""
        return self._sympy.sqrt(x)

    def exp(self, x: Element) -> Element:
        """The exponential."""
        return self._sympy.exp(x)

    def log(self, x: Element) -> Element:
        """The natural logarithm."""
        return self._sympy.log(x)

    def floor(self, x: Element) -> Element:
        """The largest integer at or below."""
        return self._sympy.floor(x)

    def minimum(self, x: Element, y: Element) -> Element:
        """The smaller of two."""
        return self._sympy.Min(x, y)

    def maximum(self, x: Element, y: Element) -> Element:
        """The larger of two."""
        return self._sympy.Max(x, y)
