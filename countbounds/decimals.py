"""Numbers as text: read exactly, written rounded outward.

>>> parse_exact("2.5e3", "bound")
Fraction(2500, 1)
>>> decimal(Fraction(2500)), decimal(Fraction(1, 3))
('2500', '1/3')
>>> rounded(Fraction(2, 3), 4, up=False), rounded(Fraction(2, 3), 4, up=True)
('0.6666', '0.6667')
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from countbounds.errors import InputError

LARGEST_EXPONENT = 10_000
_SHOWN = 16
_LARGEST_SIZE = 1 << 18  # bits before or after the binary point
_MOST_CHARACTERS = 20_000
_NUMBER = re.compile(r"([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d{1,9}))?", re.ASCII)


def parse_exact(text: str, what: str) -> Fraction:
    """Read a decimal ("2.5", "1e6") or fraction ("5/2") as the exact number it names.

    Args:
        text: the text.
        what: what the number is, for the message.

    Raises:
        InputError: if the text is no finite number, divides by zero, or has an
            exponent beyond 10^4 or more than 20,000 characters.
    """
    shown = shorten(text)
    if len(text) > _MOST_CHARACTERS:
        raise InputError(
            f"The {what} {shown} has {len(text)} characters; at most {_MOST_CHARACTERS} are read."
        )
    parts = text.strip().split("/")
    matches = [_NUMBER.fullmatch(part.strip()) for part in parts]
    if len(parts) > 2 or not all(matches):
        raise InputError(
            f'The {what} "{shown}" is not a number; give a decimal or a fraction, '
            "such as 2.5, 5/2 or 1e6."
        )
    values = []
    for match in matches:
        assert match is not None
        sign, digits, exponent = match.groups()
        power = int(exponent or 0)
        if abs(power) > LARGEST_EXPONENT:
            raise InputError(
                f"The {what} {shown} has an exponent beyond {LARGEST_EXPONENT}; "
                f"give one between -{LARGEST_EXPONENT} and {LARGEST_EXPONENT}."
            )
        whole, _, fraction = digits.partition(".")
        numerator = _integer(whole + fraction)
        power -= len(fraction)
        value = Fraction(numerator * 10**power) if power >= 0 else Fraction(numerator, 10**-power)
        values.append(-value if sign == "-" else value)
    if len(values) == 1:
        return values[0]
    if values[1] == 0:
        raise InputError(f"The {what} {shown} divides by zero; give a finite number.")
    return values[0] / values[1]


def parse_integer(text: str) -> int | None:
    """Read an integer as `parse_exact` reads numbers; None where the text is none.

    >>> parse_integer("1e6"), parse_integer("10/2"), parse_integer("2.5"), parse_integer("ten")
    (1000000, 5, None, None)
    """
    try:
        value = parse_exact(text, "integer")
    except InputError:
        return None
    return value.numerator if value.denominator == 1 else None


def is_integer(value: object) -> bool:
    """Whether an argument is an int, and not a truth value."""
    return isinstance(value, int) and not isinstance(value, bool)


def shorten(text: object) -> str:
    """What a message repeats of an argument: at most 40 characters of it."""
    if isinstance(text, int) and abs(text) >= 10**40:
        return "a number of more than 40 digits"
    try:
        start = str(text)[:100]
    except ValueError:  # the interpreter's limit on the digits of an int
        return "a number of thousands of digits"
    whole = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in start)
    return whole if len(whole) <= 40 else whole[:40] + "..."


def _integer(digits: str) -> int:
    """Read decimal digits without the interpreter's limit on their number."""
    value = 0
    for start in range(0, len(digits), 4000):
        piece = digits[start : start + 4000]
        value = value * 10 ** len(piece) + int(piece)
    return value


def _digits(number: int) -> str:
    """Write a natural number in decimal without the interpreter's limit."""
    pieces = []
    while number >= 10**4000:
        number, piece = divmod(number, 10**4000)
        pieces.append(f"{piece:04000d}")
    return str(number) + "".join(reversed(pieces))


def _terminates(value: Fraction) -> bool:
    rest = value.denominator
    rest >>= (rest & -rest).bit_length() - 1
    return bool(pow(5, rest.bit_length(), rest) == 0) if rest > 1 else True


def decimal(value: Fraction) -> str:
    """An exact number as a decimal string, or as "p/q" where no decimal is exact."""
    if not _terminates(value):
        sign = "-" if value < 0 else ""
        return f"{sign}{_digits(abs(value.numerator))}/{_digits(value.denominator)}"
    sign, magnitude = ("-", -value) if value < 0 else ("", value)
    twos = (magnitude.denominator & -magnitude.denominator).bit_length() - 1
    fives, rest = 0, magnitude.denominator >> twos
    while rest > 1:
        rest //= 5
        fives += 1
    places = max(twos, fives)
    digits = _digits(magnitude.numerator * 10**places // magnitude.denominator)
    return sign + _placed(digits, -places)


def _placed(digits: str, power: int) -> str:
    """Write digits * 10**power, plainly where that is short."""
    stripped = digits.rstrip("0")
    if not stripped:
        return "0"
    power += len(digits) - len(stripped)
    leading = len(stripped) + power - 1
    if -7 < leading < 25:
        if power >= 0:
            return stripped + "0" * power
        if leading >= 0:
            return stripped[: leading + 1] + "." + stripped[leading + 1 :]
        return "0." + "0" * (-leading - 1) + stripped
    mantissa = stripped[0] + ("." + stripped[1:] if len(stripped) > 1 else "")
    return f"{mantissa}e{leading:+d}"


def significant(value: Fraction, digits: int, *, up: bool) -> Fraction:
    """The nearest number of so many significant decimal digits at or above (below) value."""
    if value == 0:
        return value
    power = _magnitude(value) - digits + 1
    scale = Fraction(10) ** power
    quotient = value / scale
    return scale * (quotient.__ceil__() if up else quotient.__floor__())


def _magnitude(value: Fraction) -> int:
    """The exponent of the leading decimal digit."""
    bits = abs(value.numerator).bit_length() - value.denominator.bit_length()
    power = bits * 30103 // 100000 - 1
    while abs(value) >= Fraction(10) ** (power + 1):
        power += 1
    return power


def rounded(value: Fraction, digits: int, *, up: bool) -> str:
    """A decimal string of at most so many significant digits, rounded up or down."""
    return decimal(significant(value, digits, up=up))


@dataclass(frozen=True)
class Bracket:
    """An enclosure of a real number (dimensionless): lower <= value <= upper.

    Attributes:
        lower: the lower end; None stands for infinity.
        upper: the upper end; None stands for infinity.
    """

    lower: Fraction | None
    upper: Fraction | None

    @staticmethod
    def exactly(value: int | Fraction) -> Bracket:
        """The bracket of an exactly known number."""
        return Bracket(Fraction(value), Fraction(value))

    @staticmethod
    def of(ball: Any) -> Bracket:
        """The bracket of an arb ball, widened where an end is not finite or beyond 2^(2^18)."""
        return Bracket(_end(ball.lower(), up=False), _end(ball.upper(), up=True))

    @property
    def is_exact(self) -> bool:
        """Whether the two ends are the same finite number."""
        return self.lower is not None and self.lower == self.upper

    def as_strings(self, digits: int = 20, apart: Fraction | None = None) -> dict[str, str]:
        """The two ends as decimal strings, rounded outward.

        Args:
            digits: significant digits.
            apart: a number outside the bracket that the rounded ends must not reach;
                as many digits are added as that takes.
        """
        low, high = self.lower, self.upper
        if apart is not None and not (low is not None and low == apart):
            while (high is not None and high < apart <= significant(high, digits, up=True)) or (
                low is not None and significant(low, digits, up=False) <= apart < low
            ):
                digits += 10
        return {
            "lower": "inf" if low is None else rounded(low, digits, up=False),
            "upper": "inf" if high is None else rounded(high, digits, up=True),
        }

    def __str__(self) -> str:
        """The number for reading: the digits that are certain, "..." where there are more."""
        if self.lower is None:
            return "inf"
        if self.upper is None:
            return f">= {rounded(self.lower, _SHOWN, up=False)}"
        if self.is_exact and len(decimal(self.lower)) <= _SHOWN + 8:
            return decimal(self.lower)
        if self.lower <= 0 <= self.upper:
            larger = max(-self.lower, self.upper)
            return f"{'<=' if self.lower == 0 else '0 +/-'} {rounded(larger, 3, up=True)}"
        for digits in range(_SHOWN, _SHOWN - 5, -1):
            low, high = (_leading(end, digits) for end in (self.lower, self.upper))
            if low == high:
                return _with_dots(*low)
        middle = (self.lower + self.upper) / 2
        ends = [significant(middle, _SHOWN, up=up) for up in (False, True)]
        shown = min(ends, key=lambda end: abs(end - middle))
        radius = max(self.upper - shown, shown - self.lower)
        return f"{decimal(shown)} +/- {rounded(radius, 3, up=True)}"


def _leading(value: Fraction, digits: int) -> tuple[str, str, int]:
    """Sign, leading digits (cut off, not rounded) and exponent of the first of them."""
    magnitude = abs(value)
    power = _magnitude(magnitude)
    cut = magnitude * Fraction(10) ** (digits - 1 - power)
    return "-" if value < 0 else "", _digits(cut.__floor__()), power


def _with_dots(sign: str, digits: str, power: int) -> str:
    if 0 <= power < len(digits) - 1:
        return f"{sign}{digits[: power + 1]}.{digits[power + 1 :]}..."
    if -5 <= power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}..."
    return f"{sign}{digits[0]}.{digits[1:]}...e{power:+d}"


def _end(point: Any, *, up: bool) -> Fraction | None:
    """An exact arb as a fraction; far out, the nearest number that is written down."""
    if not point.is_finite():
        return None
    mantissa, exponent = (int(part) for part in point.man_exp())
    size = exponent + mantissa.bit_length()
    if mantissa and abs(size) > _LARGEST_SIZE:
        outward = (mantissa > 0) == up
        if size > 0:
            return None if outward else Fraction((-1 if mantissa < 0 else 1) << _LARGEST_SIZE)
        tiny = Fraction(-1 if mantissa < 0 else 1, 1 << _LARGEST_SIZE)
        return tiny if outward else Fraction(0)
    if exponent >= 0:
        return Fraction(mantissa << exponent)
    return Fraction(mantissa, 1 << -exponent)
