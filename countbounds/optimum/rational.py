"""Short rationals next to high-precision numbers, for witnesses and parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from countbounds.decimals import significant


def context(digits: int) -> Any:
    """A private mpmath context with that many decimal digits."""
    import mpmath

    numbers = mpmath.MPContext()
    numbers.dps = digits
    return numbers


def fraction(value: Any) -> Fraction:
    """The exact rational number that an mpf is."""
    sign, mantissa, exponent, _ = value._mpf_
    mantissa = -int(mantissa) if sign else int(mantissa)
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def bracket(value: Any, digits: int) -> tuple[Fraction, Fraction]:
    """Decimals below and above a positive mpf, a third of 10^-digits apart from it and more.

    Their ratio is at most 1 + 10^-digits; both have digits + 2 significant digits.
    """
    exact = fraction(value)
    margin = exact / (4 * 10**digits)
    low = significant(exact - margin, digits + 3, up=False)
    return low, significant(exact + margin, digits + 3, up=True)


def rational_root(value: Fraction, degree: int) -> Fraction | None:
    """The root of a positive rational number where it is rational, else None."""
    from flint import fmpz

    top, bottom = (int(fmpz(part).root(degree)) for part in (value.numerator, value.denominator))
    root = Fraction(top, bottom)
    return root if root**degree == value else None


def near(value: Any, digits: int) -> Fraction:
    """A decimal of so many significant digits at or just below an mpf."""
    return significant(fraction(value), digits, up=False)
