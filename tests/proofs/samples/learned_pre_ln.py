"""Numbers for the theorems about learned pre-LN softmax."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import sympy as sp

from countbounds.optimum.softmax_pre_ln_learned import optimum
from proofs.learned_pre_ln import (
    CERTIFICATE,
    END,
    HEIGHT,
    U_,
    V_,
    VALUES,
    WEIGHT,
    K,
    alpha0,
    apart,
    b,
    cross,
    end,
    g,
    height,
    left_root,
    level,
    line_boundary,
    line_value,
    other,
    point,
    q0,
    reach,
    rho,
    s,
    slope,
    sm_,
    sp_,
    speed,
    u,
    value,
    w,
    x1,
    x2,
    y1,
    y2,
)
from proofs.polytope import A, a, first
from proofs.terms import B, L, d
from tests.proofs.numeric import DIGITS, Sample, Sampler, evaluated

Row = list[Any]
TIGHT = 1 + mpmath.mpf(10) ** -30


def _dot(left: Row, right: Row) -> Any:
    return mpmath.fsum(x * y for x, y in zip(left, right, strict=True))


def _scaled(factor: Any, row: Row) -> Row:
    return [factor * x for x in row]


def _less(row: Row, *others: Row) -> Row:
    """A row made orthogonal to others, which are orthogonal to each other."""
    for along in others:
        share = _dot(row, along) / _dot(along, along)
        row = [x - share * y for x, y in zip(row, along, strict=True)]
    return row


def _random(random_: random.Random, dim: int) -> Row:
    return [mpmath.mpf(random_.uniform(-1, 1)) for _ in range(dim)]


def _frame(random_: random.Random, dim: int) -> tuple[Row, Row]:
    """Two orthonormal rows of 1-perp."""
    ones = [mpmath.mpf(1)] * dim
    first = _less(_random(random_, dim), ones)
    second = _less(_random(random_, dim), ones, first)
    return tuple(_scaled(1 / mpmath.sqrt(_dot(row, row)), row) for row in (first, second))  # type: ignore[return-value]


def _shadows(random_: random.Random, names: str) -> Sample:
    with mpmath.workdps(DIGITS):
        dim = random_.choice([3, 3, 4, 6])
        unit = [mpmath.mpf(0)] * dim
        unit[random_.randrange(dim)] = mpmath.mpf(1)
        frame = _frame(random_, dim)
        if random_.random() < 0.3:
            frame = _less(unit, [mpmath.mpf(1)] * dim), frame[0]
            frame = frame[0], _less(frame[1], frame[0])
        vectors = dict(zip(names, frame, strict=False))
        scaled = {name: _scaled(random_.uniform(0.1, 2), row) for name, row in vectors.items()}
        return Sample({d: dim}, {"e": unit, "o": [mpmath.mpf(1)] * dim, **scaled})


def _ratios(random_: random.Random) -> Sample:
    values = [random_.choice([0, random_.random()]) for _ in range(2)]
    weights = [random_.random() for _ in range(2)]
    if random_.random() < 0.3:
        values = [weight**2 for weight in weights]
    return Sample(dict(zip((x1, x2, y1, y2), (*weights, *values), strict=True)))


def _triangle(random_: random.Random) -> Sample:
    row = _random(random_, 3)
    other = _scaled(random_.uniform(0, 2), row) if random_.random() < 0.3 else _random(random_, 3)
    return Sample(vectors={"v": row, "w": other})


def _tokens(random_: random.Random, dim: int, cos: Any) -> tuple[Row, Row]:
    """u_# and u_s at an angle."""
    first, second = _frame(random_, dim)
    root, sine = mpmath.sqrt(dim), mpmath.sqrt(1 - cos**2)
    space = [root * (cos * x + sine * y) for x, y in zip(first, second, strict=True)]
    return _scaled(root, first), space


def _gains(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        dim = random_.choice([3, 4, 6])
        cos = random_.choice([mpmath.mpf(1), mpmath.mpf(-1), mpmath.mpf(random_.uniform(-1, 1))])
        boundary, space = _tokens(random_, dim, cos)
        gain = _random(random_, dim)
        if random_.random() < 0.5:
            gain = [mpmath.mpf(0)] * dim
            gain[0] = mpmath.mpf(1)
        bias = random_.choice([gain, _random(random_, dim), [mpmath.mpf(0)] * dim])
        bound = mpmath.sqrt(max(_dot(gain, gain), _dot(bias, bias))) * TIGHT
        entries = {g: gain, u: boundary, s: space, b: bias}
        return Sample({d: dim, B: bound}, entries=entries)


def _without_bias(random_: random.Random) -> Sample:
    sample = _gains(random_)
    return Sample(sample.values, entries={k: v for k, v in sample.entries.items() if k != b})


def layer(random_: random.Random, least: int) -> Sample | None:
    """A layer that (nearly) counts, with the least bound that its vectors meet."""
    length = random_.randrange(least, random_.choice([least + 2, least + 6]))
    dim, below = random_.choice([3, 4, 6]), (length - 1) ** 2 // 4
    weight = below + mpmath.mpf(random_.random()) * random_.choice([1, mpmath.mpf("0.01")])
    weight = weight + 1 if below == 0 else weight
    value = weight + length - mpmath.mpf(1) / 2
    alpha = -mpmath.mpf(below) / (2 * weight)
    scale = mpmath.sqrt(mpmath.log(weight) / mpmath.sqrt(dim)) * random_.uniform(0.75, 2)
    cos = 1 - mpmath.log(weight) / (mpmath.sqrt(dim) * scale**2)
    if not -1 < cos < 1:
        return None
    boundary, space = _tokens(random_, dim, cos)
    root, sine = scale * mpmath.sqrt(dim), mpmath.sqrt(1 - cos**2)
    along = [(x - cos * y) / sine for x, y in zip(space, boundary, strict=True)]
    shares = alpha / root, (value - alpha * cos) / (root * sine)
    readout = [
        (shares[0] * x + shares[1] * y) / mpmath.sqrt(dim)
        for x, y in zip(boundary, along, strict=True)
    ]
    gain = [scale] * dim
    bound = mpmath.sqrt(max(_dot(gain, gain), _dot(readout, readout))) * TIGHT
    entries = {g: gain, b: [mpmath.mpf(0)] * dim, u: boundary, s: space, w: readout}
    return Sample({L: length, d: dim, B: bound}, entries=entries)


def _layer(random_: random.Random) -> Sample | None:
    with mpmath.workdps(DIGITS):
        return layer(random_, 1)


def _named(sample: Sample) -> dict[Any, Any]:
    """The values of a layer by name."""
    values = {symbol: mpmath.mpf(value) for symbol, value in sample.values.items()}
    terms = {reach: K * B**2, a: WEIGHT, first: VALUES[0], A: VALUES[1], speed: sp.sqrt(d) / K}
    known = {symbol: evaluated(term, values, sample.entries) for symbol, term in terms.items()}
    return {**values, **known}


def _score(random_: random.Random) -> Sample | None:
    with mpmath.workdps(DIGITS):
        sample = layer(random_, 1) if random_.random() < 0.5 else _gains(random_)
        if sample is None:
            return None
        entries = dict(sample.entries)
        if w not in entries:
            row = random_.choice([entries[g], _random(random_, int(sample.values[d]))])
            size = sample.values[B] / mpmath.sqrt(_dot(row, row))
            entries[w] = _scaled(random_.choice([-1, 1]) * size, row)
        sample = Sample(sample.values, entries=entries)
        return Sample(_named(sample), entries=entries)


def _end(known: dict[Any, Any]) -> dict[Any, Any]:
    """rho, and what belongs to a_0."""
    for symbol, term in ((rho, END["rho"].args[1]), (alpha0, line_boundary(end))):
        known[symbol] = evaluated(term, known, {})
    known[q0] = evaluated(END["q_0"].args[1], known, {})
    return known


def _on_a_line(random_: random.Random) -> Sample | None:
    """A layer of vectors on one line, at an edge of the polytope."""
    length, dim = random_.choice([2, 3, 3, 4]), random_.choice([3, 4, 6])
    below, k, inside = (length - 1) ** 2 // 4, (length - 1) // 2, mpmath.mpf(10) ** -12
    r = mpmath.sqrt(dim - 1)

    def point(weight: Any) -> tuple[Any, Any]:
        eta = (weight - below) * length / (length - k) - 4 * length * inside
        value = weight + length - mpmath.mpf(1) / 2 - eta / length + inside
        return eta / weight - mpmath.mpf(1) / 2, value

    def excess(weight: Any) -> Any:
        alpha, value = point(weight)
        return alpha * (alpha - value) * (1 + r) - mpmath.sqrt(dim) * value * mpmath.log(weight)

    start = mpmath.mpf(max(below, 1)) + mpmath.mpf(random_.uniform(-0.4, 1.5))
    try:
        alpha, value = point(mpmath.findroot(excess, start, maxsteps=60))
    except (ValueError, ZeroDivisionError):
        return None
    if isinstance(value, mpmath.mpc) or value <= 0:
        return None
    square = value / (1 + r)
    height = (alpha / square - 1) / r
    if abs(height) > 1:
        return None
    bound = mpmath.sqrt(square)
    axis = [bound] + [mpmath.mpf(0)] * (dim - 1)
    space = [r] + [-1 / r] * (dim - 1)
    across = mpmath.sqrt(dim * (1 - height**2) / 2)
    boundary = [height * x for x in space]
    boundary = [boundary[0], boundary[1] + across, boundary[2] - across, *boundary[3:]]
    entries = {g: axis, b: axis, w: axis, u: boundary, s: space}
    return Sample({L: length, d: dim, B: bound}, entries=entries)


def _line(random_: random.Random) -> Sample | None:
    with mpmath.workdps(DIGITS):
        sample = _on_a_line(random_) if random_.random() < 0.6 else layer(random_, 2)
        if sample is None:
            return None
        known = _named(sample)
        length, below = int(known[L]), (int(known[L]) - 1) ** 2 // 4
        known[rho] = 1 - mpmath.mpf((length - 1) // 2) / length
        share = 1 / (known[rho] * length)
        known[end] = (known[reach] - length + mpmath.mpf(1) / 2 - below * share) / (1 - share)
        if known[end] <= 0:
            return None
        return Sample(_end(known), entries=sample.entries)


def _line_of_numbers(random_: random.Random) -> Sample | None:
    with mpmath.workdps(DIGITS):
        length = random_.randrange(2, 9)
        below = (length - 1) ** 2 // 4
        known = {L: mpmath.mpf(length), rho: 1 - mpmath.mpf((length - 1) // 2) / length}
        known[a] = below + mpmath.mpf(random_.random()) * random_.choice([1, 9])
        known[end] = known[a] + random_.choice([0, mpmath.mpf(random_.random()), 9])
        known[reach] = evaluated(line_value(end), known, {})
        last = (known[a] - below) / known[rho]
        share = 1 if known[end] == known[a] else random_.choice([1, random_.random()])
        eta = min(last, known[a]) * share
        known[first] = eta / known[a] - mpmath.mpf(1) / 2
        known[A] = known[a] + length - mpmath.mpf(1) / 2 - eta / length
        z, alpha = known[reach], known[first]
        needed = (alpha**2 - z * alpha - z * (z - known[A])) / z
        log = mpmath.log(known[a])
        tight = needed / log if log else mpmath.mpf(0)
        _end(known)
        rate = 1 - 1 / (known[rho] * length)
        falls = rate * known[end] - known[q0] * (1 - 2 * known[alpha0] / z)
        known[speed] = max(tight, falls, mpmath.mpf("0.001")) * random_.choice([1, 2])
        return Sample(known)


def _across(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        rows = {name: _random(random_, 3) for name in "PQ"}
        readout = random_.choice(
            [
                [x - y for x, y in zip(rows["P"], rows["Q"], strict=True)],
                _random(random_, 3),
                [mpmath.mpf(0)] * 3,
            ]
        )
        scale = random_.uniform(0.5, 2)
        bound = mpmath.sqrt(_dot(readout, readout)) * random_.choice([1, 1.5])
        bound = bound * scale or mpmath.mpf(1)
        readout = _scaled(scale, readout)
        sides = _dot(rows["P"], readout), _dot(rows["Q"], readout)
        share = bound * mpmath.sqrt(_dot(rows["Q"], rows["Q"]))
        known = {
            B: bound,
            apart: share,
            reach: share + bound * mpmath.sqrt(_dot(rows["P"], rows["P"])) * random_.choice([1, 2]),
            cross: bound**2 * _dot(rows["P"], rows["Q"]),
            value: sides[0] - sides[1],
            first: sides[0] + sides[1],
        }
        return Sample(known, {**rows, "w": readout})


def _numbers(random_: random.Random) -> dict[Any, Any]:
    """A, Z, Y and alpha with room for a score."""
    with mpmath.workdps(DIGITS):
        size = 1 + mpmath.mpf(random_.random()) * random_.choice([1, 9])
        most = size * (1 + mpmath.mpf(random_.random()) * random_.choice([0, 0.1, 1]))
        side = random_.choice([mpmath.mpf(-1), mpmath.mpf(1), random_.uniform(-1, 1)]) / 2
        low, high = (size - side) / 2, most - (size + side) / 2
        share = low + (high - low) * random_.choice([0, 1, random_.random(), random_.random()])
        return {A: size, reach: most, first: side, apart: share}


def _past(random_: random.Random) -> Sample | None:
    with mpmath.workdps(DIGITS):
        known = _numbers(random_)
        square = evaluated(U_ * V_, known, {})
        if random_.random() < 0.5:
            known[apart] = (known[reach] + known[A] / (2 * known[reach])) / 2
            square = max(evaluated(U_ * V_, known, {}), 0)
        return Sample({**known, left_root: mpmath.sqrt(max(square, 0))})


def _height(known: dict[Any, Any]) -> tuple[Any, Any]:
    """G(y; -1/2)/2 at its largest, from a fine grid, and a little more."""
    low, high = (evaluated(term, known, {}) for term in (sm_, reach - sp_))
    grid = [low + (high - low) * j / 200 for j in range(201)]
    z, size = known[reach], known[A]
    peak = (z + size / (2 * z)) / 2
    points = [*grid, peak, *(x for x in [known.get(apart, low)] if low <= x <= high)]
    tops = [evaluated(HEIGHT, {**known, other: x}, {}) for x in points]
    return max(tops), grid[tops.index(max(tops[:201]))]


def _peak(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        known = _numbers(random_)
        u_, v_ = (evaluated(term, known, {}) for term in (U_, V_))
        known[cross] = mpmath.sqrt(max(u_ * v_, 0)) - (known[A] ** 2 - known[first] ** 2) / 4
        known[level] = _height(known)[0] + random_.choice([mpmath.mpf("0.01"), 1])
        return Sample(known)


def _defined(known: dict[Any, Any]) -> dict[Any, Any]:
    for symbol, name in ((height, "height"), (slope, "slope")):
        known[symbol] = evaluated(CERTIFICATE[name].args[1], known, {})
    return known


def _cubic(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        known = _numbers(random_)
        known[reach] = known[A] * random_.choice([1, mpmath.mpf("1.02"), mpmath.mpf("1.1")])
        known.pop(apart)
        top, place = _height(known)
        known[level] = top + random_.choice([mpmath.mpf("0.01"), mpmath.mpf("0.3"), 2])
        known[point] = place * random_.choice([1, mpmath.mpf("0.99"), mpmath.mpf("1.01")])
        return Sample(_defined(known))


@cache
def _optimum(length: int, dim: int) -> tuple[dict[Any, Row], Any, Any]:
    """The entries of a layer near the optimum, its bound, and the certificate's point."""
    found = optimum(length, dim, 12)
    parameters = found.parameters

    def row(vector: Any) -> Row:
        values = [Fraction(str(entry)) for entry in vector.entries()]
        return [mpmath.mpf(x.numerator) / x.denominator for x in values]

    def normalised(vector: Row) -> Row:
        flat = _less(vector, [mpmath.mpf(1)] * dim)
        return _scaled(mpmath.sqrt(dim / _dot(flat, flat)), flat)

    entries = {g: row(parameters.gain), b: row(parameters.bias), w: row(parameters.readout)}
    entries |= {u: normalised(row(parameters.boundary)), s: normalised(row(parameters.space))}
    place = Fraction(found.witness["at"])
    bound = mpmath.mpf(found.upper.numerator) / found.upper.denominator
    return entries, bound, mpmath.mpf(place.numerator) / place.denominator


def _tangent(random_: random.Random) -> Sample | None:
    if random_.random() < 0.6:
        return None  # few are enough, and each has many entries
    with mpmath.workdps(DIGITS):
        length, dim = random_.choice([(5, 22), (6, 22), (8, 16)])
        entries, bound, place = _optimum(length, dim)
        more = random_.choice([0, mpmath.mpf(10) ** -6, mpmath.mpf(10) ** -3])
        below = (length - 1) ** 2 // 4
        known = {L: mpmath.mpf(length), d: mpmath.mpf(dim), B: bound * (1 + more)}
        known[reach] = evaluated(K * B**2, known, {})
        known[A] = below + length - mpmath.mpf(1) / 2
        known[level] = known[B] ** 2 * mpmath.sqrt(dim) * mpmath.log(below) / 2
        known[point] = place * random_.choice([1, mpmath.mpf("1.001"), mpmath.mpf("0.99")])
        return Sample(_defined(known), entries=entries)


SAMPLES: dict[str, Sampler] = {
    "bessel-of-one": lambda random_: _shadows(random_, "v"),
    "bessel-of-two": lambda random_: _shadows(random_, "pq"),
    "cauchy-schwarz-of-ratios": _ratios,
    "spread-of-gains": _without_bias,
    "triangle": _triangle,
    "reach-of-learned-pre-ln": _gains,
    "learned-pre-ln-largest-value": _layer,
    "learned-pre-ln-value": _layer,
    "learned-pre-ln-line-score": _score,
    "line-of-numbers": _line_of_numbers,
    "learned-pre-ln-line": _line,
    "largest-product-across": _across,
    "score-falls-past-its-peak": _past,
    "score-is-largest-at-the-vertex": _peak,
    "tangent-of-the-cubic": _cubic,
    "learned-pre-ln-tangent": _tangent,
}
