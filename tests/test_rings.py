"""The rings: each supplies the same functions, and enclosures contain."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Any

import flint
import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from countbounds.errors import NotExact, Undecided
from countbounds.exact import Exact
from countbounds.rings import Enclosure, ExactNumbers, Floating, HighPrecision, Symbolic

fractions = st.fractions(-1000, 1000)


def contains(ball: Any, value: Fraction) -> bool:
    assert ball.is_finite()
    with flint.ctx.workprec(2000):
        return bool(ball.contains(flint.fmpq(value.numerator, value.denominator)))


@given(fractions, st.integers(10, 200))
def test_enclosures_contain_the_number(value: Fraction, bits: int) -> None:
    with Enclosure(bits) as ring:
        ball = ring.number(value)
    assert contains(ball, value)
    if value.denominator & (value.denominator - 1) == 0 and bits > 64:
        assert ball.is_exact()


@given(fractions, fractions)
def test_extremes_on_every_ring(x: Fraction, y: Fraction) -> None:
    small, large = min(x, y), max(x, y)
    with Enclosure(80) as ring:
        assert contains(ring.minimum(ring.number(x), ring.number(y)), small)
        assert contains(ring.maximum(ring.number(x), ring.number(y)), large)
    exact = ExactNumbers()
    p, q = exact.number(x), exact.number(y)
    assert exact.minimum(p, q).rational() == small
    assert exact.maximum(p, q).rational() == large
    for numeric in (HighPrecision(40), Floating()):
        u, v = numeric.number(x), numeric.number(y)
        assert numeric.minimum(u, v) == numeric.number(small)
        assert numeric.maximum(u, v) == numeric.number(large)
    symbolic = Symbolic()
    u, v = symbolic.number(x), symbolic.number(y)
    assert symbolic.minimum(u, v) == symbolic.number(small)
    assert symbolic.maximum(u, v) == symbolic.number(large)


@given(fractions)
def test_floors_on_every_ring(value: Fraction) -> None:
    below = floor(value)
    assert ExactNumbers().floor(Exact.of(value)).rational() == below
    assert HighPrecision(60).floor(HighPrecision(60).number(value)) == below
    assert Symbolic().floor(Symbolic().number(value)) == below
    with Enclosure(100) as ring:
        if value.denominator == 1 or abs(value - round(value)) > Fraction(1, 10**20):
            assert ring.floor(ring.number(value)) == below


def test_a_floor_that_is_not_settled_is_undecided() -> None:
    with Enclosure(60) as ring:
        third = ring.number(Fraction(1, 3))
        with pytest.raises(Undecided):
            ring.floor(third * 3)
        with pytest.raises(Undecided):
            ring.floor(flint.arb.nan())
        with pytest.raises(Undecided):
            ring.floor(flint.arb(0, 5))
        assert ring.floor(third * 3 + third) == 1
        assert ring.floor(-third) == -1


def test_the_precision_is_restored() -> None:
    before = flint.ctx.prec
    with Enclosure(300) as outer:
        assert flint.ctx.prec == 300
        with Enclosure(77):
            assert flint.ctx.prec == 77
        with outer:
            assert flint.ctx.prec == 300
        assert flint.ctx.prec == 300
    assert flint.ctx.prec == before
    with pytest.raises(RuntimeError), Enclosure(99):
        raise RuntimeError
    assert flint.ctx.prec == before


def test_infinity_is_above_everything() -> None:
    with Enclosure(53) as ring:
        assert ring.infinity > ring.number(Fraction(10**300))


def test_transcendental_functions_agree() -> None:
    value = Fraction(7, 3)
    rings: list[Any] = [HighPrecision(30), Floating(), Symbolic()]
    for function in ("sqrt", "exp", "log"):
        with Enclosure(200) as ring:
            ball = getattr(ring, function)(ring.number(value))
        expected = float(ball)
        for other in rings:
            found = getattr(other, function)(other.number(value))
            assert float(found) == pytest.approx(expected, rel=1e-15, abs=0)


def test_high_precision_has_its_own_context() -> None:
    before = mpmath.mp.dps
    ring = HighPrecision(80)
    root = ring.sqrt(ring.number(Fraction(2)))
    assert abs(root * root - 2) < mpmath.mpf(10) ** -79
    assert mpmath.mp.dps == before


def test_floats_overflow_to_infinity() -> None:
    ring = Floating()
    assert ring.number(Fraction(10**400)) == np.inf
    assert ring.number(Fraction(-(10**400))) == -np.inf
    assert ring.number(Fraction(1, 10**400)) == 0
    assert isinstance(ring.number(Fraction(1, 3)), np.float64)


def test_exact_numbers_refuse_what_they_cannot_hold() -> None:
    ring = ExactNumbers()
    two = ring.number(Fraction(2))
    assert ring.log(ring.number(Fraction(1))).is_zero()
    questions: tuple[Callable[[], Any], ...] = (
        lambda: ring.log(two),
        lambda: ring.floor(ring.sqrt(two)),
        lambda: ring.minimum(ring.sqrt(two), two),
        lambda: ring.maximum(ring.exp(two), two),
        lambda: ring.sqrt(ring.exp(two)),
    )
    for question in questions:
        with pytest.raises(NotExact):
            question()


@pytest.mark.parametrize("ring", [Enclosure(53), ExactNumbers(), HighPrecision(20), Floating()])
def test_only_symbols_have_names(ring: Any) -> None:
    with pytest.raises(KeyError, match="L"):
        ring.symbol("L")


def test_symbols_are_positive() -> None:
    length = Symbolic().symbol("L")
    assert length.is_positive
    assert Symbolic().sqrt(length * length) == length
    assert length == sympy.Symbol("L", positive=True)
