"""The two kinds of count curve y(n, m).

Every layer of this model has one of them:

- without post-LN: linear-fractional, (p . v) / (q . v) with v = (1, n, m);
- with post-LN: affine over the root of a quadratic form, tau + (A . v) / sqrt(v Q v).

Epsilon adds to the form under the root, a residual adds to the token values, RMS drops
the projection: the same two kinds. `Model.curve` derives the coefficients on any ring.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from countbounds.expressions import evaluate, real
from countbounds.rings import Element, Ring

Triple: TypeAlias = tuple[Element, Element, Element]
Sextuple: TypeAlias = tuple[Element, Element, Element, Element, Element, Element]


@dataclass(frozen=True, slots=True)
class LinearFractional:
    """y(n, m) = (p0 + p1 n + p2 m) / (q0 + q1 n + q2 m).

    Attributes:
        numerator: (p0, p1, p2).
        denominator: (q0, q1, q2).
    """

    numerator: Triple
    denominator: Triple

    def parts(self, n: int, m: int) -> tuple[Element, Element]:
        """Numerator and denominator at one input."""
        (p0, p1, p2), (q0, q1, q2) = self.numerator, self.denominator
        return p0 + p1 * n + p2 * m, q0 + q1 * n + q2 * m


@dataclass(frozen=True, slots=True)
class AffineOverRoot:
    """y(n, m) = tau + A(n, m) / sqrt(Q(n, m)), A affine and Q a quadratic form in (1, n, m).

    Attributes:
        offset: tau.
        numerator: (A0, A1, A2).
        gram: Q as (Q00, Q01, Q11, Q02, Q12, Q22), so that
            Q = Q00 + 2 Q01 n + Q11 n^2 + 2 Q02 m + 2 Q12 n m + Q22 m^2.
    """

    offset: Element
    numerator: Triple
    gram: Sextuple

    def parts(self, n: int, m: int) -> tuple[Element, Element]:
        """A and Q at one input."""
        a0, a1, a2 = self.numerator
        q00, q01, q11, q02, q12, q22 = self.gram
        root = q00 + n * (2 * q01 + n * q11) + m * (2 * (q02 + n * q12) + m * q22)
        return a0 + a1 * n + a2 * m, root


CountCurve: TypeAlias = LinearFractional | AffineOverRoot


def from_exact(curve: CountCurve, ring: Ring) -> CountCurve:
    """A curve over `countbounds.exact.Exact`, its coefficients put on another ring."""

    def on(values: tuple[Element, ...]) -> tuple[Element, ...]:
        return tuple(value.on(ring) for value in values)

    return _rebuilt(curve, on)


def _rebuilt(
    curve: CountCurve, on: Callable[[tuple[Element, ...]], tuple[Element, ...]]
) -> CountCurve:
    if isinstance(curve, LinearFractional):
        p, q = on(curve.numerator), on(curve.denominator)
        return LinearFractional((p[0], p[1], p[2]), (q[0], q[1], q[2]))
    (offset,), a, g = on((curve.offset,)), on(curve.numerator), on(curve.gram)
    return AffineOverRoot(offset, (a[0], a[1], a[2]), (g[0], g[1], g[2], g[3], g[4], g[5]))


@dataclass(frozen=True)
class GivenCurve:
    """A curve given by its coefficients: numbers or closed forms, read exactly.

    Attributes:
        given: the curve. An affine-over-root curve must have Q >= 0 wherever it is used.
    """

    given: CountCurve

    def curve(self, ring: Ring) -> CountCurve:
        """The curve with its coefficients on the ring."""

        def on(values: tuple[object, ...]) -> tuple[Element, ...]:
            return tuple(evaluate(real(value), ring) for value in values)

        return _rebuilt(self.given, on)

    def vanishing(self, ring: Ring) -> tuple[tuple[tuple[int, int], Element], ...]:
        """No token of a given curve passes through a norm."""
        return ()
