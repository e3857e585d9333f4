"""Signs that are proven: by an enclosure, or by the exact zero test."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

from countbounds.curve import CountCurve, from_exact
from countbounds.errors import NotExact, Undecided
from countbounds.rings import Element, Enclosure, ExactNumbers, Ring


class CurveSource(Protocol):
    """Anything that has a count curve on every ring."""

    def curve(self, ring: Ring) -> CountCurve:
        """The curve with its coefficients on the ring."""
        ...

    def vanishing(self, ring: Ring) -> tuple[tuple[tuple[int, int], Element], ...]:
        """Inputs at which y is undefined if the value beside them is zero."""
        ...


class Decider:
    """One curve at one working precision, with its exact twin where there is one.

    Formulas are functions of a curve. They are evaluated on enclosures first; a value
    whose enclosure contains zero is looked at again with exact numbers, and only if
    those cannot express the curve is the question `Undecided`.

    Args:
        source: where the curve comes from.
        ring: the enclosure ring, already entered.
        exact: the same source's exact twin, shared between precisions.
    """

    def __init__(self, source: CurveSource, ring: Enclosure, exact: ExactTwin) -> None:
        self.ring = ring
        twin = exact.curve() if exact.wanted else None
        self.curve: Any = source.curve(ring) if twin is None else from_exact(twin, ring)
        self._exact = exact

    @property
    def has_twin(self) -> bool:
        """Whether exact numbers express the curve, so that every equality is recognised."""
        return self._exact.curve() is not None

    def sign(self, formula: Callable[[Any], Element]) -> int:
        """The sign of a formula in the curve's coefficients: -1, 0 or 1.

        Raises:
            Undecided: if neither the enclosure nor exact numbers can tell.
        """
        return self.sign_of(formula(self.curve), formula)

    def sign_of(self, value: Element, formula: Callable[[Any], Element]) -> int:
        """As `sign`, for a formula whose enclosure is already there."""
        sign = certain_sign(value)
        if sign is not None:
            return sign
        if self.is_exactly_zero(formula):
            return 0
        raise Undecided("A sign is not decided at this precision.")

    def is_exactly_zero(self, formula: Callable[[Any], Element]) -> bool:
        """Whether a formula is provably zero; False where exact numbers do not apply."""
        twin = self._exact.curve()
        if twin is None:
            return False
        try:
            return bool(formula(twin).is_zero())
        except NotExact:
            return False

    def exactly(self, formula: Callable[[Any], Element]) -> Element | None:
        """The exact value of a formula, or None where exact numbers do not apply."""
        twin = self._exact.curve()
        if twin is None:
            return None
        try:
            return formula(twin)
        except NotExact:
            return None

    def enclose(self, formula: Callable[[Any], tuple[Element, ...]]) -> tuple[Element, ...]:
        """Enclosures of several values, those that are exactly zero replaced by zero."""
        values = formula(self.curve)
        if all(value.is_zero() or certain_sign(value) is not None for value in values):
            return values
        exact = self.exactly(formula)
        if exact is None:
            return values
        zero = self.ring.number(Fraction(0))
        return tuple(
            zero if twin.is_zero() else value for value, twin in zip(values, exact, strict=True)
        )


class ExactTwin:
    """The curve on exact numbers, computed at most once and only if asked for.

    Attributes:
        wanted: whether enclosures too should be taken of the exact coefficients, which
            spares them the cancellation on the way there; set once a pass has failed.
    """

    def __init__(self, source: CurveSource) -> None:
        self.wanted = False
        self._source = source
        self._known = False
        self._curve: CountCurve | None = None

    def curve(self) -> CountCurve | None:
        """The exact curve, or None where the parameters lie outside the exact numbers."""
        if not self._known:
            self._known = True
            try:
                self._curve = self._source.curve(ExactNumbers())
            except (NotExact, ZeroDivisionError):
                self._curve = None
        return self._curve


def certain_sign(value: Element) -> int | None:
    """The sign of an arb ball where it is the same for all its points, else None."""
    if value > 0:
        return 1
    if value < 0:
        return -1
    return 0 if value.is_zero() else None
