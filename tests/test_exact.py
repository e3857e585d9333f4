"""The exact numbers: their zero test against high precision, and what they refuse."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds.errors import NotExact
from countbounds.exact import Exact, Surd
from countbounds.rings import Enclosure

BITS = 3000
Pair = tuple[Exact, Any]
"""An exact number and its enclosure, made side by side."""

fractions = st.fractions(-9, 9, max_denominator=6)
radicands = st.one_of(
    st.integers(0, 50),
    st.sampled_from([2 * 53**2, 3 * 59**2, 53 * 59, 2**61 - 1, 2 * (2**61 - 1) ** 2, 10**40]),
    st.fractions(0, 9, max_denominator=9),
)


def arb(value: Fraction | int) -> Any:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def same(left: Any, right: Any) -> bool:
    """Whether two narrow enclosures enclose one number, for all that can be told."""
    return bool(left.overlaps(right) and (left - right).abs_upper() < 2.0**-80)


modest = st.one_of(st.integers(0, 50), st.fractions(0, 9, max_denominator=9))


@st.composite
def surds(draw: st.DrawFn, radicands: st.SearchStrategy[Any] = radicands) -> Pair:
    """A sum of rational multiples of square roots."""
    total: Pair = (Exact.of(0), flint.arb(0))
    with flint.ctx.workprec(BITS):
        for _ in range(draw(st.integers(0, 3))):
            q, k = draw(fractions), draw(radicands)
            total = (total[0] + q * Exact.of(k).sqrt(), total[1] + arb(q) * arb(k).sqrt())
    return total


@st.composite
def numbers(draw: st.DrawFn) -> Pair:
    """A sum of products of surds and exponentials of surds."""
    total: Pair = draw(surds())
    with flint.ctx.workprec(BITS):
        for _ in range(draw(st.integers(0, 2))):
            (c, c_ball), (s, s_ball) = draw(surds()), draw(surds(modest))
            total = (total[0] + c * s.exp(), total[1] + c_ball * s_ball.exp())
    return total


@given(numbers())
def test_zero_is_what_high_precision_cannot_tell_from_zero(pair: Pair) -> None:
    number, ball = pair
    with flint.ctx.workprec(BITS):
        assert number.is_zero() == ball.contains(0)


@given(numbers(), numbers(), numbers())
def test_ring_identities(x: Pair, y: Pair, z: Pair) -> None:
    a, b, c = x[0], y[0], z[0]
    assert ((a + b) * (a + b) - a * a - 2 * a * b - b * b).is_zero()
    assert (a * (b + c) - (a * b + a * c)).is_zero()
    assert ((a - b) + (b - a)).is_zero()
    assert (1 - a + (a - 1)).is_zero()


@given(numbers(), numbers())
def test_a_product_vanishes_only_with_a_factor(x: Pair, y: Pair) -> None:
    assert (x[0] * y[0]).is_zero() == (x[0].is_zero() or y[0].is_zero())


@given(numbers(), numbers())
def test_arithmetic_against_enclosures(x: Pair, y: Pair) -> None:
    (a, p), (b, q) = x, y
    with Enclosure(BITS) as ring:
        for number, ball in ((a + b, p + q), (a - b, p - q), (a * b, p * q), (-a, -p)):
            assert number.on(ring).overlaps(ball)
            assert (number.on(ring) - ball).abs_upper() < 2.0**-1000


@given(numbers())
def test_the_monomials_add_up_and_are_single(x: Pair) -> None:
    number = x[0]
    total = Exact.of(0)
    monomials = number.monomials()
    for monomial in monomials:
        total = total + monomial
        assert not monomial.is_zero()
        assert ((monomial / monomial) - 1).is_zero()
    assert (total - number).is_zero()
    assert number.is_zero() == (not monomials)
    for i, left in enumerate(monomials):
        for right in monomials[i + 1 :]:
            assert (left / right).rational() is None


@given(surds(modest), st.fractions(-5, 5, max_denominator=9))
def test_exponentials_multiply(x: Pair, q: Fraction) -> None:
    s = x[0]
    assert (s.exp() * (q - s).exp() - Exact.of(q).exp()).is_zero()
    assert (1 / s.exp() - (-s).exp()).is_zero()
    assert ((s.exp() - 1).is_zero()) == s.is_zero()


@given(st.fractions(0, 1000), st.fractions(0, 1000))
def test_roots_multiply(p: Fraction, q: Fraction) -> None:
    product = Exact.of(p).sqrt() * Exact.of(q).sqrt()
    assert (product - Exact.of(p * q).sqrt()).is_zero()
    assert (product * product).rational() == p * q


@pytest.mark.parametrize("prime", [2, 47, 53, 10007, 2**61 - 1])
def test_squares_are_found_in_any_radicand(prime: int) -> None:
    inside = Exact.of(prime * prime * 6).sqrt()
    assert (inside - prime * Exact.of(6).sqrt()).is_zero()
    assert (inside * Exact.of(6).sqrt()).rational() == 6 * prime
    assert not (inside - prime * Exact.of(7).sqrt()).is_zero()
    small = Fraction(1, prime)
    assert ((small * inside).exp() - Exact.of(6).sqrt().exp()).is_zero()


def test_rational_values_are_recognised() -> None:
    root = Exact.of(8).sqrt()
    assert (root * Exact.of(2).sqrt()).rational() == 4
    assert (root - 2 * Exact.of(2).sqrt()).rational() == 0
    assert (root - 2 * Exact.of(2).sqrt() + Fraction(1, 3)).rational() == Fraction(1, 3)
    assert root.rational() is None
    assert root.exp().rational() is None
    assert (root.exp() * (-root).exp()).rational() == 1
    assert Exact.of(0).exp().rational() == 1


def test_near_misses_are_told_apart() -> None:
    # sqrt(2) + sqrt(3) differs from this fraction by less than 10^-60.
    with flint.ctx.workprec(400):
        ball = flint.arb(2).sqrt() + flint.arb(3).sqrt()
        scaled = (ball * 10**60).mid().floor().unique_fmpz()
    assert scaled is not None
    close = Fraction(int(scaled), 10**60)
    assert not (Exact.of(2).sqrt() + Exact.of(3).sqrt() - close).is_zero()
    # e^(pi sqrt(163)) is no such number, but e^sqrt(163) against an integer will do.
    assert not (Exact.of(163).sqrt().exp() - 351109).is_zero()


def test_what_lies_outside_is_refused() -> None:
    two, root = Exact.of(2), Exact.of(2).sqrt()
    with pytest.raises(NotExact):
        Exact.of(-1).sqrt()
    with pytest.raises(NotExact):
        root.sqrt()
    with pytest.raises(NotExact):
        two.exp().exp()
    with pytest.raises(NotExact):
        1 / (1 + root + Exact.of(3).sqrt())
    with pytest.raises(NotExact):
        (1 - root).sqrt()
    with pytest.raises(NotExact):
        1 / (1 + root.exp())
    with pytest.raises(NotExact):
        Surd.root(Fraction(-1, 2))
    with pytest.raises(ZeroDivisionError):
        1 / (root - root)
    with pytest.raises(ZeroDivisionError):
        1 / (Exact.of(8).sqrt() - 2 * root)
    with pytest.raises(TypeError):
        root + 0.5


def test_a_single_term_hidden_in_a_sum_can_divide() -> None:
    root = Exact.of(2).sqrt()
    single = Exact.of(18).sqrt() - root  # 2 sqrt(2)
    assert ((1 / single) * 4 - root).is_zero()


def test_quadratic_fields_have_inverses_and_roots() -> None:
    root = Exact.of(2).sqrt()
    assert (1 / (1 + root) - (root - 1)).is_zero()
    assert ((3 + 2 * root).sqrt() - 1 - root).is_zero()
    assert ((3 - 2 * root).sqrt() - (root - 1)).is_zero()
    nested = (1 + root).sqrt()
    assert not nested.is_plain
    assert (nested * nested - 1 - root).is_zero()
    assert (nested / nested - 1).is_zero()
    assert (1 / nested - nested / (1 + root)).is_zero()
    assert ((nested * 3 - nested - nested * 2) * root).is_zero()
    assert nested.rational() is None
    with Enclosure(100) as ring:
        assert same(nested.on(ring), (1 + flint.arb(2).sqrt()).sqrt())


quadratics = st.tuples(fractions, fractions, st.sampled_from([2, 3, 8, 12, 53 * 59**2]))


def quadratic(parts: tuple[Fraction, Fraction, int]) -> Pair:
    a, b, k = parts
    return a + b * Exact.of(k).sqrt(), arb(a) + arb(b) * arb(k).sqrt()


@given(quadratics)
def test_roots_in_quadratic_fields(parts: tuple[Fraction, Fraction, int]) -> None:
    a, b, _ = parts
    with flint.ctx.workprec(BITS):
        number, ball = quadratic(parts)
    try:
        root = number.sqrt()
    except NotExact:
        assert ball < 0 or a == 0
        return
    assert (root * root - number).is_zero()
    with Enclosure(BITS) as ring:
        assert same(root.on(ring) * root.on(ring), ball)
        assert not root.on(ring) < 0
    if number.is_zero():
        assert root.is_zero()
    else:
        assert (1 / root * number - root).is_zero()
        assert (root.exp() * (-root).exp() - 1).is_zero()
    assert ((b * root) * (b * root) - b * b * number).is_zero()


@given(quadratics, quadratics)
def test_squares_have_their_roots_in_the_field(
    parts: tuple[Fraction, Fraction, int], other: tuple[Fraction, Fraction, int]
) -> None:
    with flint.ctx.workprec(BITS):
        (x, p), (y, q) = quadratic(parts), quadratic((*other[:2], parts[2]))
    square = x * x
    if square.rational() is None:
        root = square.sqrt()
        assert root.is_plain
        with flint.ctx.workprec(BITS):
            assert (root - x).is_zero() if p > 0 else (root + x).is_zero()
    if not y.is_zero():
        assert (x / y * y - x).is_zero()
        with Enclosure(BITS) as ring:
            assert same((x / y).on(ring), p / q)


@given(quadratics, quadratics)
def test_what_is_called_zero_with_nested_roots_is_zero(
    parts: tuple[Fraction, Fraction, int], other: tuple[Fraction, Fraction, int]
) -> None:
    """Nested roots need not be independent: only a zero that is found is certain."""
    try:
        x, y = quadratic(parts)[0].sqrt(), quadratic(other)[0].sqrt()
    except NotExact:
        return
    for number in (x - y, x * x - y * y, (x + y) * (x - y), x * y - y * x, (x * y) * (x * y) - 1):
        if number.is_zero():
            with Enclosure(BITS) as ring:
                assert same(number.on(ring), flint.arb(0))
