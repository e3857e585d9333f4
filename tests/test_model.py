"""The layer: its forward pass on every ring, and its reduction to a count curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import count
from random import Random
from typing import Any

import flint
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from countbounds import (
    AffineOverRoot,
    GivenCurve,
    Layer,
    LinearFractional,
    Model,
    Parameters,
    Vector,
)
from countbounds.curve import from_exact
from countbounds.errors import InputError, NotExact
from countbounds.expressions import exp, sqrt
from countbounds.model import softmax_weights
from countbounds.rings import Enclosure, ExactNumbers, Floating, HighPrecision, Symbolic
from tests.cases import KINDS, Kind, draw, model_of
from tests.exhaustive import Raw, outputs

BITS = 300
kinds = st.sampled_from(KINDS)
seeds = st.integers(0, 10**9)


def generated(kind: Kind, seed: int) -> Raw:
    """Parameters for which y(1, 1) is defined: no token is lost in pre-LN."""
    for attempt in count():
        raw = draw(Random(f"model {kind} {seed} {attempt}"), kind, 5).raw
        if outputs(raw, [(1, 1)], BITS)[1, 1].is_finite():
            return raw
    raise AssertionError


def value_of(curve: Any, n: int, m: int) -> Any:
    """The curve's value on the enclosure ring."""
    top, bottom = curve.parts(n, m)
    return (
        top / bottom if isinstance(curve, LinearFractional) else curve.offset + top / bottom.sqrt()
    )


def all_inputs(length: int) -> list[tuple[int, int]]:
    return [(n, m) for n in range(length + 1) for m in range(length - n + 1)]


# --- one layer, many rings --------------------------------------------------------------


@given(kinds, seeds)
def test_forward_curve_and_oracle_enclose_one_number(kind: Kind, seed: int) -> None:
    raw = generated(kind, seed)
    model = model_of(raw)
    expected = outputs(raw, all_inputs(5), BITS)
    with Enclosure(BITS) as ring:
        curve = model.curve(ring)
        for (n, m), y in expected.items():
            forward, value = model.forward(n, m, ring), value_of(curve, n, m)
            assert forward.is_finite() == y.is_finite(), (n, m)
            if not y.is_finite():
                continue
            assert forward.overlaps(y), (n, m)
            assert forward.rad() <= 2.0**-100 * max(1.0, abs(float(y)))
            assert value.is_finite(), (n, m)
            assert value.overlaps(y), (n, m)


@given(kinds, seeds)
def test_the_kind_of_curve_follows_the_placement(kind: Kind, seed: int) -> None:
    model = model_of(generated(kind, seed))
    with Enclosure(80) as ring:
        curve = model.curve(ring)
    assert isinstance(curve, AffineOverRoot if kind[1] == "post" else LinearFractional)


@given(kinds, seeds)
def test_arrays_give_what_single_inputs_give(kind: Kind, seed: int) -> None:
    model = model_of(generated(kind, seed))
    ring = Floating()
    inputs = np.array(all_inputs(5))
    with np.errstate(all="ignore"):
        together = model.forward(inputs[:, 0], inputs[:, 1], ring)
        singly = [model.forward(int(n), int(m), ring) for n, m in inputs]
    if np.ndim(together) == 0:  # linear attention with nothing but constants
        together = np.full(len(inputs), together)
    assert together == pytest.approx(np.array(singly, float), rel=1e-12, abs=1e-12, nan_ok=True)


@given(kinds, seeds)
def test_floats_and_high_precision_are_close(kind: Kind, seed: int) -> None:
    raw = generated(kind, seed)
    model = model_of(raw)
    for at, y in outputs(raw, [(0, 0), (1, 0), (0, 1), (2, 3)], BITS).items():
        if not y.is_finite() or abs(y) > 1e6:
            continue
        precise = model.forward(*at, HighPrecision(80))
        assert float(precise) == pytest.approx(float(y), rel=1e-14, abs=1e-14)


def of_kind(kind: Kind, entries: Callable[[], list[Fraction]], step: Fraction) -> Raw:
    """A layer of a kind around vectors that are drawn one by one."""
    attention, placement, learned, norm, epsilon, residual, bias = kind
    return Raw(
        entries(),
        entries(),
        entries(),
        entries(),
        gain=entries() if learned else None,
        bias=entries() if learned else None,
        readout_bias=step if bias else Fraction(0),
        attention=attention,
        placement=placement,
        norm=norm,
        epsilon=step if epsilon else Fraction(0),
        residual=residual,
    )


def test_floats_against_enclosures_for_tame_parameters() -> None:
    rng = np.random.default_rng(3)
    for kind in KINDS:
        raw = of_kind(
            kind, lambda: [Fraction(float(x)) for x in rng.normal(size=4)], Fraction(1, 8)
        )
        model = model_of(raw)
        found = model.forward(np.arange(6), 5 - np.arange(6), Floating())
        with Enclosure(120) as ring:
            exact = [float(model.forward(n, 5 - n, ring)) for n in range(6)]
        assert found == pytest.approx(exact, rel=1e-10, abs=1e-10)


@given(st.sampled_from(KINDS), st.integers(0, 10**6))
def test_symbols_evaluate_to_the_same_output(kind: Kind, seed: int) -> None:
    rng = Random(seed)
    raw = of_kind(kind, lambda: [Fraction(rng.randint(-3, 3)) for _ in range(3)], Fraction(1, 3))
    at = (2, 1)
    y = outputs(raw, [at], BITS)[at]
    if not y.is_finite():
        return
    value = sympy.N(model_of(raw).forward(*at, Symbolic()), 40)
    assert float(value) == pytest.approx(float(y), rel=1e-14, abs=1e-14)


def test_symbolic_counts_give_a_formula() -> None:
    p = Parameters.of([1, 0, 0], [1, 1, 0], [1, 0, 1], ["-1/2", "7/2", "1/2"])
    n, m = sympy.symbols("n m", positive=True)
    formula = Model(Layer(), p).forward(n, m, Symbolic())
    assert sympy.simplify(formula - (3 * n - sympy.Rational(1, 2)) / (1 + n + m)) == 0


@given(kinds, seeds)
def test_the_exact_curve_is_the_same_curve(kind: Kind, seed: int) -> None:
    model = model_of(generated(kind, seed))
    try:
        twin = model.curve(ExactNumbers())
    except (NotExact, ZeroDivisionError):
        assert kind[1] == "pre"
        return
    with Enclosure(200) as ring:
        direct, detour = model.curve(ring), from_exact(twin, ring)
        for n, m in all_inputs(3):
            for left, right in zip(direct.parts(n, m), detour.parts(n, m), strict=True):
                assert left.is_finite()
                assert right.is_finite()
                assert left.overlaps(right)


def test_post_ln_is_exact_for_rational_parameters() -> None:
    for kind in KINDS:
        if kind[1] != "pre":
            assert model_of(generated(kind, 1)).curve(ExactNumbers()) is not None


def test_an_undefined_output_is_not_a_number() -> None:
    p = Parameters.of([1, 1, 1], [1, 2, 3], [0, 0, 1], [1, 0, 0])
    model = Model(Layer("softmax", "post"), p)
    with np.errstate(all="ignore"):
        y = model.forward(np.array([0, 1]), np.array([0, 0]), Floating())
    assert np.isnan(y[0])
    assert np.isfinite(y[1])


def test_an_absent_token_does_not_matter() -> None:
    ones, plain = [1, 1, 1], [3, 1, 2]
    layer = Layer("softmax", "pre")
    lost = Model(layer, Parameters.of(plain, ones, ones, [1, 2, 4]))
    other = Model(layer, Parameters.of(plain, ones, plain, [1, 2, 4]))
    with Enclosure(80) as ring:
        assert lost.forward(0, 0, ring).is_finite()
        assert lost.forward(0, 0, ring).overlaps(other.forward(0, 0, ring))
        assert other.forward(0, 3, ring).is_finite()
        assert not lost.forward(0, 3, ring).is_finite()
        assert not other.forward(1, 0, ring).is_finite()


# --- by hand ----------------------------------------------------------------------------


def enclosed(layer: Layer, p: Parameters, n: int, m: int) -> Any:
    with Enclosure(100) as ring:
        y = Model(layer, p).forward(n, m, ring)
    assert y.rad() < 1e-20  # an infinite ball contains everything
    return y


def test_linear_attention_by_hand() -> None:
    # scores (4, 2, -2)/2 with values <w, x> = 2, 3, 5: y = 4 + 3 n - 5 m.
    p = Parameters.of([2, 0, 0, 0], [1, 1, 0, 0], [-1, 0, 1, 0], [1, 2, 6, 9])
    assert enclosed(Layer("linear"), p, 3, 2).contains(4 + 9 - 10)
    # The residual adds <w, x_#> = 2.
    assert enclosed(Layer("linear", residual=True), p, 3, 2).contains(5)


def test_softmax_by_hand() -> None:
    # scores (2, 1, -1): y = (2 e^2 + 3 n e + 5 m/e)/(e^2 + n e + m/e).
    p = Parameters.of([2, 0, 0, 0], [1, 1, 0, 0], [-1, 0, 1, 0], [1, 2, 6, 9])
    y = enclosed(Layer(), p, 3, 2)
    with flint.ctx.workprec(100):
        a, b, c = (flint.arb(s).exp() for s in (2, 1, -1))
        assert y.overlaps((2 * a + 9 * b + 10 * c) / (a + 3 * b + 2 * c))


def test_the_norms_by_hand() -> None:
    p = Parameters.of([1, 3, 1, 3], [1, 3, 1, 3], [0, 0, 0, 0], [1, 1, 2, 3])
    # P z = (-1, 1, -1, 1): variance 1, mean square 5.
    bare = Layer("linear", "post")
    assert enclosed(bare, p, 5, 7).contains(-1 + 1 - 2 + 3)
    assert enclosed(replace(bare, norm="rms"), p, 5, 7).overlaps(
        flint.arb(15) / flint.arb(5).sqrt()
    )
    # The output is (10 + 10 n) times (1, 3, 1, 3): the variance is 100 at n = 0, so epsilon
    # 125 turns (P z)/10 into (P z)/15.
    with_epsilon = replace(bare, epsilon=125)
    assert enclosed(with_epsilon, p, 0, 0).overlaps(flint.arb(2) / 3)
    learned = replace(p, gain=Vector.of([1, 2, 3, 4]), bias=Vector.of([0, 0, 1, 1]))
    assert enclosed(replace(bare, learned=True), learned, 5, 7).contains(-1 + 2 - 6 + 12 + 5)


def test_pre_ln_by_hand() -> None:
    # LN gives (1, -1, 1, -1) and (1, 1, -1, -1) whatever the lengths: scores 2, 0, -2.
    p = Parameters.of([3, -3, 3, -3], [1, 1, -1, -1], [-9, 9, -9, 9], [1, 2, 3, 5], readout_bias=7)
    assert enclosed(Layer("linear", "pre"), p, 4, 5).contains(2 * -3 - 10 * 3 + 7)
    assert enclosed(Layer("linear", "pre", residual=True), p, 4, 5).contains(-29 - 9)


def test_weights_do_not_overflow() -> None:
    with Enclosure(80) as ring:
        scores = tuple(ring.number(Fraction(x)) for x in (10**6, 10**6 - 1, -(10**6)))
        boundary, space, letter = softmax_weights(scores, ring)
        assert boundary.overlaps(ring.exp(ring.number(Fraction(1))))
        assert space == 1
        assert letter > 0


def test_closed_forms_in_every_place() -> None:
    p = Parameters.of(
        [sqrt(2), 0, 0], [0, exp(1), 0], [0, 0, "1/3"], [0.5, 1, sqrt(3)], readout_bias=sqrt(5)
    )
    model = Model(Layer("linear", "post", norm="rms", epsilon=sqrt(2)), p)
    with Enclosure(100) as ring:
        y = model.forward(1, 2, ring)
        assert y.is_finite()
        assert y.overlaps(value_of(model.curve(ring), 1, 2))


# --- vanishing tokens -------------------------------------------------------------------


def test_only_pre_ln_has_tokens_that_may_vanish() -> None:
    p = Parameters.of([1, 2, 3], [1, 1, 1], [0, 0, 1], [1, 0, 0])
    with Enclosure(80) as ring:
        assert Model(Layer("softmax", "post"), p).vanishing(ring) == ()
        found = dict(Model(Layer("softmax", "pre"), p).vanishing(ring))
        assert found[0, 0].contains(2)
        assert found[1, 0].is_zero() or found[1, 0].contains(0)
        assert found[0, 1].overlaps(ring.number(Fraction(2, 3)))
        rms = dict(Model(Layer("softmax", "pre", norm="rms"), p).vanishing(ring))
        assert rms[1, 0].contains(3)
        eased = dict(Model(Layer("softmax", "pre", epsilon="0.5"), p).vanishing(ring))
        assert eased[1, 0].contains(flint.arb("1.5"))


# --- what is refused --------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"attention": "tanh"},
        {"attention": None},
        {"placement": "both"},
        {"norm": "batch"},
        {"learned": "yes", "placement": "post"},
        {"residual": 2},
        {"learned": True},
        {"epsilon": -1},
        {"epsilon": "-1e-5"},
        {"epsilon": float("nan")},
        {"epsilon": "x"},
    ],
)
def test_layers_that_do_not_exist(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Layer(**options)


def test_epsilon_is_read_exactly() -> None:
    assert Layer(epsilon="1e-5").epsilon.value == Fraction(1, 10**5)
    assert Layer(epsilon=1e-5).epsilon.value == Fraction(1e-5)
    assert Layer().epsilon.value == 0


@pytest.mark.parametrize(
    "vectors",
    [
        ([1, 2], [1, 2], [1, 2], [1, 2]),
        ([1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3, 4]),
        ([1, 2, 3], [1, 2, 3], [], [1, 2, 3]),
        ([1, 2, "x"], [1, 2, 3], [1, 2, 3], [1, 2, 3]),
        ([1, 2, float("inf")], [1, 2, 3], [1, 2, 3], [1, 2, 3]),
    ],
)
def test_vectors_that_do_not_fit(vectors: tuple[Any, ...]) -> None:
    with pytest.raises(InputError):
        Parameters.of(*vectors)


def test_gain_and_bias_belong_to_a_learned_norm() -> None:
    bare = Parameters.of(*[[1, 2, 3]] * 4)
    learned = Parameters.of(*[[1, 2, 3]] * 6)
    with pytest.raises(InputError, match="gain"):
        Model(Layer("softmax", "post", learned=True), bare)
    with pytest.raises(InputError, match="gain"):
        Model(Layer("softmax", "post"), learned)
    with pytest.raises(InputError, match="bias"):
        Model(Layer("softmax", "post", learned=True), replace(learned, bias=None))
    with pytest.raises(InputError, match="dimension"):
        replace(learned, bias=Vector.of([1, 2, 3, 4]))


def test_the_names_of_the_vectors() -> None:
    bare = Parameters.of(*[[1, 2, 3]] * 4)
    assert list(bare.vectors()) == ["boundary", "space", "letter", "readout"]
    assert bare.dim == 3
    assert list(Parameters.of(*[[1, 2, 3]] * 6).vectors())[4:] == ["gain", "bias"]


def test_given_curves_take_closed_forms() -> None:
    source = GivenCurve(LinearFractional((sqrt(2), "1/3", 0.5), (1, exp(1), 0)))
    with Enclosure(80) as ring:
        curve = source.curve(ring)
        assert isinstance(curve, LinearFractional)
        assert curve.numerator[1].overlaps(ring.number(Fraction(1, 3)))
        assert curve.denominator[1].overlaps(ring.exp(ring.number(Fraction(1))))
        assert source.vanishing(ring) == ()
    with pytest.raises(InputError):
        GivenCurve(LinearFractional(("x", 0, 0), (1, 0, 0))).curve(Floating())
