"""Closed forms, written once and evaluated on any ring.

An `Expr` is an immutable formula over rational numbers and named symbols. It is what
a construction's vectors, bounds and rates are written in; `evaluate` interprets it on
a ring of `countbounds.rings`: as symbols, as an enclosure, exactly, in high precision
or in floats. Rational subformulas are folded exactly, never through floats.

>>> from countbounds.rings import Floating
>>> L = symbol("L")
>>> vertex = floor((L - 1) * (L - 1) / 4)
>>> float(evaluate(vertex, Floating(), {"L": 10}))
20.0
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import isqrt
from numbers import Complex, Rational
from numbers import Real as RealNumber
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from countbounds.errors import InputError

if TYPE_CHECKING:
    from countbounds.rings import Ring

Real: TypeAlias = Union["Expr", int, Fraction]


class Expr:
    """A formula: an operation and its arguments.

    Build one with `rational`, `symbol`, the arithmetic operators and the functions of
    this module; do not call the constructor.
    """

    __slots__ = ("args", "operation")

    def __init__(self, operation: str, args: tuple[Any, ...]) -> None:
        self.operation = operation
        self.args = args

    @property
    def value(self) -> Fraction | None:
        """The rational number this formula is, or None where it is not a bare number."""
        return self.args[0] if self.operation == "rational" else None

    def __add__(self, other: Real) -> Expr:
        return _binary("add", self, other)

    def __radd__(self, other: Real) -> Expr:
        return _binary("add", other, self)

    def __sub__(self, other: Real) -> Expr:
        return _binary("sub", self, other)

    def __rsub__(self, other: Real) -> Expr:
        return _binary("sub", other, self)

    def __mul__(self, other: Real) -> Expr:
        return _binary("mul", self, other)

    def __rmul__(self, other: Real) -> Expr:
        return _binary("mul", other, self)

    def __truediv__(self, other: Real) -> Expr:
        return _binary("div", self, other)

    def __rtruediv__(self, other: Real) -> Expr:
        return _binary("div", other, self)

    def __neg__(self) -> Expr:
        return rational(-self.value) if self.value is not None else Expr("neg", (self,))

    def __repr__(self) -> str:
        if self.operation in ("rational", "symbol"):
            return str(self.args[0])
        return f"{self.operation}({', '.join(map(repr, self.args))})"


def rational(value: int | Fraction) -> Expr:
    """The formula that is one rational number."""
    return Expr("rational", (Fraction(value),))


def symbol(name: str) -> Expr:
    """A named unknown, given its value when the formula is evaluated."""
    return Expr("symbol", (name,))


def as_formula(value: Real) -> Expr:
    """The value as a formula: itself, or the bare number it is."""
    return value if isinstance(value, Expr) else rational(value)


def real(value: object) -> Expr:
    """The formula for a number as the caller has it, without rounding.

    Args:
        value: an `Expr`, an int, a Fraction, a Decimal, a float or numpy scalar up to
            double precision (the exact binary number it stores), or a string such as "0.1"
            or "1/3" (that exact number).

    Raises:
        InputError: if it is not a finite real number.

    >>> real("0.1"), real(0.5)
    (1/10, 1/2)
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, str):
        from countbounds.decimals import parse_exact

        return rational(parse_exact(value, "number"))
    if isinstance(value, Rational):
        return rational(Fraction(int(value.numerator), int(value.denominator)))
    try:
        if isinstance(value, Complex) and not isinstance(value, RealNumber):
            raise TypeError
        if isinstance(value, (float, Decimal)):
            return rational(Fraction(value))
        # Other scalars (numpy's float32, say) are taken if a double holds them exactly.
        double = float(value)  # type: ignore[arg-type]
        if not isinstance(value, bytes) and double == value:
            return rational(Fraction(double))
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(
        f"{value!r} is not a finite real number that is held exactly; give an int, a "
        'Fraction, a float, a string such as "1/3", or a closed form.'
    )


def _binary(operation: str, left: Real, right: Real) -> Expr:
    x = as_formula(left)
    y = as_formula(right)
    p, q = x.value, y.value
    if p is not None and q is not None:
        return rational(_ARITHMETIC[operation](p, q))
    neutral = {"add": 0, "sub": 0, "mul": 1, "div": 1}[operation]
    if q == neutral:
        return x
    if p == neutral and operation in ("add", "mul"):
        return y
    if p == 0 and operation == "sub":
        return -y
    if operation == "mul" and (p == 0 or q == 0):
        return rational(0)
    if operation == "div" and p == 0:
        return x
    return Expr(operation, (x, y))


_ARITHMETIC: dict[str, Any] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
}


def sqrt(value: Real) -> Expr:
    """The square root; folded where it is rational."""
    x = as_formula(value)
    q = x.value
    if q is not None and q >= 0:
        p, r = isqrt(q.numerator), isqrt(q.denominator)
        if p * p == q.numerator and r * r == q.denominator:
            return rational(Fraction(p, r))
    return Expr("sqrt", (x,))


def exp(value: Real) -> Expr:
    """The exponential; folded at 0."""
    x = as_formula(value)
    return rational(1) if x.value == 0 else Expr("exp", (x,))


def log(value: Real) -> Expr:
    """The natural logarithm; folded at 1."""
    x = as_formula(value)
    return rational(0) if x.value == 1 else Expr("log", (x,))


def power(base: Real, exponent: Fraction) -> Expr:
    """A rational power of a positive number, as e^(exponent log base)."""
    return exp(log(base) * exponent)


def floor(value: Real) -> Expr:
    """The largest integer at or below."""
    x = as_formula(value)
    return Expr("floor", (x,)) if x.value is None else rational(x.value.__floor__())


def minimum(left: Real, right: Real) -> Expr:
    """The smaller of two."""
    return _extreme("minimum", left, right)


def maximum(left: Real, right: Real) -> Expr:
    """The larger of two."""
    return _extreme("maximum", left, right)


def _extreme(operation: str, left: Real, right: Real) -> Expr:
    x = as_formula(left)
    y = as_formula(right)
    if x.value is not None and y.value is not None:
        return x if (x.value <= y.value) == (operation == "minimum") else y
    return Expr(operation, (x, y))


def evaluate(
    formula: Expr,
    ring: Ring,
    symbols: Mapping[str, Any] | None = None,
    memo: dict[int, Any] | None = None,
) -> Any:
    """Evaluate a formula on a ring.

    Args:
        formula: the closed form.
        ring: where to evaluate; see `countbounds.rings`.
        symbols: a value (int, Fraction or ring element) for each symbol that occurs.
        memo: reuse one dict to evaluate shared subformulas once.

    Raises:
        KeyError: if a symbol has no value and the ring has no symbols of its own.
        NotExact: on the exact ring, if the value lies outside it.
    """
    memo = {} if memo is None else memo
    known = memo.get(id(formula))
    if known is not None:
        return known[0]
    operation, args = formula.operation, formula.args
    if operation == "rational":
        result = ring.number(args[0])
    elif operation == "symbol":
        value = (symbols or {}).get(args[0])
        if value is None:
            result = ring.symbol(args[0])
        else:
            result = ring.number(Fraction(value)) if isinstance(value, (int, Fraction)) else value
    else:
        values = [evaluate(arg, ring, symbols, memo) for arg in args]
        if operation == "neg":
            result = -values[0]
        elif operation in _ARITHMETIC:
            result = _ARITHMETIC[operation](*values)
        else:
            result = getattr(ring, operation)(*values)
    memo[id(formula)] = (result, formula)  # keeping the formula keeps its id its own
    return result
