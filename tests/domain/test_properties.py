"""What must hold between one full-domain check and another."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds import (
    AffineOverRoot,
    GivenCurve,
    Layer,
    LinearFractional,
    Model,
    Parameters,
    WorstError,
    worst_error,
)
from countbounds.decimals import Bracket
from countbounds.domain import LONGEST
from countbounds.domain.lattice import least_solution
from countbounds.errors import InputError
from countbounds.exact import Exact
from tests.cases import KINDS, Kind, draw, levelled, model_of
from tests.exhaustive import Raw

HALF = Fraction(1, 2)
kinds = st.sampled_from(KINDS)
seeds = st.integers(0, 10**9)


def generated(kind: Kind, seed: int, length: int) -> Raw:
    return draw(Random(f"{kind} {seed}"), kind, length).raw


def same(left: WorstError, right: WorstError) -> None:
    """Two reports on the same outputs: enclosures may differ, what they enclose may not."""
    assert left.verdict == right.verdict
    assert left.input == right.input
    if left.error.lower is None or right.error.lower is None:
        assert left.error == right.error
        return
    assert left.error.upper is not None
    assert right.error.upper is not None
    assert left.error.lower <= right.error.upper
    assert right.error.lower <= left.error.upper


def at_most(left: Bracket, right: Bracket) -> bool:
    """Whether the brackets allow the left number to be at most the right one."""
    if left.lower is None:
        return right.upper is None
    return right.upper is None or left.lower <= right.upper


# --- invariances ------------------------------------------------------------------------


@given(kinds, seeds, st.integers(1, 12), st.randoms(use_true_random=False))
def test_the_order_of_the_coordinates_does_not_matter(
    kind: Kind, seed: int, length: int, rng: Random
) -> None:
    raw = generated(kind, seed, length)
    order = list(range(len(raw.boundary)))
    rng.shuffle(order)

    def permuted(entries: Any) -> Any:
        return None if entries is None else [entries[i] for i in order]

    names = ("boundary", "space", "letter", "readout", "gain", "bias")
    other = replace(raw, **{name: permuted(getattr(raw, name)) for name in names})
    same(worst_error(model_of(raw), length), worst_error(model_of(other), length))


@given(kinds, seeds, st.integers(1, 12))
def test_opposite_vectors_give_the_same_outputs(kind: Kind, seed: int, length: int) -> None:
    raw = generated(kind, seed, length)

    def negated(entries: Any) -> Any:
        return None if entries is None else [-x for x in entries]

    names = ("boundary", "space", "letter", "readout", "bias")
    other = replace(raw, **{name: negated(getattr(raw, name)) for name in names})
    same(worst_error(model_of(raw), length), worst_error(model_of(other), length))


vectors = st.lists(st.integers(-3, 3).map(Fraction), min_size=4, max_size=4)


@given(
    st.lists(vectors, min_size=4, max_size=4),
    st.fractions(Fraction(1, 50), 50),
    st.integers(1, 12),
)
def test_post_ln_does_not_see_a_common_scale(
    vectors: list[list[Fraction]], factor: Fraction, length: int
) -> None:
    *embeddings, readout = vectors
    reports = []
    for scale in (Fraction(1), factor):
        scaled = levelled(*([scale * x for x in vector] for vector in embeddings))
        model = Model(Layer("softmax", "post"), Parameters.of(*scaled, readout))
        reports.append(worst_error(model, length))
    same(*reports)


@given(
    st.sampled_from([kind for kind in KINDS if kind[:2] == ("linear", "none") and not kind[5]]),
    seeds,
    st.integers(1, 12),
)
def test_a_linear_layer_is_cubic_in_its_embeddings(kind: Kind, seed: int, length: int) -> None:
    raw = generated(kind, seed, length)
    other = replace(
        raw,
        boundary=[2 * x for x in raw.boundary],
        space=[2 * x for x in raw.space],
        letter=[2 * x for x in raw.letter],
        readout=[x / 8 for x in raw.readout],
    )
    same(worst_error(model_of(raw), length), worst_error(model_of(other), length))


@given(kinds.filter(lambda kind: kind[2]), seeds, st.integers(1, 12))
def test_a_plain_gain_and_bias_change_nothing(kind: Kind, seed: int, length: int) -> None:
    raw = generated(kind, seed, length)
    d = len(raw.boundary)
    trivial = replace(raw, gain=[Fraction(1)] * d, bias=[Fraction(0)] * d)
    bare = replace(raw, gain=None, bias=None)
    same(worst_error(model_of(trivial), length), worst_error(model_of(bare), length))


@given(kinds, seeds, st.integers(1, 12), st.fractions(-3, 3))
def test_a_read_out_bias_shifts_every_output(
    kind: Kind, seed: int, length: int, shift: Fraction
) -> None:
    raw = replace(generated(kind, seed, length), readout_bias=shift)
    bare = worst_error(model_of(replace(raw, readout_bias=Fraction(0))), length)
    report = worst_error(model_of(raw), length)
    for one, other in ((bare, report), (report, bare)):
        if one.error.lower is not None and other.error.upper is not None:
            assert one.error.lower - abs(shift) <= other.error.upper


# --- more letters, longer inputs --------------------------------------------------------


@given(
    st.sampled_from([kind for kind in KINDS if kind[0] == "linear" and kind[1] != "pre"]),
    seeds,
    st.integers(1, 20),
)
def test_linear_attention_does_not_see_a_letter_without_a_score(
    kind: Kind, seed: int, length: int
) -> None:
    raw = generated(kind, seed, length)
    zero = [Fraction(0)] * len(raw.boundary)
    report = worst_error(model_of(replace(raw, letter=zero)), length)
    assert report.input is not None
    assert report.input[1] == 0
    b = raw.boundary
    silent = [b[1], -b[0], *zero[2:]]
    same(report, worst_error(model_of(replace(raw, letter=silent)), length))


@given(kinds, seeds, st.lists(st.integers(1, 400), min_size=2, max_size=4, unique=True))
def test_a_longer_domain_is_never_better(kind: Kind, seed: int, lengths: list[int]) -> None:
    raw = generated(kind, seed, max(lengths) // 4 + 1)
    reports = [worst_error(model_of(raw), length) for length in sorted(lengths)]
    for shorter, longer in pairwise(reports):
        assert at_most(shorter.error, longer.error)
        if longer.verdict == "counts":
            assert shorter.verdict == "counts"
        if longer.input is not None and sum(longer.input) <= shorter.length:
            assert longer.input == shorter.input


@given(kinds, seeds, st.integers(2, 10**18))
def test_counting_to_a_length_is_counting_to_the_one_before(
    kind: Kind, seed: int, length: int
) -> None:
    raw = generated(kind, seed, 20)
    before, report = (worst_error(model_of(raw), n) for n in (length - 1, length))
    assert at_most(before.error, report.error)
    assert before.verdict == "counts" or report.verdict != "counts"


# --- curves given by their coefficients -------------------------------------------------

coefficients = st.fractions(-5, 5, max_denominator=3)
triples = st.tuples(coefficients, coefficients, coefficients)


def brute(p: Any, q: Any, length: int) -> tuple[Fraction | None, tuple[int, int]]:
    """The worst error of a linear-fractional curve and where, in fractions."""
    worst, at = Fraction(-1), (0, 0)
    for n in range(length + 1):
        for m in range(length - n + 1):
            bottom = q[0] + q[1] * n + q[2] * m
            if bottom == 0:
                return None, (n, m)
            error = abs(Fraction(p[0] + p[1] * n + p[2] * m) / bottom - n)
            if error > worst:
                worst, at = error, (n, m)
    return worst, at


def agrees_with_brute_force(p: Any, q: Any, length: int) -> None:
    report = worst_error(GivenCurve(LinearFractional(p, q)), length)
    error, at = brute(p, q, length)
    assert report.input == at
    if error is None:
        assert (report.verdict, report.error) == ("fails", Bracket(None, None))
    else:
        assert report.error == Bracket.exactly(error)
        assert report.verdict == ("counts" if error < HALF else "fails")


@given(triples, triples, st.integers(1, 15))
def test_linear_fractional_curves(p: Any, q: Any, length: int) -> None:
    agrees_with_brute_force(p, q, length)


@given(triples, st.fractions(-3, 3, max_denominator=4), st.integers(1, 15))
def test_constant_curves_with_poles(q: Any, factor: Fraction, length: int) -> None:
    agrees_with_brute_force(tuple(factor * x for x in q), q, length)


@given(st.integers(1, 15), st.fractions(-1, 1, max_denominator=20), triples, st.data())
def test_linear_fractional_curves_that_nearly_count(
    length: int, off: Fraction, letter: Any, data: st.DataObject
) -> None:
    a = Fraction((length - 1) ** 2 // 4) + data.draw(st.fractions(0, 3, max_denominator=5))
    p = (-a / 2 + off, a + length - HALF + off, letter[0])
    q = (a, Fraction(1), abs(letter[1]))
    agrees_with_brute_force(p, q, length)
    agrees_with_brute_force([-x for x in p], [-x for x in q], length)


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


def sign_of_root(p: Fraction, q: Fraction, square: Fraction) -> int:
    """The sign of p + q sqrt(square), in fractions."""
    if _sign(p) * _sign(q) >= 0:
        return _sign(p) or _sign(q) * (square > 0)
    return _sign(p) * _sign(p * p - q * q * square)


@given(
    st.lists(st.tuples(*[st.integers(-4, 4)] * 3), min_size=1, max_size=3),
    triples,
    st.fractions(-4, 6, max_denominator=4),
    st.integers(1, 10),
)
def test_affine_over_root_curves(
    rows: list[tuple[int, int, int]], top: Any, tau: Fraction, length: int
) -> None:
    def gram(i: int, j: int) -> int:
        return sum(row[i] * row[j] for row in rows)

    g = (gram(0, 0), gram(0, 1), gram(1, 1), gram(0, 2), gram(1, 2), gram(2, 2))
    report = worst_error(GivenCurve(AffineOverRoot(tau, top, g)), length)
    assert report.input is not None
    inputs = [(n, m) for n in range(length + 1) for m in range(length - n + 1)]
    values = {(n, m): sum((c + a * n + b * m) ** 2 for c, a, b in rows) for n, m in inputs}
    poles = [at for at, value in values.items() if value == 0]
    if poles:
        assert (report.verdict, report.error) == ("fails", Bracket(None, None))
        assert report.input == poles[0]
        return
    low, high = report.error.lower, report.error.upper
    assert low is not None
    assert high is not None
    assert high - low < Fraction(1, 10**15) * max(Fraction(1), high)
    for n, m in inputs:
        # |y - n| <= high everywhere, and low <= |y - n| at the input that is named.
        a, square = top[0] + top[1] * n + top[2] * m, Fraction(values[n, m])
        coefficient = a / square
        for sign in (1, -1):
            assert sign_of_root(sign * (tau - n) - high, sign * coefficient, square) <= 0
        reached = any(
            sign_of_root(sign * (tau - n) - low, sign * coefficient, square) >= 0
            for sign in (1, -1)
        )
        assert reached or (n, m) != report.input
    assert report.verdict == ("counts" if high < HALF else "fails")
    assert (high < HALF) != (low >= HALF)


# --- integer points where forms vanish --------------------------------------------------

small = st.integers(-6, 6)
surds = st.tuples(small, st.integers(-2, 2), st.integers(-1, 1))


def exact(number: tuple[int, int, int]) -> Exact:
    """p + q sqrt(8) + r e^sqrt(2), which is p + 2 q sqrt(2) + r e^sqrt(2)."""
    p, q, r = map(Exact.of, number)
    return p + q * Exact.of(8).sqrt() + r * Exact.of(2).sqrt().exp()


@given(st.lists(st.tuples(surds, surds, surds), min_size=1, max_size=2), st.integers(1, 12))
def test_the_least_common_zero_of_affine_forms(forms: list[Any], length: int) -> None:
    found = least_solution([[exact(c) for c in form] for form in forms], length)
    zeros = [
        (n, m)
        for n in range(length + 1)
        for m in range(length - n + 1)
        if all(c[i] + a[i] * n + b[i] * m == 0 for c, a, b in forms for i in range(3))
    ]
    assert found == (zeros[0] if zeros else None)


# --- calls ------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, -1, -(10**30)])
def test_a_length_below_one_is_refused(length: int) -> None:
    curve = GivenCurve(LinearFractional((0, 1, 0), (1, 0, 0)))
    with pytest.raises(InputError, match="length"):
        worst_error(curve, length)


def test_the_longest_length_and_beyond() -> None:
    curve = GivenCurve(LinearFractional((0, 1, 0), (1, 0, 0)))
    for length in (LONGEST, 10**100):
        report = worst_error(curve, length)
        assert report.error == Bracket.exactly(0)
        assert report.domain_size == (length + 1) * (length + 2) // 2


def test_a_precision_that_is_too_low_is_undecided() -> None:
    """Here every error is below 1/2, by about 10^-400 at the worst."""
    tiny = Fraction(1, 10**400)
    curve = AffineOverRoot(0, (1 - tiny, 2, 1), (4, 0, 4, 0, 0, 45))
    report = worst_error(GivenCurve(curve), 1, precision=128)
    assert report.verdict == "undecided"
    assert report.bits <= 128
    assert report.error.lower is not None
    assert report.error.lower <= HALF
    report = worst_error(GivenCurve(curve), 1)
    assert report.verdict == "counts"
