"""Audits against an oracle that evaluates every input of every layer in arb."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest

from countbounds.auditing.layer import TrainedLayer
from countbounds.auditing.reduction import Reduction
from countbounds.domain.classes import smallest_gap
from countbounds.domain.several import worst_error_of_several
from countbounds.errors import InputError
from tests.auditing.generated import any_layer, arc, half, head, rounded, small_numbers
from tests.auditing.oracle import BITS, Ball, Direct, inputs
from tests.tiers import by_tier

HALF = Fraction(1, 2)
SHARP = Fraction(1, 2**40)
LONGEST = (40, 40, 18, 10)
FULL_SIZE = (40, 40, 40, 40)


def ball(value: Fraction) -> Ball:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def agree_on_errors(layer: TrainedLayer, length: int, seen: Counter[str]) -> None:
    """Compare verdict, worst error and worst input of a regression layer with the oracle."""
    report = worst_error_of_several(Reduction(layer), length)
    with flint.ctx.workprec(BITS):
        direct = Direct(layer)
        worst: Any = flint.arb(-1)
        found: dict[tuple[int, ...], Ball] = {}
        undefined = []
        for counts in inputs(length, layer.fillers):
            outputs = direct.outputs(counts)
            if outputs is None:
                undefined.append(counts)
                continue
            error = abs(outputs[0] - counts[0])
            worst = worst.max(error)
            if not error < worst:
                found[counts] = error
        if undefined:
            seen["undefined"] += 1
            assert report.verdict == "fails", layer
            assert report.error.lower is None, layer
            assert report.counts in undefined, layer
            return
        low, high = report.error.lower, report.error.upper
        assert low is not None, layer
        assert high is not None, layer
        assert not ball(low) > worst, (layer, length)
        assert not ball(high) < worst, (layer, length)
        assert high - low <= max(high, Fraction(1)) * SHARP, (layer, length)
        assert report.counts is not None
        at = found.get(report.counts)
        assert at is not None, (layer, length, report)
        assert at.overlaps(worst) or not at < worst - ball(SHARP), (layer, length, report)
        seen["mixture"] += sum(m > 0 for m in report.counts[1:]) > 1
        if abs(worst - 0.5) < 2.0**-200:
            seen["half"] += 1
            assert report.verdict == "fails", (layer, length)
        else:
            assert report.verdict == ("counts" if worst < 0.5 else "fails"), (layer, length)
    seen[report.verdict] += 1
    seen["filler"] += any(report.counts[1:])


def agree_on_gaps(layer: TrainedLayer, length: int, seen: Counter[str]) -> None:
    """Compare verdict, smallest gap, input and runner-up of a head with the oracle."""
    report = smallest_gap(Reduction(layer), length)
    with flint.ctx.workprec(BITS):
        direct = Direct(layer)
        least: Any = flint.arb.pos_inf()
        undefined = []
        for counts in inputs(length, layer.fillers):
            outputs = direct.outputs(counts)
            if outputs is None:
                undefined.append(counts)
                continue
            own = outputs.pop(counts[0])
            for other in outputs:
                least = least.min(own - other)
        if undefined:
            seen["undefined"] += 1
            assert report.verdict == "fails"
            assert report.gap is None
            assert report.counts in undefined
            return
        assert report.gap is not None, layer
        low, high = report.gap.lower, report.gap.upper
        assert low is not None, layer
        assert high is not None, layer
        assert not ball(low) > least, (layer, length)
        assert not ball(high) < least, (layer, length)
        assert high - low <= max(abs(high), Fraction(1)) * SHARP, (layer, length)
        assert report.counts is not None
        assert report.runner_up is not None
        outputs = direct.outputs(report.counts)
        assert outputs is not None
        gap = outputs[report.counts[0]] - outputs[report.runner_up]
        assert abs(gap - least) < ball(SHARP) * (1 + abs(least)), (layer, length, report)
        if abs(least) < 2.0**-200:
            seen["tie"] += 1
            assert report.verdict != "counts"
        else:
            assert report.verdict == ("counts" if least > 0 else "fails"), (layer, length)
    n, *fillers = report.counts
    seen["inside"] += 0 < sum(fillers) < length - n or sum(m > 0 for m in fillers) > 1
    seen[report.verdict] += 1


def drawn(kind: str, index: int, longest: tuple[int, ...]) -> tuple[TrainedLayer, int]:
    """One generated layer, and a length to look at."""
    rng = np.random.default_rng([index, len(kind)])
    fillers = int(rng.integers(0, 4))
    length = int(rng.integers(1, longest[fillers] + 1))
    if kind == "any":
        layer = any_layer(rng, fillers)
    elif kind == "arc":
        fillers = 1 + index % 3
        length = int(rng.integers(6, longest[fillers] + 1))
        layer = arc(rng, length, fillers)
    elif kind == "small":
        length = min(length, 3)
        layer = small_numbers(rng, fillers)
    elif kind == "head":
        length = (length + 1) // 2
        layer = head(rng, length, fillers)
    else:
        length = min(length, 12)
        layer = any_layer(rng, fillers, length + 2)
    return (rounded(layer, half) if rng.random() < 0.2 else layer), length


def survey(kind: str, begin: int, count: int, longest: tuple[int, ...] = LONGEST) -> Counter[str]:
    """Compare so many generated layers with the oracle."""
    seen: Counter[str] = Counter()
    for index in range(begin, begin + count):
        layer, length = drawn(kind, index, longest)
        compare = agree_on_gaps if layer.classifies else agree_on_errors
        try:
            compare(layer, length, seen)
        except InputError as error:
            assert "undefined for the token" in str(error)  # noqa: PT017
            seen["refused"] += 1
    return seen


def test_layers_of_every_option() -> None:
    seen = survey("any", 0, 300)
    assert seen["filler"] >= 40
    assert seen["undecided"] == 0


def test_layers_near_the_edge() -> None:
    seen = survey("arc", 0, 100)
    assert seen["counts"] >= 10
    assert seen["fails"] >= 10
    assert seen["mixture"] >= 10
    assert seen["undecided"] == 0


def test_small_numbers() -> None:
    seen = survey("small", 0, 300)
    assert seen["half"] >= 30
    assert seen["undefined"] >= 1


def test_heads() -> None:
    seen = survey("head", 0, 60) + survey("class", 0, 60)
    assert seen["counts"] >= 15
    assert seen["fails"] >= 15
    assert seen["inside"] >= 2
    assert seen["undecided"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(16))
@pytest.mark.parametrize("kind", ["any", "arc", "small", "head", "class"])
def test_many_layers(kind: str, shard: int) -> None:
    count = by_tier(100, sample=3)
    survey(kind, 1000 + shard * count, count)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(8))
@pytest.mark.parametrize("kind", ["any", "arc"])
def test_full_size(kind: str, shard: int) -> None:
    count = by_tier(4, sample=1)
    survey(kind, 9000 + shard * count, count, FULL_SIZE)
