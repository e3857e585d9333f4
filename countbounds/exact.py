r"""Exact numbers: finite sums of q * sqrt(k) * exp(s), with a decidable zero test.

q is rational, k a positive integer, and each exponent s is itself a finite sum of
rational multiples of square roots. Scores and weights of an attention layer with
rational (or quadratic) parameters are numbers of this kind, so an error of exactly
1/2, a tie, or a vector that vanishes can be recognised, which no precision can do.

The zero test rests on two theorems:

- square roots of positive integers, no two of which have a product that is a perfect
  square, are linearly independent over the rationals (Besicovitch 1940);
- exponentials of distinct algebraic numbers are linearly independent over the
  algebraic numbers (Lindemann-Weierstrass).

>>> two = Exact.of(2)
>>> (two.sqrt() * Exact.of(8).sqrt() - 4).is_zero()
True
>>> (two.sqrt().exp() * (-two.sqrt()).exp() - 1).is_zero()
True
>>> (two.sqrt() + Exact.of(3).sqrt() - Exact.of(5).sqrt()).is_zero()
False
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd, isqrt
from typing import TYPE_CHECKING

from countbounds.errors import NotExact

if TYPE_CHECKING:
    from countbounds.rings import Element, Ring

_SMALL_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)


def _is_square(number: int) -> bool:
    root = isqrt(number)
    return root * root == number


def _take_out(number: int, factor: int) -> tuple[int, int]:
    """Divide by a factor as often as possible: the quotient, and how often."""
    powers, count = [factor], 0
    while number % powers[-1] == 0:
        number //= powers[-1]
        count += 1 << (len(powers) - 1)
        powers.append(powers[-1] ** 2)
    for index in range(len(powers) - 2, -1, -1):
        if number % powers[index] == 0:
            number //= powers[index]
            count += 1 << index
    return number, count


def _split_square(number: int) -> tuple[int, int]:
    """Write a positive integer as outer**2 * inner, taking out the squares that are cheap."""
    root = isqrt(number)
    if root * root == number:
        return root, 1
    outer = 1
    for prime in _SMALL_PRIMES:
        number, pairs = _take_out(number, prime * prime)
        outer *= prime**pairs
    root = isqrt(number)
    return (outer * root, 1) if root * root == number else (outer, number)


Nested = tuple[Fraction, Fraction, int]
"""The root of a + b sqrt(k), as (a, b, k)."""

Key = tuple[int, tuple[Nested, ...]]
"""A square root and the nested roots that multiply it."""


class Surd:
    """A finite sum of rational multiples of square roots of positive integers.

    A root sqrt(a + b sqrt(k)) that does not denest is kept as a symbol with its square, so
    that it cancels where it should. With such symbols `is_zero` is proven only where it
    says True: they need not be independent of each other.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Key, Fraction]) -> None:
        self.terms: dict[Key, Fraction] = {k: q for k, q in terms.items() if q}

    @staticmethod
    def of(value: Fraction) -> Surd:
        """The rational number."""
        return Surd({(1, ()): value})

    @staticmethod
    def root(square: Fraction) -> Surd:
        """The square root of a rational number >= 0."""
        if square < 0:
            raise NotExact("The square root of a negative number is not real.")
        if square == 0:
            return Surd({})
        outer, inner = _split_square(square.numerator * square.denominator)
        return Surd({(inner, ()): Fraction(outer, square.denominator)})

    @staticmethod
    def square_of(nested: Nested) -> Surd:
        """The number under a nested root."""
        a, b, k = nested
        return Surd({(1, ()): a, (k, ()): b})

    @property
    def is_plain(self) -> bool:
        """Whether no nested roots occur."""
        return not any(nested for _, nested in self.terms)

    def __add__(self, other: Surd) -> Surd:
        terms = dict(self.terms)
        for k, q in other.terms.items():
            terms[k] = terms.get(k, Fraction(0)) + q
        return Surd(terms)

    def __neg__(self) -> Surd:
        return Surd({k: -q for k, q in self.terms.items()})

    def __sub__(self, other: Surd) -> Surd:
        return self + (-other)

    def __mul__(self, other: Surd) -> Surd:
        terms: dict[Key, Fraction] = {}
        squared = Surd({})
        for (j, left), p in self.terms.items():
            for (k, right), q in other.terms.items():
                common = gcd(j, k)
                once: tuple[Nested, ...] = ()
                twice: set[Nested] = set()
                if left or right:
                    once = tuple(sorted(set(left) ^ set(right)))
                    twice = set(left) & set(right)
                key = ((j // common) * (k // common), once)
                if twice:
                    product = Surd({key: p * q * common})
                    for root in twice:
                        product = product * Surd.square_of(root)
                    squared = squared + product
                else:
                    terms[key] = terms.get(key, Fraction(0)) + p * q * common
        return Surd(terms) + squared if squared.terms else Surd(terms)

    def reduced(self) -> Surd:
        """The same number with no two radicands in the same class modulo squares."""
        terms: dict[Key, Fraction] = {}
        for (k, nested), q in self.terms.items():
            for j, present in terms:
                if present == nested and _is_square(j * k):
                    terms[j, nested] += q * Fraction(isqrt(j * k), j)
                    break
            else:
                terms[k, nested] = q
        return Surd(terms)

    def is_zero(self) -> bool:
        """Whether the number is zero (decided, unless nested roots occur)."""
        return len(self.terms) == 0 or not self.reduced().terms

    def inverse(self) -> Surd:
        """1 over a sum of one or two terms (every element of a quadratic field).

        Both terms must have the same nested roots.

        Raises:
            NotExact: for other sums.
            ZeroDivisionError: for zero.
        """
        terms = self.reduced().terms
        if not terms:
            raise ZeroDivisionError("division by an exact zero")
        factors = {nested for _, nested in terms}
        if len(terms) > 2 or len(factors) > 1:
            raise NotExact("Only one or two terms can be inverted exactly.")
        (nested,) = factors
        (j, p), *rest = ((k, q) for (k, _), q in terms.items())
        if rest:
            ((k, q),) = rest
            norm = p * p * j - q * q * k  # not zero: the radicands are independent
            result = Surd({(j, ()): p / norm, (k, ()): -q / norm})
        else:
            result = Surd({(j, ()): 1 / (p * j)})
        if nested:
            result = result * Surd({(1, nested): Fraction(1)})
            for root in nested:
                result = result * Surd.square_of(root).inverse()
        return result

    def sqrt(self) -> Surd:
        """The positive root of a rational number, or of a + b k^(1/2).

        It denests if a^2 - b^2 k is the square of a rational c: the root is then
        sqrt((a + c)/2) +- sqrt((a - c)/2). Otherwise it is kept as a symbol.

        Raises:
            NotExact: for other numbers, or a negative one.
        """
        square = self.rational()
        if square is not None:
            return Surd.root(square)
        terms = {k: q for (k, nested), q in self.reduced().terms.items() if not nested}
        whole = next((k for k in terms if _is_square(k)), None)
        if whole is None or len(terms) != 2 or not self.is_plain:
            raise NotExact("The square root lies outside these numbers.")
        a = terms.pop(whole) * isqrt(whole)
        ((k, b),) = terms.items()
        norm = a * a - b * b * k
        if (a if norm > 0 else b) < 0:
            raise NotExact("The square root of a negative number is not real.")
        if norm > 0 and _is_square(norm.numerator) and _is_square(norm.denominator):
            c = Fraction(isqrt(norm.numerator), isqrt(norm.denominator))
            first, second = Surd.root((a + c) / 2), Surd.root((a - c) / 2)
            return first + second if b > 0 else first - second
        return Surd({(1, ((a, b, k),)): Fraction(1)})

    def on(self, ring: Ring) -> Element:
        """The number on another ring."""
        total = ring.number(Fraction(0))
        for (k, nested), q in self.terms.items():
            term = ring.number(q) * ring.sqrt(ring.number(Fraction(k)))
            for root in nested:
                term = term * ring.sqrt(Surd.square_of(root).on(ring))
            total = total + term
        return total

    def rational(self) -> Fraction | None:
        """The number as a fraction, or None where it is not provably rational."""
        terms = self.reduced().terms
        if not terms:
            return Fraction(0)
        if len(terms) == 1:
            (((k, nested), q),) = terms.items()
            if not nested and _is_square(k):
                return q * isqrt(k)
        return None


_ZERO = Surd({})


class Exact:
    """A finite sum of surds times exponentials of surds.

    Stored as pairs (exponent, coefficient). Supports +, -, * with itself, int and
    Fraction, and division by one exponential with a coefficient of one or two terms.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: list[tuple[Surd, Surd]]) -> None:
        self.terms = terms

    @staticmethod
    def of(value: int | Fraction) -> Exact:
        """The exact number equal to a rational one."""
        return Exact([(_ZERO, Surd.of(Fraction(value)))]) if value else Exact([])

    @staticmethod
    def _coerce(value: object) -> Exact | None:
        if isinstance(value, Exact):
            return value
        if isinstance(value, (int, Fraction)):
            return Exact.of(value)
        return None

    def __add__(self, other: object) -> Exact:
        addend = self._coerce(other)
        if addend is None:
            return NotImplemented
        terms = list(self.terms)
        for exponent, coefficient in addend.terms:
            for index, (present, value) in enumerate(terms):
                if present is exponent or present.terms == exponent.terms:
                    terms[index] = (present, value + coefficient)
                    break
            else:
                terms.append((exponent, coefficient))
        return Exact([(s, c) for s, c in terms if c.terms])

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return Exact([(s, -c) for s, c in self.terms])

    def __sub__(self, other: object) -> Exact:
        subtrahend = self._coerce(other)
        return NotImplemented if subtrahend is None else self + (-subtrahend)

    def __rsub__(self, other: object) -> Exact:
        return (-self) + other

    def __mul__(self, other: object) -> Exact:
        factor = self._coerce(other)
        if factor is None:
            return NotImplemented
        product = Exact([])
        for s, c in self.terms:
            shifted = [(s + t if s.terms or t.terms else _ZERO, c * e) for t, e in factor.terms]
            product = product + Exact([(u, v) for u, v in shifted if v.terms])
        return product

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Exact:
        divisor = self._coerce(other)
        return NotImplemented if divisor is None else self * divisor._inverse()

    def __rtruediv__(self, other: object) -> Exact:
        return self._inverse() * other

    def _inverse(self) -> Exact:
        terms = self._grouped()
        if not terms:
            raise ZeroDivisionError("division by an exact zero")
        if len(terms) > 1:
            raise NotExact("Only a single exponential can be inverted exactly.")
        ((exponent, coefficient),) = terms
        return Exact([(-exponent, coefficient.inverse())])

    def _grouped(self) -> list[tuple[Surd, Surd]]:
        """Terms with pairwise different exponents and non-zero coefficients."""
        groups: list[tuple[Surd, Surd]] = []
        for s, c in self.terms:
            for index, (t, total) in enumerate(groups):
                if (s - t).is_zero():
                    groups[index] = (t, total + c)
                    break
            else:
                groups.append((s, c))
        return [(s, c) for s, c in groups if not c.is_zero()]

    def is_zero(self) -> bool:
        """Whether the number is zero (decided by the theorems named above, or see `Surd`)."""
        return not self.terms or not self._grouped()

    def _algebraic(self) -> Surd:
        terms = self._grouped()
        if not terms:
            return _ZERO
        if len(terms) > 1 or not terms[0][0].is_zero():
            raise NotExact("The number is not a sum of square roots.")
        return terms[0][1]

    def rational(self) -> Fraction | None:
        """The number as a fraction, or None where it is irrational."""
        try:
            return self._algebraic().rational()
        except NotExact:
            return None

    @property
    def is_plain(self) -> bool:
        """Whether no nested roots occur, so that `is_zero` decides."""
        return all(s.is_plain and c.is_plain for s, c in self.terms)

    def sqrt(self) -> Exact:
        """The square root of a rational number or of a + b k^(1/2) (`Surd.sqrt`).

        Raises:
            NotExact: if it is not, or the number is negative or has exponentials.
        """
        root = self._algebraic().sqrt()
        return Exact([(_ZERO, root)]) if root.terms else Exact([])

    def exp(self) -> Exact:
        """e to the power of a sum of square roots.

        Raises:
            NotExact: if the number contains exponentials itself.
        """
        return Exact([(self._algebraic(), Surd.of(Fraction(1)))])

    def on(self, ring: Ring) -> Element:
        """The number on another ring; on enclosures, without the cancellation of a detour."""
        total = ring.number(Fraction(0))
        for exponent, coefficient in self._grouped():
            factor = coefficient.on(ring)
            total = total + (factor * ring.exp(exponent.on(ring)) if exponent.terms else factor)
        return total

    def monomials(self) -> list[Exact]:
        """Single terms q * sqrt(k) * exp(s), independent over the rationals, that sum to this."""
        return [
            Exact([(exponent, Surd({k: q}))])
            for exponent, coefficient in self._grouped()
            for k, q in coefficient.reduced().terms.items()
        ]
