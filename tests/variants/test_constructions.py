"""Every construction keeps what its docstring promises."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final

import flint
import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from countbounds import CheckResult, Model, Parameters, Vector, check, length_cap, worst_error
from countbounds.checking import guarantees
from countbounds.compare import compare, enclose
from countbounds.expressions import Expr
from countbounds.polytope import least_value
from countbounds.rings import HighPrecision
from countbounds.variants import NAMES, all_variants, variant
from tests.tiers import by_tier
from tests.variants import strategies
from tests.variants.oracle import brute_force
from tests.variants.reference import REFERENCE, reference
from tests.variants.strategies import LARGEST_DIM, LONGEST, within_reach

HALF: Final = Fraction(1, 2)
TINY: Final = Fraction(1, 10**25)
AS_LONG_AS_THE_BOUND: Final[dict[str, tuple[str, ...]]] = {
    "linear": ("space", "readout"),
    "linear-pre-ln": (),
    "softmax": ("space", "readout"),
    "softmax-post-ln": ("readout",),
    "softmax-post-ln-learned": ("readout", "gain"),
    "softmax-pre-ln": (),
    "softmax-pre-ln-learned": ("readout",),
}
"""The vectors whose norm is B itself; for softmax, where the norms and not the scores bind."""

HALF_AS_LONG: Final[dict[str, tuple[str, ...]]] = {
    "linear-pre-ln": ("boundary", "space", "letter"),
    "softmax-pre-ln": ("boundary", "letter"),
    "softmax-pre-ln-learned": ("space",),
}
"""Embeddings that pre-LN scales away, of norm B/2, where exact numbers can tell."""


def square(vector: Vector) -> Any:
    return vector.dot(vector)


def built(result: CheckResult) -> Parameters:
    """The parameters that a check was about."""
    assert result.bound is not None
    return variant(result.variant).build(result.length, result.dim, result.bound)


def guaranteed(name: str, length: int, dim: int) -> CheckResult:
    """The check at the guaranteed bound; everything it has to promise holds."""
    result = check(name, length, dim)
    what = f"{name}, L = {length}, d = {dim}"
    assert result.verdict == "counts", what
    assert result.bound is not None
    assert guarantees(variant(name), length, dim, result.bound), what
    assert result.worst_error is not None
    assert result.worst_error.upper is not None
    assert result.worst_error.upper < HALF, what
    assert result.worst_input is not None
    n, m = result.worst_input
    assert min(n, m) >= 0
    assert n + m <= length
    return result


def check_norms(result: CheckResult) -> None:
    """Compare the squares of the norms with B^2, exactly."""
    assert result.bound is not None
    bound = result.bound
    vectors = built(result).vectors()
    for vector in vectors.values():
        assert compare(square(vector), bound * bound) <= 0
    full = AS_LONG_AS_THE_BOUND[result.variant]
    if result.variant == "softmax" and compare(square(vectors["space"]), bound * bound) < 0:
        full = ("boundary", "letter")
    for name in full:
        assert compare(square(vectors[name]), bound * bound) == 0, name
    for name in HALF_AS_LONG.get(result.variant, ()):
        assert compare(square(vectors[name]), bound * bound / 4) == 0, name
    if "pre-ln" in result.variant:
        for name in ("boundary", "space", "letter"):
            bracket = enclose(square(vectors[name]) / (bound * bound))
            assert bracket.lower is not None
            assert bracket.upper is not None
            assert bracket.lower <= Fraction(1, 4) <= bracket.upper < Fraction(1, 4) + TINY
    if result.variant == "linear-pre-ln":
        assert compare(square(vectors["readout"]), Fraction(4, result.dim**2)) == 0
    assert result.max_norm is not None
    if full:
        assert result.max_norm.is_exact
        assert result.max_norm.upper == bound


GRID: Final = [
    (name, length, dim)
    for name in NAMES
    for length in (1, 2, 3, 4, 5, 6, 9, 10, 100, 1001, 10**6, 10**12 + 1, LONGEST)
    for dim in (3, 4, 5, 16, 1000, LARGEST_DIM)
    if within_reach(name, length, dim) == length
]


@pytest.mark.parametrize("name", NAMES)
def test_it_counts_at_the_guaranteed_bound(name: str) -> None:
    cells = [(length, dim) for found, length, dim in GRID if found == name]
    assert len(cells) > 30
    for length, dim in cells:
        check_norms(guaranteed(name, length, dim))


@given(strategies.names, strategies.lengths, strategies.dims)
def test_it_counts_at_the_guaranteed_bound_anywhere(name: str, length: int, dim: int) -> None:
    check_norms(guaranteed(name, within_reach(name, length, dim), dim))


@pytest.mark.slow
@given(strategies.names, strategies.lengths, strategies.dims)
def test_it_counts_at_the_guaranteed_bound_anywhere_and_often(
    name: str, length: int, dim: int
) -> None:
    check_norms(guaranteed(name, within_reach(name, length, dim), dim))


@pytest.mark.slow
@pytest.mark.parametrize("dim", [3, 4, 5, 16, 64])
@pytest.mark.parametrize("name", NAMES)
def test_it_counts_at_the_guaranteed_bound_for_every_short_length(name: str, dim: int) -> None:
    for length in range(1, within_reach(name, by_tier(600, sample=60), dim) + 1):
        check_norms(guaranteed(name, length, dim))


@given(strategies.dims, st.integers(0, 40))
def test_bare_pre_ln_counts_right_up_to_the_cap(dim: int, below: int) -> None:
    guaranteed("softmax-pre-ln", min(LONGEST, max(1, length_cap(dim) - below)), dim)


# --- against every input --------------------------------------------------------------


def agrees(name: str, length: int, dim: int, bound: Fraction) -> bool:
    """Compare a check with the oracle; says whether the construction counts."""
    layer, parameters = variant(name).layer, variant(name).build(length, dim, bound)
    report = worst_error(Model(layer, parameters), length)
    outcome = brute_force(layer, parameters, length)
    what = f"{name}, L = {length}, d = {dim}, B = {bound}"
    assert report.verdict == ("counts" if outcome.counts else "fails"), what
    # Where no parameters at all would do, a check may say that instead.
    verdicts = ("counts",) if outcome.counts else ("fails", "impossible")
    assert check(name, length, dim, bound).verdict in verdicts, what
    assert report.input is not None
    low, high = report.error.lower, report.error.upper
    assert low is not None
    assert high is not None
    with flint.ctx.workprec(600):
        least, most = outcome.largest
        at = outcome.errors[report.input]
        assert _ball(low) <= most, what
        assert least <= _ball(high), what
        assert at.upper() >= _ball(low), what
    return outcome.counts


def _ball(value: Fraction) -> Any:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


@pytest.mark.parametrize("name", NAMES)
def test_every_input_agrees(name: str) -> None:
    verdicts = set()
    for length, dim in ((1, 3), (2, 5), (3, 4), (4, 3), (7, 16), (12, 4), (30, 6)):
        at = within_reach(name, length, dim)
        bound = check(name, at, dim).bound
        assert bound is not None
        for share in ("1", "0.999", "0.9", "0.7", "0.45", "0.1", "3"):
            verdicts.add(agrees(name, at, dim, bound * Fraction(share)))
    assert verdicts == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_input_agrees_for_every_short_length(name: str) -> None:
    for dim in (3, 4, 9):
        for length in range(1, within_reach(name, by_tier(31, sample=12), dim)):
            bound = check(name, length, dim).bound
            assert bound is not None
            for percent in (100, 99, 80, 60, 40, 20):
                agrees(name, length, dim, bound * percent / 100)


@given(
    strategies.names,
    st.integers(1, 9),
    st.integers(3, 6),
    st.builds(Fraction, st.integers(1, 400), st.integers(1, 40)),
)
def test_every_input_agrees_at_any_bound(name: str, length: int, dim: int, bound: Fraction) -> None:
    agrees(name, length, dim, bound)


def check_samples(name: str, length: int, dim: int, share: Fraction, samples: list[int]) -> None:
    """No input that is looked at is worse than the worst, in 250 digits."""
    length = within_reach(name, length, dim)
    guaranteed_bound = check(name, length, dim).bound
    assert guaranteed_bound is not None
    parameters = variant(name).build(length, dim, guaranteed_bound * share)
    model = Model(variant(name).layer, parameters)
    report = worst_error(model, length)
    assert report.verdict in ("counts", "fails")
    assert report.input is not None
    low, high = report.error.lower, report.error.upper
    assert low is not None
    assert high is not None
    ring = HighPrecision(250)

    def error(n: int, m: int) -> Any:
        return abs(model.forward(n, m, ring) - n)

    tiny = mpmath.mpf(10) ** -70
    at, beside = report.input
    assert abs(error(at, beside) - ring.number(low)) <= ring.number(high - low) + tiny
    steps = (0, 1, 2, 3, *samples, at - 1, at, at + 1, length - 1, length)
    for n in {min(max(step, 0), length) for step in steps}:
        for m in {0, 1, (length - n) // 2, length - n}:
            if n + m <= length:
                assert error(n, m) <= ring.number(high) + tiny, (n, m)


@given(
    strategies.names,
    strategies.lengths,
    strategies.dims,
    st.fractions(min_value=Fraction(1, 4), max_value=2, max_denominator=1000),
    st.lists(strategies.lengths, max_size=8),
)
def test_no_sampled_input_is_worse(
    name: str, length: int, dim: int, share: Fraction, samples: list[int]
) -> None:
    check_samples(name, length, dim, share, samples)


@pytest.mark.slow
@settings(max_examples=by_tier(300, sample=20))
@given(
    strategies.names,
    strategies.lengths,
    strategies.dims,
    st.fractions(min_value=Fraction(1, 10), max_value=100, max_denominator=10**6),
    st.lists(strategies.lengths, max_size=30),
)
def test_no_sampled_input_is_worse_of_many(
    name: str, length: int, dim: int, share: Fraction, samples: list[int]
) -> None:
    check_samples(name, length, dim, share, samples)


# --- shorter lengths ------------------------------------------------------------------


@given(strategies.names, st.integers(2, 10**9), strategies.dims, st.data())
def test_a_shorter_length_is_no_harder(
    name: str, length: int, dim: int, data: st.DataObject
) -> None:
    length = within_reach(name, length, dim)
    result = guaranteed(name, length, dim)
    shorter = data.draw(st.sampled_from((length - 1, length // 2, 1)))
    model = Model(variant(name).layer, built(result))
    report = worst_error(model, max(shorter, 1))
    assert report.verdict == "counts"
    assert report.error.lower is not None
    assert result.worst_error is not None
    assert result.worst_error.upper is not None
    assert report.error.lower <= result.worst_error.upper


@pytest.mark.parametrize("name", NAMES)
def test_a_longer_length_asks_for_no_smaller_bound(name: str) -> None:
    chosen = variant(name)
    for dim in (3, 4, 16, 64):
        lengths = range(1, within_reach(name, 40, dim) + 1)
        for shorter, longer in pairwise(chosen.guaranteed_bound(at, dim) for at in lengths):
            if repr(shorter) != repr(longer):
                assert compare(longer, shorter) > 0


@pytest.mark.parametrize("name", ["linear", "linear-pre-ln", "softmax"])
def test_where_it_is_said_the_vectors_do_not_depend_on_the_length(name: str) -> None:
    chosen = variant(name)
    for bound in (Fraction(1, 3), Fraction(9, 4), Fraction(700)):
        vectors = [chosen.build(length, 16, bound).vectors() for length in (1, 50, LONGEST)]
        assert repr(vectors[0]) == repr(vectors[1]) == repr(vectors[2])


@given(strategies.names, strategies.lengths, strategies.dims, strategies.fractions)
def test_no_vector_is_longer_than_any_bound(
    name: str, length: int, dim: int, bound: Fraction
) -> None:
    parameters = variant(name).build(within_reach(name, length, dim), dim, bound)
    for vector in parameters.vectors().values():
        assert compare(square(vector), bound * bound) <= 0


# --- against the infimum --------------------------------------------------------------

LARGEST_RATIO: Final[dict[str, Callable[[int, int], float]]] = {
    "linear": lambda length, dim: 2**0.125 * (1 - 1 / length) ** -0.375,
    # Norm-limited ((2 - sqrt 2) L + 1/sqrt 2)/sqrt(A*), largest at L = 4; score-limited more.
    "softmax": lambda length, dim: 1.5739 if dim == 64 and length < 8 else 1.3007,
    "softmax-post-ln": lambda length, dim: 32**0.5,
    "softmax-post-ln-learned": lambda length, dim: (64 * (dim - 1) / dim) ** 0.25,
    "softmax-pre-ln": lambda length, dim: 1.4528 if dim == 3 else 1.1512,
}


def test_the_reference_covers_what_is_compared_with_it() -> None:
    assert {entry["variant"] for entry in REFERENCE} == set(LARGEST_RATIO)
    assert all(len(reference(name)) >= 27 for name in LARGEST_RATIO)


@pytest.mark.parametrize("name", LARGEST_RATIO)
def test_no_construction_beats_the_infimum_nor_asks_for_much_more(name: str) -> None:
    rounding = Fraction(1, 10**13)  # the reference has 15 digits
    for length, dim, b_min in reference(name):
        formula = variant(name).guaranteed_bound(length, dim)
        assert compare(formula, b_min * (1 - rounding)) >= 0, (length, dim)
        most = b_min * Fraction(LARGEST_RATIO[name](length, dim)) * (1 + rounding)
        assert compare(formula, most) <= 0, (length, dim)


@pytest.mark.parametrize("name", LARGEST_RATIO)
def test_no_construction_counts_below_the_infimum(name: str) -> None:
    for length, dim, b_min in reference(name):
        if length <= 1000:
            below = b_min * Fraction(999_999, 1_000_000)
            assert check(name, length, dim, below).verdict in ("fails", "impossible")


def test_lengths_beyond_the_cap_have_no_reference_value() -> None:
    infinite = {(entry["length"], entry["dim"]) for entry in REFERENCE if entry["b_min"] is None}
    assert infinite
    assert all(length > length_cap(dim) for length, dim in infinite)


def limit_of_the_ratio(name: str, dim: int) -> Fraction:
    """The construction's bound over the reference value at L = 10^9."""
    ((length, b_min),) = [
        (length, b_min) for length, d, b_min in reference(name) if d == dim and length == 10**9
    ]
    upper = enclose(variant(name).guaranteed_bound(length, dim)).upper
    assert upper is not None
    return upper / b_min


@pytest.mark.parametrize("dim", [3, 16, 64])
@pytest.mark.parametrize(
    ("name", "fourth_power"),
    [
        ("linear", lambda dim: 2**0.5),
        ("softmax", lambda dim: (2 * (2 - 2**0.5)) ** 4),
        ("softmax-post-ln", lambda dim: 1024),
        ("softmax-post-ln-learned", lambda dim: 64 * (dim - 1) / dim),
    ],
)
def test_the_slack_of_long_lengths(
    name: str, fourth_power: Callable[[int], float], dim: int
) -> None:
    found = float(limit_of_the_ratio(name, dim) ** 4)
    assert found == pytest.approx(fourth_power(dim), rel=1e-7)


def test_bare_pre_ln_comes_close_to_the_infimum() -> None:
    close = {
        (length, dim): float(
            enclose(variant("softmax-pre-ln").guaranteed_bound(length, dim)).upper or 9
        )
        / float(b_min)
        for length, dim, b_min in reference("softmax-pre-ln")
    }
    assert close[50, 16] < 1.0039
    assert close[100, 64] < 1.0008
    assert close[1000, 64] < 1.00001


# The letter-free infimum of learned pre-LN, (d, L) -> B_min.
LETTER_FREE: Final = {
    (3, 5): "1.897326276197566",
    (4, 5): "1.784408024115654",
    (4, 8): "2.708407082197385",
    (6, 8): "2.490168072732362",
    (16, 8): "2.032620100009046",
    (16, 200): "45.53184751822795",
}
# What optimisation reaches with letters, (d, L) -> B.
WITH_LETTERS: Final = {
    (3, 4): "1.513500798",
    (3, 5): "1.915302907",
    (3, 8): "2.907308341",
    (3, 50): "16.435054655",
    (4, 8): "2.719732381",
    (4, 200): "60.809704282",
    (6, 8): "2.494084829",
    (16, 5): "1.340015717",
    (16, 8): "2.032689960",
}


@pytest.mark.parametrize(("dim", "length"), LETTER_FREE)
def test_learned_pre_ln_stays_above_the_letter_free_infimum(dim: int, length: int) -> None:
    formula = variant("softmax-pre-ln-learned").guaranteed_bound(length, dim)
    assert compare(formula, Fraction(LETTER_FREE[dim, length])) > 0


@pytest.mark.parametrize(
    ("dim", "length", "ratio"),
    [
        (3, 4, "1.602"),
        (3, 5, "1.296"),
        (3, 8, "1.160"),
        (3, 50, "1.0108"),
        (4, 8, "1.109"),
        (4, 200, "1.00074"),
        (6, 8, "1.085"),
        (16, 5, "1.133"),
        (16, 8, "1.065"),
    ],
)
def test_learned_pre_ln_asks_for_little_more_than_can_be_reached(
    dim: int, length: int, ratio: str
) -> None:
    formula = variant("softmax-pre-ln-learned").guaranteed_bound(length, dim)
    reached = Fraction(WITH_LETTERS[dim, length])
    assert compare(formula, reached) > 0
    assert compare(formula, reached * Fraction(ratio)) < 0


def learned_pre_ln_excess(length: int, dim: int) -> Any:
    """K B^2 - A* at the guaranteed bound, K = 1 + sqrt(d - 1): 0 is the proven lower bound."""
    with mpmath.workdps(60):
        ends = enclose(variant("softmax-pre-ln-learned").guaranteed_bound(length, dim), 400)
        assert ends.lower is not None
        bound = mpmath.mpf(ends.lower.numerator) / ends.lower.denominator
        value = least_value(length).value
        assert value is not None
        least = mpmath.mpf(value.numerator) / value.denominator
        return (1 + mpmath.sqrt(dim - 1)) * bound * bound - least


@pytest.mark.parametrize("dim", [3, 4, 16, 64, 1000])
def test_learned_pre_ln_exceeds_the_lower_bound_by_a_logarithm(dim: int) -> None:
    # |g| <= B asks for K B^2 = A + C K S/2 + ..., C = 2 (d - 1)/(d (d - 2)), S = sqrt(d) log a.
    slope = (dim - 1) * (1 + (dim - 1) ** 0.5) / (dim**0.5 * (dim - 2))
    excesses = [learned_pre_ln_excess(10**power, dim) for power in (3, 6, 9)]
    for (power, excess), longer in zip(
        ((3, excesses[0]), (6, excesses[1])), excesses[1:], strict=True
    ):
        assert 0 < excess < longer
        growth = (longer - excess) / (2 * mpmath.log(1000))
        assert growth == pytest.approx(slope, rel=20 * 10.0**-power)


@given(strategies.lengths, strategies.dims)
def test_learned_pre_ln_keeps_the_proven_lower_bound(length: int, dim: int) -> None:
    bracket = enclose(variant("softmax-pre-ln-learned").guaranteed_bound(length, dim))
    assert bracket.upper is not None
    value = least_value(length).value
    assert value is not None
    # K >= A*/B^2 for K = 1 + sqrt(d - 1)
    ratio = value / bracket.upper**2 - 1
    assert ratio <= 0 or ratio * ratio <= dim - 1


# --- dependence on d ------------------------------------------------------------------


def power_of(formula: Expr, exponent: int) -> Expr:
    product = formula
    for _ in range(exponent - 1):
        product = product * formula
    return product


@given(strategies.lengths, strategies.dims)
def test_post_ln_bounds_scale_with_d_as_published(length: int, dim: int) -> None:
    bare = variant("softmax-post-ln").guaranteed_bound(length, dim)
    assert _is(bare, 2, Fraction(length**3, dim))
    learned = variant("softmax-post-ln-learned").guaranteed_bound(length, dim)
    assert _is(learned, 4, Fraction(2 * length**3, dim))


@given(strategies.dims)
def test_linear_bounds_scale_with_d_as_published(dim: int) -> None:
    assert _is(variant("linear").guaranteed_bound(7, dim), 8, Fraction(4 * dim))
    assert variant("linear-pre-ln").guaranteed_bound(7, dim).value == Fraction(2, dim)


def _is(formula: Expr, exponent: int, power: Fraction) -> bool:
    """Whether formula^exponent is this rational, to within 2^-300 of it."""
    with flint.ctx.workprec(600):
        bracket = enclose(formula, 600)
        assert bracket.lower is not None
        assert bracket.upper is not None
        low, high = bracket.lower**exponent, bracket.upper**exponent
        return low <= power <= high and (high - low) * 2**300 < power


@given(st.integers(2, 10**9), st.integers(5000, LARGEST_DIM))
def test_the_score_limited_bound_scales_with_d_as_published(length: int, dim: int) -> None:
    formula = variant("softmax").guaranteed_bound(length, dim)
    with mpmath.workdps(50):
        step = 2 - mpmath.sqrt(2)
        norm = step * length + 1 / mpmath.sqrt(2)
        score = mpmath.root(dim, 4) * mpmath.sqrt(2 * mpmath.log(step * length))
        upper = enclose(formula).upper
        assert upper is not None
        found = mpmath.mpf(upper.numerator) / upper.denominator
        assert abs(found / max(norm, score) - 1) < mpmath.mpf(10) ** -30


def test_learned_pre_ln_scales_with_d_as_published() -> None:
    # L/d^(1/4): 16 times d halves the bound, up to the 1 in 1 + sqrt(d - 1).
    for dim in (10**3, 10**4, 6 * 10**4):
        one, other = (
            float(enclose(variant("softmax-pre-ln-learned").guaranteed_bound(10**9, d)).upper or 0)
            for d in (dim, 16 * dim)
        )
        assert abs(one / other - 2) < 1 / dim**0.5


def test_every_variant_says_where_its_construction_is_from() -> None:
    published = {found.name for found in all_variants() if found.origin == "published"}
    assert published == {"softmax", "softmax-post-ln", "softmax-post-ln-learned"}
