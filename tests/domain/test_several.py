"""Domains with several fillers: the parts they are cut into, dual bounds, large lengths."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.audits import arc
from countbounds import worst_error
from countbounds.auditing.layer import Affine, Array, TrainedLayer, TrainedNorm
from countbounds.auditing.reduction import Reduction
from countbounds.decimals import Bracket
from countbounds.domain import mixtures, several
from countbounds.domain.classes import smallest_gap
from countbounds.domain.cone import Functional, Vertices, corners
from countbounds.domain.mixtures import Limits, Part, parts
from countbounds.domain.several import SeveralError, combined, worst_error_of_several
from countbounds.errors import InputError
from countbounds.rings import Enclosure
from tests.auditing.generated import names
from tests.auditing.oracle import inputs

BITS = 160


@pytest.mark.parametrize("fillers", [2, 3, 4])
def test_parts_hold_every_mixture_once(fillers: int) -> None:
    length = 6

    def inside(part: Part) -> list[tuple[int, ...]]:
        found = []
        for size in range(part.room + 1):
            for chosen in combinations_with_replacement(part.axes, size):
                c = list(part.least)
                for token in chosen:
                    c[token] += 1
                found.append(tuple(c[1:]))
        return found

    found: list[tuple[int, ...]] = []
    for n in range(length - 1):
        for whole, within in parts(n, fillers, length):
            held = [c for part in within for c in inside(part)]
            assert set(held) <= set(inside(whole))
            found += held
    mixtures = [c for c in inputs(length, fillers) if sum(m > 0 for m in c[1:]) > 1]
    assert sorted(found) == sorted(mixtures)
    assert len(list(inputs(length, fillers))) == comb(length + fillers + 1, fillers + 1)


def form(rng: np.random.Generator, tokens: int, ring: Enclosure) -> tuple[Functional, Array, Array]:
    """<w, .> and Gram matrix of random vectors, with the vectors."""
    vectors, w = rng.normal(size=(tokens, 4)), rng.normal(size=4)
    exact = [[Fraction(x) for x in row] for row in [*vectors.tolist(), w.tolist()]]

    def dot(a: list[Fraction], b: list[Fraction]) -> object:
        return ring.number(sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0)))

    gram = [[dot(a, b) for b in exact[:-1]] for a in exact[:-1]]
    return Functional([dot(exact[-1], a) for a in exact[:-1]], gram, ring), vectors, w


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 9), st.integers(0, 4))
def test_dual_bounds_hold_on_the_whole_range(
    seed: int, fillers: int, length: int, width: int
) -> None:
    rng = np.random.default_rng(seed)
    low = int(rng.integers(0, length))
    high = min(low + width, length - 1)
    with Enclosure(BITS) as ring:
        functional, vectors, w = form(rng, 2 + fillers, ring)
        vertices = Vertices(
            tuple(corners(low, length, fillers)), tuple(corners(high, length, fillers))
        )
        dual = functional.bound(vertices)
        if dual is None:
            return
        limit = float(dual.upper())
        nowhere_zero = functional.vanishes_nowhere(vertices)
        at_most_zero = functional.at_most_zero(vertices)
    for _ in range(30):
        u = rng.random()
        shares = rng.dirichlet(np.ones(1 + fillers))
        ends = [np.array(end, dtype=float) for end in (vertices.first, vertices.last)]
        c = shares @ ((1 - u) * ends[0] + u * ends[1])
        h = c @ vectors
        size = np.linalg.norm(h)
        if nowhere_zero:
            assert size > 0
        if size > 1e-9:
            value = w @ h / size
            assert value <= limit + 1e-9
            assert value <= 1e-9 or not at_most_zero


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 9))
def test_dual_bounds_are_reached(seed: int, fillers: int, length: int) -> None:
    rng = np.random.default_rng(seed)
    with Enclosure(BITS) as ring:
        functional, vectors, w = form(rng, 2 + fillers, ring)
        vertices = tuple(corners(0, length, fillers))
        fixed = Vertices(vertices, vertices)
        dual = functional.bound(fixed)
        if not functional.vanishes_nowhere(fixed):
            return
        assert dual is not None
        shares = np.array([float(share) for share in dual.shares[0]])
        limit = float(dual.upper())
    if limit > 1e-9:
        h = shares @ np.array(vertices, dtype=float) @ vectors
        assert w @ h / np.linalg.norm(h) == pytest.approx(limit, rel=1e-9)


@pytest.mark.parametrize("length", [100, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("fillers", [2, 3])
def test_mixtures_at_large_lengths(length: int, fillers: int) -> None:
    """The worst input is a mixture; no input near it, and none of a sample, is worse."""
    layer = arc(length, fillers)
    source = Reduction(layer)
    report = worst_error_of_several(source, length)
    assert report.verdict == "counts"
    assert report.counts is not None
    assert sum(m > 0 for m in report.counts[1:]) == fillers
    low, high = report.error.lower, report.error.upper
    assert low is not None
    assert high is not None
    assert high - low < Fraction(1, 1000)
    rng = np.random.default_rng(length)
    around = [
        tuple(a + b for a, b in zip(report.counts, step, strict=True))
        for step in product((-1, 0, 1), repeat=1 + fillers)
    ]
    shares = rng.dirichlet(np.ones(2 + fillers), size=200)
    sampled = [tuple(int(x * length) for x in row[1:]) for row in shares.tolist()]
    with Enclosure(512) as ring:
        curves = source.on(ring)
        at = abs(curves.value(report.counts) - report.counts[0])
        assert not at < ring.number(low)
        for c in around + sampled:
            if min(c) >= 0 and sum(c) <= length:
                assert abs(curves.value(c) - c[0]) <= ring.number(high)


def test_an_output_that_a_mixture_alone_leaves_undefined() -> None:
    rows = np.array([[1.0, 1, 0], [0, 3, 1], [-1, 0, 0], [0, -1, 0]])
    layer = TrainedLayer(
        rows,
        names(4),
        np.array([[1.0, 0, 0]]),
        query=Affine(np.zeros((1, 3))),
        key=Affine(np.zeros((1, 3))),
        after=TrainedNorm("rms"),
    )
    report = worst_error_of_several(Reduction(layer), 5)
    assert report.verdict == "fails"
    assert report.error == Bracket(None, None)
    assert report.counts == (0, 1, 1)
    two = replace(layer, readout=np.eye(3), classifies=True)
    gap = smallest_gap(Reduction(two), 2)
    assert (gap.verdict, gap.gap, gap.counts) == ("fails", None, (0, 1, 1))


def test_fillers_that_are_harmless_only_alone() -> None:
    pairs = np.kron(np.eye(4), [1, -1])
    embedding = np.diag([2.56, 2.56, 1.95, 1.47])
    embedding[0, 2:] = -0.07
    rows = np.asarray(embedding @ pairs, dtype=np.float64)
    layer = TrainedLayer(
        rows,
        names(4),
        np.asarray(27.04 * pairs[1:2], dtype=np.float64),
        scale_square=Fraction(1, 8),
        after=TrainedNorm(),
    )
    source = Reduction(layer)
    assert all(worst_error(source.alone(filler), 22).verdict == "counts" for filler in (0, 1))
    report = worst_error_of_several(source, 22)
    assert (report.verdict, report.counts) == ("fails", (17, 2, 3))


def test_effort_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Reduction(arc(10**6, 3))
    full = worst_error_of_several(source, 10**6)
    monkeypatch.setattr(several, "LONG", Limits(25, 5))
    monkeypatch.setattr(mixtures, "_MOST_BELOW", 5)
    short = worst_error_of_several(source, 10**6)
    assert full.verdict == "counts"
    assert short.verdict in ("counts", "undecided")
    for report in (full, short):
        assert report.error.lower is not None
    assert short.error.upper is None or (
        full.error.lower is not None and short.error.upper >= full.error.lower
    )


def test_parts_of_a_domain_are_combined() -> None:
    def part(verdict: str, low: int | None, high: int | None, *counts: int) -> SeveralError:
        ends = [None if x is None else Fraction(x, 10) for x in (low, high)]
        return SeveralError(verdict, Bracket(*ends), counts or None, 9, 64)  # type: ignore[arg-type]

    good, better = part("counts", 3, 4, 1, 1), part("counts", 1, 2, 0, 2)
    assert combined([good, better]) == good
    assert combined([better, good]).counts == (1, 1)
    assert combined([good, part("undecided", 0, 6)]).verdict == "undecided"
    assert combined([good, part("undecided", 0, 6)]).error == Bracket(
        Fraction(3, 10), Fraction(6, 10)
    )
    assert combined([part("fails", 7, 8, 2, 2), part("undecided", 0, None)]).verdict == "fails"
    assert combined([part("fails", 7, 8, 2, 2), part("undecided", 0, None)]).error.upper is None
    undefined = combined([part("fails", 7, 8, 2, 2), part("fails", None, None, 1, 3)])
    assert (undefined.error, undefined.counts) == (Bracket(None, None), (1, 3))


@pytest.mark.parametrize("length", [0, -1, 2.5, True])
def test_a_wrong_length(length: int) -> None:
    layer = arc(10, 2)
    with pytest.raises(InputError, match="integer from 1 on"):
        worst_error_of_several(Reduction(layer), length)
    with pytest.raises(InputError, match="integer from 1 on"):
        smallest_gap(Reduction(layer), length)
