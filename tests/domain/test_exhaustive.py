"""The full-domain check against an oracle that evaluates every input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds import Model, Parameters, Vector, WorstError, worst_error
from countbounds.expressions import real
from tests.cases import KINDS, Kind, draw, fitted, model_of
from tests.exhaustive import Answer, Raw, exhaustive
from tests.tiers import by_tier

HALF = Fraction(1, 2)
SHARDS = 8
SHARE_INSIDE = 0.05
LENGTHS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30)


def agree(model: Model, raw: Raw, length: int) -> tuple[WorstError, Answer]:
    """Check the report for a model against the oracle's answer for the same parameters."""
    report, answer = worst_error(model, length), exhaustive(raw, length)
    what = f"L = {length}, {raw}"
    assert report.verdict == answer.verdict, what
    assert report.input == answer.inputs[0], what
    low, high = report.error.lower, report.error.upper
    if answer.error is None:
        assert low is high is None, what
        return report, answer
    assert low is not None, what
    assert high is not None, what
    assert high - low <= Fraction(max(high, Fraction(1))) / 2**58, what
    with flint.ctx.workprec(4000):
        assert _ball(low) <= answer.error.upper(), what
        assert _ball(high) >= answer.error.lower(), what
    assert (high < HALF) if report.verdict == "counts" else (low >= HALF), what
    return report, answer


def _ball(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def inside(at: tuple[int, int], length: int) -> bool:
    """Whether an input lies strictly inside the triangle."""
    n, m = at
    return n > 0 and 0 < m < length - n


def survey(name: str, count: int) -> None:
    """Compare so many generated cases, and see that they are worth comparing."""
    seen: Counter[str] = Counter()
    for index in range(count):
        rng = Random(f"{name}/{index}")
        kind = KINDS[rng.randrange(len(KINDS))]
        length = rng.choice((60, 45)) if index % 40 == 0 else rng.choice(LENGTHS)
        case = draw(rng, kind, length)
        report, answer = agree(model_of(case.raw), case.raw, length)
        seen[report.verdict] += 1
        seen["undefined"] += answer.error is None
        seen["tied"] += answer.error is not None and len(answer.inputs) > 1
        seen["inside"] += answer.error is not None and inside(answer.inputs[0], length)
    assert seen["inside"] >= SHARE_INSIDE * count
    assert seen["counts"] >= 0.2 * count
    assert seen["fails"] >= 0.2 * count
    assert seen["tied"] >= 0.02 * count
    assert seen["undefined"] >= 0.005 * count


@pytest.mark.parametrize("shard", range(SHARDS))
def test_generated_layers(shard: int) -> None:
    survey(f"quick {shard}", 400)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(16))
def test_many_generated_layers(shard: int) -> None:
    survey(f"slow {shard}", by_tier(2500, sample=200))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_kind_of_layer(kind: Kind) -> None:
    for index in range(6):
        rng = Random(f"{kind}/{index}")
        length = rng.choice((2, 3, 5, 9))
        raw = draw(rng, kind, length).raw
        agree(model_of(raw), raw, length)


# --- errors next to 1/2 -----------------------------------------------------------------


def near_half(rng: Random, kind: Kind, length: int) -> tuple[Raw, Raw] | None:
    """Two scales of one read-out, 2^-50 apart: the layer counts with one, fails with the other.

    None where no layer that counts was found to start from. Without a read-out the worst
    error is L, so between there and a layer that counts it passes 1/2.
    """
    for _ in range(20):
        case = draw(rng, kind, length).raw
        start = fitted(case, length, rounds=10)
        if exhaustive(start, length).verdict == "counts":
            break
    else:
        return None

    def scaled(factor: Fraction) -> Raw:
        readout = [factor * x for x in start.readout]
        return replace(start, readout=readout, readout_bias=factor * start.readout_bias)

    fails, counts = Fraction(0), Fraction(1)
    while counts - fails > Fraction(1, 2**50):
        middle = (counts + fails) / 2
        if exhaustive(scaled(middle), length).verdict == "counts":
            counts = middle
        else:
            fails = middle
    return scaled(counts), scaled(fails)


def test_errors_next_to_one_half() -> None:
    tight: Counter[str] = Counter()
    for kind in KINDS:
        rng = Random(f"half {kind}")
        length = rng.choice((1, 2, 3, 4))
        pair = near_half(rng, kind, length)
        for raw in pair or ():
            report, _ = agree(model_of(raw), raw, length)
            assert report.error.lower is not None
            assert abs(report.error.lower - HALF) < Fraction(1, 10**12)
            tight[report.verdict] += 1
    assert tight["counts"] == tight["fails"] >= 0.8 * len(KINDS)


# --- vectors stored as runs -------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS[::3], ids=str)
def test_vectors_of_few_runs(kind: Kind) -> None:
    """Runs of different lengths in every vector, given as runs and as entries."""
    rng = Random(f"runs {kind}")
    dim, length = 90, 3
    case = draw(rng, kind, length).raw

    def stretched(entries: Sequence[Fraction]) -> Vector:
        head = tuple((real(x / 4), rng.randint(1, 12)) for x in entries[:-1])
        return Vector(dim, head, real(entries[-1] / 4))

    p = Parameters(
        stretched(case.boundary),
        stretched(case.space),
        stretched(case.letter),
        stretched(case.readout),
        gain=None if case.gain is None else stretched(case.gain),
        bias=None if case.bias is None else stretched(case.bias),
        readout_bias=case.readout_bias,
    )
    raw = replace(
        case,
        boundary=dense(p.boundary),
        space=dense(p.space),
        letter=dense(p.letter),
        readout=dense(p.readout),
        gain=None if p.gain is None else dense(p.gain),
        bias=None if p.bias is None else dense(p.bias),
    )
    agree(Model(model_of(case).layer, p), raw, length)
    agree(model_of(raw), raw, length)


def dense(vector: Vector) -> list[Fraction]:
    return [entry.value for entry in vector.entries()]


# --- small parameters, shrinkable -------------------------------------------------------

small = st.integers(-2, 2).map(Fraction)
entries = st.lists(small, min_size=3, max_size=3)


@st.composite
def raws(draw: st.DrawFn) -> Raw:
    attention, placement, learned, norm, epsilon, residual, bias = draw(st.sampled_from(KINDS))
    return Raw(
        draw(entries),
        draw(entries),
        draw(entries),
        draw(entries),
        gain=draw(entries) if learned else None,
        bias=draw(entries) if learned else None,
        readout_bias=draw(small) / 2 if bias else Fraction(0),
        attention=attention,
        placement=placement,
        norm=norm,
        epsilon=HALF if epsilon else Fraction(0),
        residual=residual,
    )


@given(raws(), st.integers(1, 6))
def test_small_parameters(raw: Raw, length: int) -> None:
    agree(model_of(raw), raw, length)
