"""Lengths up to 10^18: known answers, interior ones, undefined ones, and what they cost."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd, isqrt
from random import Random
from typing import Any

import flint
import numpy as np
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
    Vector,
    WorstError,
    worst_error,
)
from countbounds.decimals import Bracket
from countbounds.domain import polynomial
from countbounds.domain.decide import CurveSource
from countbounds.domain.search import Search
from countbounds.expressions import exp, log, sqrt
from countbounds.rings import Enclosure
from tests.cases import levelled
from tests.domain.test_exhaustive import inside

HALF = Fraction(1, 2)
LENGTHS = [10**3, 10**6, 10**9, 10**12, 10**15, 10**18]
Rows = tuple[tuple[Fraction, Fraction, Fraction], ...]


def post(rows: Rows, readout: tuple[Fraction, ...], tau: Fraction = Fraction(0)) -> GivenCurve:
    """y = tau + <readout, N>/|N| for N = the rows' affine forms in (1, n, m)."""

    def gram(i: int, j: int) -> Fraction:
        return sum((row[i] * row[j] for row in rows), Fraction(0))

    a0, a1, a2 = (
        sum((w * row[i] for w, row in zip(readout, rows, strict=True)), Fraction(0))
        for i in range(3)
    )
    g = (gram(0, 0), gram(0, 1), gram(1, 1), gram(0, 2), gram(1, 2), gram(2, 2))
    return GivenCurve(AffineOverRoot(tau, (a0, a1, a2), g))


def forms(*rows: tuple[Fraction | int, ...]) -> Rows:
    return tuple((Fraction(c), Fraction(n), Fraction(m)) for c, n, m in rows)


def wide(length: int) -> int:
    """The integer next to 2 L^1.5."""
    return isqrt(4 * length**3) + 1


# --- closed forms -----------------------------------------------------------------------


@pytest.mark.parametrize("dim", [4, 16, 10**6])
@pytest.mark.parametrize("length", LENGTHS)
def test_post_ln_without_letters(length: int, dim: int) -> None:
    """y = k n / sqrt(n^2 + c^2) is off by e at n = L: (L - e)^2 (L^2 + c^2) = k^2 L^2."""
    c = wide(length)
    mean = Fraction(2 * c * c + dim, dim)
    readout = c / sqrt(2 * dim)
    p = Parameters(
        Vector.leading(dim, 1, 1, 1 + c, 1 - c, tail=1),
        Vector.leading(dim, mean + 1, mean - 1, mean, mean, tail=mean),
        Vector.leading(dim, tail=mean),
        Vector.leading(dim, readout, -readout),
    )
    report = worst_error(Model(Layer("softmax", "post"), p), length)

    def excess(e: Fraction) -> Fraction:
        return (length - e) ** 2 * (length**2 + c * c) - c * c * length**2

    assert (report.verdict, report.input) == ("counts", (length, 0))
    assert report.error.lower is not None
    assert report.error.upper is not None
    assert excess(report.error.lower) >= 0 >= excess(report.error.upper)
    assert report.error.upper - report.error.lower < Fraction(1, 10**17)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(("space", "letter"), [(2, 3), (3, 2), (-1, 2), (0, 0), (1, -4)])
def test_linear_attention(length: int, space: int, letter: int) -> None:
    """y = n (1 - space/5L) + letter m/5L: the corners decide."""
    unit = Fraction(1, 5 * length)
    p = Parameters.of(
        [2, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [0, 1 - space * unit, letter * unit, 0]
    )
    report = worst_error(Model(Layer("linear"), p), length)
    error = Fraction(max(abs(space), abs(letter)), 5)
    at = (0, 0) if error == 0 else (0, length) if abs(letter) >= abs(space) else (length, 0)
    assert report.error == Bracket.exactly(error)
    assert report.input == at
    assert report.verdict == ("counts" if error < HALF else "fails")


@pytest.mark.parametrize("length", [2, 3, *LENGTHS, 10**18 - 1])
@pytest.mark.parametrize("spare", [-1, 0, 1])
def test_the_polytope_of_softmax(length: int, spare: int) -> None:
    """At the least a that can count, the error is 1/2 exactly; on either side, it is not."""
    off = Fraction(spare, 10**6)
    a = Fraction((length - 1) ** 2 // 4) + 2 * off
    top = a + length - HALF
    curve = LinearFractional((-a / 2 + off, top, a * 0), (a, 1, 1))
    report = worst_error(GivenCurve(curve), length)
    if spare == 0:
        assert report.verdict == "fails"
        if a:
            assert report.input == (0, 0)
            assert report.error == Bracket.exactly(HALF)
        else:
            assert report.error == Bracket(None, None)
    else:
        assert report.verdict == ("counts" if spare > 0 else "fails")


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("size", [Fraction(1, 10**9), Fraction(1), Fraction(10**9)])
@pytest.mark.parametrize("foot", [True, False])
def test_a_critical_curve_between_two_rows(length: int, size: Fraction, foot: bool) -> None:
    """The best real m is 1/2 for every n, or L - n - 1/2: the integers beside it tie."""
    c = wide(length) * max(Fraction(1), size)
    slope = c * (1 + Fraction(1, 4 * length))
    letter = (-HALF, 0, 1) if foot else (HALF - length, 1, 1)
    source = post(
        forms((0, 1, 0), (c, 0, 0), tuple(size * x for x in letter)),
        (slope, Fraction(0), Fraction(0)),
    )
    report = worst_error(source, length)

    # Along the rows y = k n / sqrt(n^2 + c^2 + size^2/4), and y - n is concave.
    n, best = _top(slope, c * c + size * size / 4, length)
    assert report.input == (n, 0 if foot else max(0, length - n - 1))
    _holds(report, best)
    _no_neighbour_is_worse(source, length, report)


def _top(slope: Fraction, square: Fraction, high: int) -> tuple[int, Any]:
    """The largest slope n / sqrt(n^2 + square) - n for 0 <= n <= high, a concave function."""

    def excess(t: int) -> Any:
        return _arb(slope * t) / _arb(square + t * t).sqrt() - t

    low = 0
    with flint.ctx.workprec(600):
        while low < high:
            middle = (low + high) // 2
            if excess(middle) < excess(middle + 1):
                low = middle + 1
            else:
                high = middle
        return low, excess(low)


def test_what_is_not_decided_is_bounded_and_not_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    """The critical curve n + m = L - 5/2 misses all integers, and is flat for very long."""
    counted = 0
    evaluate = Search.consider

    def consider(self: Search, n: int, m: int) -> None:
        nonlocal counted
        counted += 1
        evaluate(self, n, m)

    monkeypatch.setattr(Search, "consider", consider)
    length, big = 10**6, 10**6
    c = Fraction(wide(length) * big)
    slope = c * (1 + Fraction(1, 4 * length * big**2))
    tau = HALF - Fraction(13608276247, 10**11 * big**2)
    flat = 10**6
    rows = forms((0, 1, 0), (c, 0, 0), (flat * (Fraction(5, 2) - length), flat, flat))
    report = worst_error(post(rows, (slope, Fraction(0), Fraction(0)), tau), length)
    _, best = _top(slope, c * c + Fraction(flat**2, 4), length - 3)
    with flint.ctx.workprec(600):
        best = best + _arb(tau)
        truth = "counts" if 2 * best < 1 else "fails"
    assert report.verdict in ("undecided", truth)
    _holds(report, best)
    assert counted < 60_000


def _arb(value: Fraction | int) -> Any:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _holds(report: WorstError, error: Any) -> None:
    low, high = report.error.lower, report.error.upper
    assert low is not None
    assert high is not None
    with flint.ctx.workprec(2000):
        assert _arb(low) <= error.upper()
        assert _arb(high) >= error.lower()


# --- interior inputs --------------------------------------------------------------------


def slanted(length: int, lean: Fraction, size: Fraction, big: int = 1) -> GivenCurve:
    """y is largest near m = lean n, and y - n is positive in the middle of the range."""
    c = Fraction(wide(length) * big)
    slope = c * (1 + Fraction(1, 4 * length * big**2))
    return post(
        forms((0, 1, 0), (c, 0, 0), (-size / 3, -lean * size, size)),
        (slope, Fraction(0), Fraction(0)),
    )


def slanted_model(length: int, lean: Fraction, size: Fraction) -> Model:
    """The same kind of curve from the parameters of a layer, with a = delta = 1."""
    c, one = wide(length), Fraction(1)
    boundary, space, letter = levelled(
        [-size / 3, -size / 3, c + size / 3, -c + size / 3],
        [one - lean * size, -one - lean * size, lean * size, lean * size],
        [size, size, -size, -size],
    )
    readout = c * (1 + Fraction(1, 4 * length)) / sqrt(8)
    p = Parameters.of(boundary, space, letter, [readout, -readout, 0, 0])
    return Model(Layer("softmax", "post"), p)


LEANS = [Fraction(1, 10), Fraction(97, 1000), Fraction(61803398875, 10**12)]
SIZES = [Fraction(1, 10**9), Fraction(1, 10), Fraction(1), Fraction(100)]


@pytest.mark.parametrize("length", [10**6, 10**9, 10**12])
@pytest.mark.parametrize("lean", LEANS)
@pytest.mark.parametrize("size", SIZES[:3])
def test_interior_inputs(length: int, lean: Fraction, size: Fraction) -> None:
    source = slanted(length, lean, size)
    report = worst_error(source, length)
    assert report.verdict == "counts"
    assert report.input is not None
    assert inside(report.input, length)
    _no_neighbour_is_worse(source, length, report)
    _no_sample_is_worse(source, length, report, 100_000)


@pytest.mark.parametrize("length", [10**6, 10**9, 10**12])
@pytest.mark.parametrize("lean", LEANS)
def test_interior_inputs_of_a_layer(length: int, lean: Fraction) -> None:
    source = slanted_model(length, lean, Fraction(1, 2))
    report = worst_error(source, length)
    assert report.verdict == "counts"
    assert report.input is not None
    assert inside(report.input, length)
    _no_neighbour_is_worse(source, length, report)
    _no_sample_is_worse(source, length, report, 100_000)


@pytest.mark.parametrize("delta", [Fraction(1, 10**9), Fraction(1, 10**3), 10**3, 10**9])
@pytest.mark.parametrize("length", [10**4, 10**8, 10**12])
def test_letters_of_extreme_weight(length: int, delta: Fraction) -> None:
    """A letter counted delta times, delta the exponential of a score that is a logarithm."""
    c = wide(length)
    bite = Fraction(1, 20 * length)
    boundary, space, letter = levelled(
        [Fraction(0), Fraction(0), Fraction(c), Fraction(-c)],
        [Fraction(1), Fraction(-1), Fraction(0), Fraction(0)],
        [bite + 1, -bite + 1, Fraction(-1), Fraction(-1)],
    )
    shift = log(Fraction(delta)) / 2  # the boundary vector is 1 on average, and sqrt(d) = 2
    p = Parameters.of(
        boundary,
        space,
        [x + shift for x in letter],
        [readout := c / sqrt(8), -readout, 0, 0],
    )
    source = Model(Layer("softmax", "post"), p)
    report = worst_error(source, length)
    assert report.verdict != "undecided"
    _no_neighbour_is_worse(source, length, report)
    _no_sample_is_worse(source, length, report, 20_000)


def _curve(source: CurveSource, bits: int) -> AffineOverRoot:
    with Enclosure(bits) as ring:
        curve = source.curve(ring)
    assert isinstance(curve, AffineOverRoot)
    return curve


def _error(curve: AffineOverRoot, n: int, m: int) -> Any:
    top, bottom = curve.parts(n, m)
    return abs(top / bottom.sqrt() + (curve.offset - n))


def _no_neighbour_is_worse(source: CurveSource, length: int, report: WorstError) -> None:
    assert report.input is not None
    bits = 1200
    curve = _curve(source, bits)
    n0, m0 = report.input
    with flint.ctx.workprec(bits):
        worst = _error(curve, n0, m0)
        _holds(report, worst)
        for n in range(max(0, n0 - 3), min(length, n0 + 3) + 1):
            for m in range(max(0, m0 - 3), min(length - n, m0 + 3) + 1):
                error = _error(curve, n, m)
                if (n, m) < (n0, m0):
                    assert error < worst, (n, m)
                else:
                    assert not error > worst, (n, m)


def _no_sample_is_worse(source: CurveSource, length: int, report: WorstError, count: int) -> None:
    """Random inputs in long doubles; those that come close are looked at again in arb."""
    assert report.input is not None
    bits = 1200
    curve = _curve(source, bits)
    rng = np.random.default_rng(length)
    n0, m0 = report.input
    spread = 10.0 ** rng.uniform(0, np.log10(length), count)
    near = np.rint(spread * rng.choice([-1, 1], count)).astype(np.int64)
    n = np.where(rng.random(count) < 0.5, rng.integers(0, length + 1, count), n0 + near)
    n = np.clip(n, 0, length)
    share = rng.random(count)
    m = np.select(
        [share < 0.1, share < 0.2, share < 0.6],
        [0 * n, length - n, rng.integers(0, length + 1, count)],
        m0 + rng.permutation(near),
    )
    m = np.clip(m, 0, length - n)
    errors = _float_errors(curve, n, m)
    # Terms of the order of L^2 c^2, each rounded to 64 bits, then a difference of order L.
    close = np.nonzero(errors > float(report.error.lower or 0) - 64 * length * 2.0**-64)[0]
    with flint.ctx.workprec(bits):
        worst = _error(curve, n0, m0)
        for i in close:
            assert not _error(curve, int(n[i]), int(m[i])) > worst


def _float_errors(curve: AffineOverRoot, n: Any, m: Any) -> Any:
    def number(ball: Any) -> np.longdouble:
        middle = ball.mid()
        head = float(middle)
        return np.longdouble(head) + np.longdouble(float(middle - head))

    n, m = n.astype(np.longdouble), m.astype(np.longdouble)
    with flint.ctx.workprec(400):
        a0, a1, a2 = map(number, curve.numerator)
        q = [number(x) for x in curve.gram]
        offset = number(curve.offset)
    root = q[0] + n * (2 * q[1] + n * q[2]) + m * (2 * (q[3] + n * q[4]) + m * q[5])
    return np.abs((a0 + a1 * n + a2 * m) / np.sqrt(root) + (offset - n)).astype(float)


@pytest.mark.parametrize("length", LENGTHS)
def test_collinear_tokens_with_transcendental_weights(length: int) -> None:
    """y is L + 1 or L - 1 by the sign of e + 2 e^2 n - 3 e^-3 m: 19 letters turn it around."""
    axis = [1, -1, 0, 0]
    w = 1 / sqrt(8)
    p = Parameters.of(
        axis, [2 * x for x in axis], [-3 * x for x in axis], [-w, w, 0, 0], readout_bias=length
    )
    report = worst_error(Model(Layer("softmax", "post"), p), length)
    assert (report.verdict, report.input) == ("fails", (0, 19))
    assert report.error.lower is not None
    assert report.error.upper is not None
    assert report.error.lower <= length + 1 <= report.error.upper


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("share", [Fraction(1, 3), Fraction(-1, 3), Fraction(1, 10**12)])
def test_a_letter_along_the_boundary_token(length: int, share: Fraction) -> None:
    """The letter's weight is transcendental, and dy/dm vanishes at n = 0 for every m."""
    c = wide(length)
    w = c * exp(1) / sqrt(8)
    step = Fraction(1, c)
    p = Parameters.of([0, 0, 1, -1], [step, -step, 0, 0], [0, 0, share, -share], [w, -w, 0, 0])
    source = Model(Layer("softmax", "post"), p)
    report = worst_error(source, length)
    assert report.verdict != "undecided"
    _no_neighbour_is_worse(source, length, report)
    _no_sample_is_worse(source, length, report, 20_000)


# --- undefined outputs ------------------------------------------------------------------


def line(rng: Random) -> tuple[int, tuple[int, int, int], tuple[int, int]]:
    """A length, a form c + a n + b m, and the least input of the triangle where it vanishes."""

    def size(largest: int) -> int:
        return int(10 ** rng.uniform(0, largest))

    length, a, b = size(18), size(9) * rng.choice((1, -1)), size(9)
    n = rng.randint(0, length)
    m = rng.randint(0, length - n)
    # All solutions are (n + k b', m - k a'); the least n that is allowed is wanted.
    step, drop = b // gcd(a, b), a // gcd(a, b)
    down = n // step
    if drop > step:  # going down in n, n + m rises
        down = min(down, (length - n - m) // (drop - step))
    elif drop < 0:  # going down in n, m falls
        down = min(down, m // -drop)
    return length, (-(a * n + b * m), a, b), (n - down * step, m + down * drop)


def test_poles_at_integers() -> None:
    for seed in range(300):
        length, denominator, at = line(Random(seed))
        report = worst_error(GivenCurve(LinearFractional((1, 2, 3), denominator)), length)
        assert (report.verdict, report.error) == ("fails", Bracket(None, None))
        assert report.input == at


def test_collinear_tokens_that_cancel() -> None:
    for seed in range(300):
        length, (c, a, b), at = line(Random(seed))
        source = post(forms((c, a, b), (3 * c, 3 * a, 3 * b)), (Fraction(1), Fraction(1)))
        report = worst_error(source, length)
        assert (report.verdict, report.error) == ("fails", Bracket(None, None))
        assert report.input == at


@given(st.integers(1, 10**18), st.data())
def test_tokens_that_cancel_at_one_input(length: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(0, length))
    m = data.draw(st.integers(0, length - n))
    space, letter = (
        [Fraction(1), Fraction(-1), Fraction(0)],
        [Fraction(1), Fraction(1), Fraction(-2)],
    )
    cancelling = [-n * x - m * y for x, y in zip(space, letter, strict=True)]
    readout = data.draw(st.sampled_from([[1, 2, 3], [0, 0, 0], [1, -1, 0], [1, 1, -2]]))
    p = Parameters.of(*levelled(cancelling, space, letter), readout)
    report = worst_error(Model(Layer("softmax", "post"), p), length)
    assert (report.verdict, report.error) == ("fails", Bracket(None, None))
    assert report.input == (n, m)


@pytest.mark.parametrize("length", [10**6, 10**18])
def test_irrational_tokens_cancel_only_where_each_part_does(length: int) -> None:
    # (n - 1000) + sqrt(2) (m - 2000), and with 1/2 in place of one of the integers.
    r = sqrt(2)
    curve = LinearFractional((1, 1, 1), (-1000 - 2000 * r, 1, r))
    report = worst_error(GivenCurve(curve), length)
    assert (report.verdict, report.error) == ("fails", Bracket(None, None))
    assert report.input == (1000, 2000)


@pytest.mark.parametrize("length", [10**3, 10**6, 10**18])
def test_poles_between_integers(length: int) -> None:
    """Inputs on both sides of a pole are off by more than 1/2 somewhere."""
    curve = LinearFractional((1, 2, 3), (HALF - length // 3, 1, Fraction(1, 2)))
    shifted = LinearFractional((1, 2, 3), (Fraction(1, 4) - length // 3, 1, Fraction(1, 2)))
    for source in map(GivenCurve, (curve, shifted)):
        report = worst_error(source, length)
        assert report.verdict == "fails"
        assert report.input is not None


def test_a_token_that_the_norm_leaves_undefined() -> None:
    ones, other, third = [2, 2, 2], [1, 2, 4], [3, 1, 1]
    for place, at in ((0, (0, 0)), (1, (1, 0)), (2, (0, 1))):
        embeddings = [third, other, third]
        embeddings[place] = ones
        boundary, space, letter = embeddings
        p = Parameters.of(boundary, space, letter, [1, 1, 1])
        report = worst_error(Model(Layer("softmax", "pre"), p), 10**18)
        assert (report.verdict, report.error) == ("fails", Bracket(None, None))
        assert report.input == at
        saved = worst_error(Model(Layer("softmax", "pre", epsilon="1e-5"), p), 10**18)
        assert saved.error.upper is not None


# --- cost -------------------------------------------------------------------------------

FAMILIES: dict[str, Callable[[int], CurveSource]] = {
    "published": lambda L: post(
        forms((0, 1, 0), (wide(L), 0, 0)), (Fraction(wide(L)), Fraction(0))
    ),
    "slanted, 1e-9": lambda L: slanted(L, LEANS[0], SIZES[0]),
    "slanted, 1": lambda L: slanted(L, LEANS[2], SIZES[2]),
    "slanted, 100": lambda L: slanted(L, LEANS[1], SIZES[3], big=100),
    "a layer": lambda L: slanted_model(L, LEANS[1], Fraction(1)),
    "irrational": lambda L: slanted_model(L, LEANS[1], sqrt(2) / 10),  # type: ignore[arg-type]
    "collinear": lambda L: post(forms((-1 - 3 * L, 3, 6)), (Fraction(1),)),
    "hyperbola": lambda L: post(
        forms((0, 1, Fraction(1, 9 * L)), (wide(L), 0, 0), (0, 0, Fraction(1, 2))),
        (wide(L) * (1 + Fraction(1, 4 * L)), Fraction(0), Fraction(0)),
    ),
    "dull": lambda L: post(forms((3, 1, 4), (1, 5, -9), (2, -6, 5)), (HALF, HALF * 3, HALF * 5)),
    "polytope": lambda L: GivenCurve(
        LinearFractional(
            (-Fraction((L - 1) ** 2, 8), Fraction((L + 1) ** 2, 4), 0),
            (Fraction((L - 1) ** 2, 4), 1, 1),
        )
    ),
    "e^4": lambda L: Model(
        Layer("softmax"),
        Parameters.of([2, 2, 0, 0], [0, 0, 1, 0], [0] * 4, [0, Fraction(-1, 4), 1 + exp(4), 0]),
    ),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_cost_grows_with_the_digits_of_the_length(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = 0
    evaluate, cover = Search.consider, polynomial.bernstein

    def consider(self: Search, n: int, m: int) -> None:
        nonlocal counted
        counted += 1
        evaluate(self, n, m)

    def bernstein(*args: Any) -> Any:
        nonlocal counted
        counted += 1
        return cover(*args)

    monkeypatch.setattr(Search, "consider", consider)
    monkeypatch.setattr(polynomial, "bernstein", bernstein)
    costs = {}
    for length in LENGTHS:
        counted = 0
        report = worst_error(FAMILIES[name](length), length)
        assert report.verdict != "undecided"
        costs[length] = counted
    assert 0 < max(costs.values()) <= 5000, costs
    assert costs[10**18] <= 3 * costs[10**9] + 300, costs
