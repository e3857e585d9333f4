"""Worst errors at 1/2, and 10^-40 to either side of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from countbounds import (
    AffineOverRoot,
    GivenCurve,
    Layer,
    LinearFractional,
    Model,
    Parameters,
    Vector,
    worst_error,
)
from countbounds.decimals import Bracket
from countbounds.domain.decide import CurveSource
from countbounds.expressions import exp, log, rational, sqrt

HALF = Fraction(1, 2)
TINY = Fraction(1, 10**40)

Question = tuple[CurveSource, int, tuple[int, int]]
"""A source, a length, and the input with the worst error, which is 1/2 + gap."""


def linear(gap: Fraction) -> Question:
    """y = n + 1/2 + gap, the letter's score being 0."""
    w = (HALF + gap) / 4
    p = Parameters.of([2, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [w, 1 - w, 5, 0])
    return Model(Layer("linear"), p), 10**18, (0, 0)


def linear_root_three(gap: Fraction) -> Question:
    """The same for d = 3: scores in Q(sqrt 3), and a read-out that undoes them."""
    w = sqrt(3) * (HALF + gap) / 8
    p = Parameters.of([2, 0, 0], [2, 1, 0], [0, 1, 1], [w, sqrt(3) / 4 - 2 * w, -7])
    return Model(Layer("linear"), p), 10**18, (0, 0)


def linear_falling_short(gap: Fraction) -> Question:
    """y = n (1 - (1/2 + gap)/L): the error grows to the end."""
    length = 10**15
    slope = 1 - (HALF + gap) / length
    p = Parameters.of([2, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, slope, 0, 0])
    return Model(Layer("linear"), p), length, (length, 0)


def softmax_equal_scores(gap: Fraction) -> Question:
    """a = delta = 1 and y = (alpha + 3 n)/(1 + n + m) with alpha = -1/2 - gap."""
    p = Parameters.of([1, 0, 0], [1, 1, 0], [1, 0, 1], [-HALF - gap, 3 + HALF + gap, HALF + gap])
    return Model(Layer("softmax"), p), 2, (0, 0)


def softmax_letter_at_fault(gap: Fraction) -> Question:
    """a = delta = 1 and y = (2 n - (1 + 2 gap) m)/(1 + n + m): the worst input has a letter."""
    p = Parameters.of([1, 0, 0], [1, 1, 0], [1, 0, 1], [0, 2, -1 - 2 * gap])
    return Model(Layer("softmax"), p), 1, (0, 1)


def softmax_quadratic(gap: Fraction) -> Question:
    """As `softmax_equal_scores`, over Q(sqrt 2, sqrt 3): a = 1 for irrational embeddings."""
    alpha = -HALF - gap
    r, t = sqrt(2), sqrt(3)
    letter = [r, 0, t]
    readout = [alpha / r, (3 - alpha) / t, -alpha / t]
    p = Parameters.of([r, 0, 0], [r, t, 0], letter, readout)
    return Model(Layer("softmax"), p), 2, (0, 0)


def softmax_transcendental(gap: Fraction) -> Question:
    """a = e^4, but at (0, 0) there is only the boundary token and a cancels."""
    p = Parameters.of(
        [2, 2, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, (-HALF - gap) / 2, Fraction(646, 10), 0]
    )
    return Model(Layer("softmax"), p), 10, (0, 0)


def softmax_weights_cancel(gap: Fraction) -> Question:
    """y(1, 0) = (1 + a)(1/2 - gap)/(1 + a) with a = e^4 in both the weights and the read-out."""
    p = Parameters.of([2, 2, 0, 0], [0, 0, 1, 0], [0] * 4, [0, 0, (1 + exp(4)) * (HALF - gap), 0])
    return Model(Layer("softmax"), p), 1, (1, 0)


def _post(
    along: int, across: object, readout: object, shift: object = 0, letter: object = 0
) -> Model:
    """Post-LN for d = 4 with N(n, m) = (along n, across + letter m) and a = delta = 1.

    On the orthogonal axes (1, -1, 0, 0) and (0, 0, 1, -1), y is
    shift + 4 readout along n / sqrt(2 (along^2 n^2 + (across + letter m)^2)).
    """
    y, z = rational(0) + across, rational(0) + letter  # type: ignore[operator]
    mean = (y * y + 2) / 2  # a = 1: <x_#, x_#> = <x_#, x_s>
    other = mean - y * z / 2
    p = Parameters.of(
        [1, 1, 1 + y, 1 - y],
        [mean + along, mean - along, mean, mean],
        [other, other, other + z, other - z],
        [readout, -1 * rational(0) - readout, 0, 0],  # type: ignore[operator]
        readout_bias=shift,
    )
    return Model(Layer("softmax", "post"), p)


def post_rational(length: int, ratio: int, root: int) -> Callable[[Fraction], Question]:
    """Rational parameters whose last output is rational: 1 + ratio^2 = 2 root^2."""

    def question(gap: Fraction) -> Question:
        readout = (length - HALF - gap) * Fraction(root, 2)
        return _post(1, ratio * length, readout), length, (length, 0)

    return question


def post_quadratic(gap: Fraction) -> Question:
    """Entries in Q(sqrt 2); 20^2 + 99^2 = 101^2."""
    readout = (20 - HALF - gap) * Fraction(101, 40) / sqrt(2)
    return _post(1, 99, readout), 20, (20, 0)


def post_quadratic_embedding(gap: Fraction) -> Question:
    """An embedding with entries in Q(sqrt 7): 1 + (5 sqrt 7)^2 = 176."""
    length = 13
    readout = (length - HALF - gap) * sqrt(22)
    return _post(1, 5 * length * sqrt(7), readout), length, (length, 0)


def post_transcendental(gap: Fraction) -> Question:
    """a = e^3.75, but N(0, m) is a multiple of x_#: y(0, m) is the read-out bias."""
    p = Parameters.of(
        [HALF, HALF, 2, -1],
        [0, -2, -1, -1],
        [0, 0, 0, 0],
        [Fraction(111, 5), Fraction(-111, 5), 0, 0],
        readout_bias=HALF + gap,
    )
    return Model(Layer("softmax", "post"), p), 5, (0, 0)


def post_learned(gap: Fraction) -> Question:
    """Learned post-LN: the gain gives the read-out its size, the bias is orthogonal to it."""
    bare = _post(1, 7 * 49, 1).parameters
    scale = (49 - HALF - gap) * Fraction(5, 2)
    p = replace(bare, gain=Vector.of([scale] * 4), bias=Vector.of([3] * 4))
    return Model(Layer("softmax", "post", learned=True), p), 49, (49, 0)


def post_rms(gap: Fraction) -> Question:
    """RMS after linear attention: N(3, 0) is a multiple of (5, 12)."""
    readout = (3 - HALF - gap) * Fraction(13, 10)
    p = Parameters.of(
        [0, 4, 0, 0], [Fraction(335, 72), HALF, 0, 0], [0, 0, 0, 0], [readout, 0, 0, 0]
    )
    return Model(Layer("linear", "post", norm="rms"), p), 3, (3, 0)


def pre_linear(gap: Fraction) -> Question:
    """Pre-LN, linear attention: y = n + 1/2 + gap, over Q(sqrt 2)."""
    p = (HALF + gap) / sqrt(8)
    parameters = Parameters.of(
        [1, -1, 0, 0], [1, -1, 1, -1], [0, 0, 5, -5], [p, 0, 1 / sqrt(2) - p, 0]
    )
    return Model(Layer("linear", "pre"), parameters), 10**9, (0, 0)


def pre_nested(gap: Fraction) -> Question:
    """Pre-LN over Q(sqrt 2): lengths are roots of 6 + 2 sqrt(2) and the like."""
    r = sqrt(2)
    boundary = [1 + r, rational(-1), -r]
    size = (HALF + gap) / (3 * sqrt(6 + 2 * r))
    p = Parameters.of(
        boundary, [1, 0, -1], [r - 1, -1 - 2 * r, 2 + r], [size * x for x in boundary]
    )
    return Model(Layer("linear", "pre"), p), 1, (0, 0)


def pre_softmax_learned(gap: Fraction) -> Question:
    """Learned pre-LN whose bias makes a = 1; the letter's weight is e^-2."""
    alpha = -HALF - gap
    parameters = Parameters.of(
        [3, -3, 3, -3],
        [1, 1, -1, -1],
        [-1, 1, -1, 1],
        [alpha, (3 - alpha) / 2, 0, 0],
        gain=[1, 1, 1, 1],
        bias=[0, 1, -1, 0],
    )
    return Model(Layer("softmax", "pre", learned=True), parameters), 2, (0, 0)


def given_linear_fractional(gap: Fraction) -> Question:
    curve = LinearFractional((-HALF - gap, 3, 0), (1, 1, 1))
    return GivenCurve(curve), 2, (0, 0)


def given_affine_over_root(gap: Fraction) -> Question:
    """y(3, 0) by the triple (3, 4, 5); letters shrink y."""
    curve = AffineOverRoot(0, (0, (3 - HALF - gap) * 5 / 3, 0), (16, 0, 1, 0, 0, 9))
    return GivenCurve(curve), 3, (3, 0)


def interior(root: int, length: int) -> Callable[[Fraction], Question]:
    """y is largest on the line m = n/4, and y - n is largest at n0 = (root^2 - 1)/2.

    With c^2 = 2 n0^3, y(n0, n0/4) = kappa n0 / sqrt(n0^2 + c^2) = kappa / root, and the
    error is stationary there when it is 1/2.
    """

    def question(gap: Fraction) -> Question:
        n0 = (root * root - 1) // 2
        kappa = (n0 + HALF + gap) * root
        gram = (2 * n0**3, 0, 1 + Fraction(1, 16), 0, Fraction(-1, 4), 1)
        return GivenCurve(AffineOverRoot(0, (0, kappa, 0), gram)), length, (n0, n0 // 4)

    return question


QUESTIONS: dict[str, Callable[[Fraction], Question]] = {
    "linear": linear,
    "linear, sqrt 3": linear_root_three,
    "linear, falling short": linear_falling_short,
    "softmax, equal scores": softmax_equal_scores,
    "softmax, letter": softmax_letter_at_fault,
    "softmax, quadratic": softmax_quadratic,
    "softmax, e^4": softmax_transcendental,
    "softmax, e^4 cancels": softmax_weights_cancel,
    "post, L = 49": post_rational(49, 7, 5),
    "post, L = 1681": post_rational(1681, 41, 29),
    "post, L = 57121": post_rational(57121, 239, 169),
    "post, L = 1e17": post_rational(318_281_039**2, 318_281_039, 225_058_681),
    "post, sqrt 2": post_quadratic,
    "post, sqrt 7": post_quadratic_embedding,
    "post, e^4.5": post_transcendental,
    "post, learned": post_learned,
    "post, RMS": post_rms,
    "pre, linear": pre_linear,
    "pre, nested roots": pre_nested,
    "pre, softmax, learned": pre_softmax_learned,
    "given, linear-fractional": given_linear_fractional,
    "given, affine over root": given_affine_over_root,
    "interior, L = 40": interior(7, 40),
    "interior, L = 8e11": interior(10**6 + 1, 8 * 10**11),
    "interior, L = 9e17": interior(10**9 + 1, 9 * 10**17),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_just_below_counts(name: str) -> None:
    source, length, at = QUESTIONS[name](-TINY)
    report = worst_error(source, length)
    assert report.verdict == "counts"
    assert report.input == at
    _encloses(report.error, HALF - TINY)


@pytest.mark.parametrize("name", QUESTIONS)
def test_just_above_fails(name: str) -> None:
    source, length, at = QUESTIONS[name](TINY)
    report = worst_error(source, length)
    assert report.verdict == "fails"
    assert report.input == at
    _encloses(report.error, HALF + TINY)


@pytest.mark.parametrize("name", QUESTIONS)
def test_exactly_one_half_fails(name: str) -> None:
    source, length, at = QUESTIONS[name](Fraction(0))
    report = worst_error(source, length)
    assert report.verdict == "fails"
    assert report.input == at
    assert report.error == Bracket.exactly(HALF)


def _encloses(bracket: Bracket, error: Fraction) -> None:
    assert bracket.lower is not None
    assert bracket.upper is not None
    assert bracket.lower <= error <= bracket.upper
    assert (bracket.lower > HALF) == (error > HALF)
    assert (bracket.upper < HALF) == (error < HALF)


# --- ties and exact zeros ---------------------------------------------------------------


def test_a_tie_of_all_inputs_names_the_first() -> None:
    p = Parameters.of([2, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], ["1/12", "11/12", 3, 0])
    report = worst_error(Model(Layer("linear"), p), 10**18)
    assert (report.verdict, report.input) == ("counts", (0, 0))
    assert report.error == Bracket.exactly(Fraction(1, 3))


def test_a_tie_of_opposite_signs_names_the_first() -> None:
    # y(0, 0) = -1/4, y(1, 0) = 5/4, y(0, 1) = 0.
    curve = LinearFractional((Fraction(-1, 4), Fraction(11, 4), Fraction(1, 4)), (1, 1, 1))
    report = worst_error(GivenCurve(curve), 1)
    assert (report.verdict, report.input) == ("counts", (0, 0))
    assert report.error == Bracket.exactly(Fraction(1, 4))


def test_a_tie_with_transcendental_weights() -> None:
    # y = 1/2 whatever the weights are: (0, 0), (1, 0) and (0, 1) are all off by 1/2.
    p = Parameters.of([1, 0, 0], [1, 2, 3], [1, 5, 7], ["1/2", 0, 0])
    report = worst_error(Model(Layer("softmax"), p), 1)
    assert (report.verdict, report.input) == ("fails", (0, 0))
    assert report.error == Bracket.exactly(HALF)


def test_a_tie_in_the_number_of_letters_names_the_least() -> None:
    # y = 0 for all n: the worst n is L, where m = 0; with L/2 added, n = 0 ties with n = L.
    p = Parameters.of([1, 2, 3], [3, 1, 1], [0, 2, 1], [0, 0, 0], readout_bias=6)
    report = worst_error(Model(Layer("softmax", "post"), p), 12)
    assert (report.verdict, report.input) == ("fails", (0, 0))


def test_a_tie_where_the_output_jumps() -> None:
    # y = 9 + A/|A| with A = 2 m - 7: the outputs are 7 up to m = 3, and 11 from m = 4 on.
    curve = AffineOverRoot(9, (-14, 0, 4), (49, 0, 0, -14, 0, 4))
    report = worst_error(GivenCurve(curve), 10)
    assert (report.verdict, report.input) == ("fails", (0, 4))
    _encloses(report.error, Fraction(11))


def test_the_best_curve_of_length_12_ties_four_times() -> None:
    # y = 6 + kappa (n - 6)/sqrt(p + (n - 6)^2) is off by 1/2 at n = 0, 3, 9 and 12.
    kappa, p = Fraction(77, 10), Fraction(3456, 100)
    curve = AffineOverRoot(6, (-6 * kappa, kappa, 0), (36 + p, -6, 1, 0, 0, 0))
    report = worst_error(GivenCurve(curve), 12)
    assert (report.verdict, report.input) == ("fails", (0, 0))
    assert report.error == Bracket.exactly(HALF)


@pytest.mark.parametrize("length", [1, 2, 10**18])
def test_linear_attention_counts_exactly(length: int) -> None:
    p = Parameters.of([2, 0, 0], [2, 1, 0], [0, 1, 1], [0, sqrt(3) / 4, 7])
    report = worst_error(Model(Layer("linear"), p), length)
    assert (report.verdict, report.input) == ("counts", (0, 0))
    assert report.error == Bracket.exactly(0)


def test_softmax_counts_exactly_to_one() -> None:
    p = Parameters.of([2, 2, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1 + exp(4), 0])
    report = worst_error(Model(Layer("softmax"), p), 1)
    assert (report.verdict, report.input) == ("counts", (0, 0))
    assert report.error == Bracket.exactly(0)


def test_a_symmetric_arc_counts_exactly_to_two() -> None:
    curve = AffineOverRoot(
        1, (Fraction(-5, 4), Fraction(5, 4), 0), (Fraction(25, 16), -1, 1, 0, 0, 0)
    )
    report = worst_error(GivenCurve(curve), 2)
    assert (report.verdict, report.input) == ("counts", (0, 0))
    assert report.error == Bracket.exactly(0)


@pytest.mark.parametrize("digits", [40, 300, 3000])
def test_an_error_beside_an_exact_zero_is_not_lost(digits: int) -> None:
    tiny = Fraction(1, 10**digits)
    curve = LinearFractional((0, 2 + 2 * tiny, 0), (1, 1, 2))
    report = worst_error(GivenCurve(curve), 1)
    assert report.verdict == "counts"
    assert report.error.lower is not None
    assert report.error.upper is not None
    assert report.error.lower <= tiny <= report.error.upper


@pytest.mark.parametrize("digits", [40, 300, 1000])
def test_an_error_beside_an_exact_half_is_not_lost(digits: int) -> None:
    tiny = Fraction(1, 10**digits)
    curve = AffineOverRoot(HALF, (0, 2 + 2 * tiny, 0), (1, 0, 3, 0, 0, 0))
    report = worst_error(GivenCurve(curve), 1)
    assert report.verdict == "fails"
    assert report.error.lower is not None
    assert report.error.upper is not None
    assert report.error.lower <= HALF + tiny <= report.error.upper


@pytest.mark.parametrize("power", range(385, 401))
def test_a_denominator_lost_in_rounding(power: int) -> None:
    """The denominator at (1, 0) is tiny beside its terms: y(1, 0) = 2/5 all the same."""
    size, tiny = Fraction(31, 20), Fraction(159, 50 * 2**power)
    curve = LinearFractional((0, Fraction(2, 5) * tiny, 0), (size, tiny - size, 0))
    report = worst_error(GivenCurve(curve), 1)
    assert (report.verdict, report.input) == ("fails", (1, 0))
    assert report.error == Bracket.exactly(Fraction(3, 5))


def test_a_half_behind_logarithms_is_undecided() -> None:
    half = log(4) / log(2) / 4
    p = Parameters.of([2, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [half / 4, 1 - half / 4, 0, 0])
    report = worst_error(Model(Layer("linear"), p), 9, precision=500)
    assert report.verdict == "undecided"
    assert report.error.lower is not None
    assert report.error.lower <= HALF
    assert report.error.upper is None or report.error.upper >= HALF


@pytest.mark.parametrize(("gap", "verdict"), [(TINY, "fails"), (-TINY, "counts")])
def test_a_half_behind_logarithms_is_decided_beside_it(gap: Fraction, verdict: str) -> None:
    half = log(4) / log(2) / 4 + gap
    p = Parameters.of([2, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [half / 4, 1 - half / 4, 0, 0])
    report = worst_error(Model(Layer("linear"), p), 10**6)
    assert report.verdict == verdict
