"""Numbers for the theorems about bare pre-LN softmax."""

from __future__ import annotations

import random
from typing import Any

import mpmath

from proofs.polytope import A, a, first
from proofs.pre_ln import (
    FAR,
    LAYER_OUTPUT,
    NEAR,
    at,
    at2,
    c0,
    c1,
    c2,
    cosine,
    ell,
    far,
    height,
    height2,
    near,
    rho,
    slope,
    slope2,
    tangent,
    y,
)
from proofs.terms import B, L, d, m, n
from tests.proofs.numeric import DIGITS, Sample, Sampler, evaluated


def _layer(random_: random.Random, least: int) -> tuple[int, Any, Any, Any, Any]:
    """A length, a dimension, and a weight, a value and a boundary value that (nearly) round."""
    length = random_.randrange(least, random_.choice([least + 2, least + 8]))
    dim = random_.choice([3, 3, 4, 5, 16, 3 + mpmath.mpf(random_.random())])
    slack = mpmath.mpf(random_.random()) * random_.choice([1, 1, mpmath.mpf(1) / 100])
    weight = max((length - 1) ** 2 // 4, 1) + slack
    below = (length - 1) ** 2 // 4
    share = random_.choice([mpmath.mpf(1) / 2, mpmath.mpf(random_.random())])
    value = weight + length - mpmath.mpf(1) / 2
    return length, dim, weight, value, -mpmath.mpf(1) / 2 + share * (weight - below) / weight


def _cosine(weight: Any, dim: Any) -> Any:
    return 1 - mpmath.log(weight) / mpmath.sqrt(dim)


def vectors(dim: Any, weight: Any, value: Any, boundary: Any, aside: Any) -> dict[str, list[Any]]:
    """A boundary, a space and a read-out with these weight and values."""
    cos, root = _cosine(weight, dim), mpmath.sqrt(dim)
    sine = mpmath.sqrt(1 - cos**2)
    readout = [boundary / root, (value - boundary * cos) / (root * sine), aside]
    return {"u": [root, 0, 0], "s": [root * cos, root * sine, 0], "w": readout}


def _needed(random_: random.Random) -> Sample | None:
    with mpmath.workdps(DIGITS):
        length, dim, weight, value, boundary = _layer(random_, 2)
        if mpmath.log(weight) >= 2 * mpmath.sqrt(dim):
            return None
        aside = random_.choice([mpmath.mpf(0), mpmath.mpf(random_.random())])
        known = {L: length, d: dim}
        return Sample(known, vectors(dim, weight, value, boundary, aside))


def _inputs(random_: random.Random, length: int, known: dict[Any, Any]) -> Sample | None:
    """An input, and the output of the construction; None if the angle is out of range."""
    if not -1 < known[cosine] < 1:
        return None
    spaces = random_.randrange(length + 1)
    values = {**known, L: length, n: spaces, m: random_.choice([0, length - spaces])}
    return Sample({**values, y: evaluated(LAYER_OUTPUT, values, {})})


def _construction(random_: random.Random) -> Sample | None:
    with mpmath.workdps(DIGITS):
        length, dim, weight, value, boundary = _layer(random_, 1)
        known = {d: dim, cosine: _cosine(weight, dim), A: value, first: boundary}
        return _inputs(random_, length, known)


def _readout(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        dim, cos = random_.choice([3, 4, 16]), mpmath.mpf(random_.uniform(-1, 1))
        return Sample(
            {d: dim, cosine: cos, A: random_.uniform(0, 9), first: random_.uniform(-1, 1) / 2}
        )


def _parameters(random_: random.Random, length: int, dim: Any, weight: Any) -> Sample | None:
    known = {
        d: dim,
        a: weight,
        cosine: _cosine(weight, dim),
        first: -((length - 1) ** 2 // 4) / (2 * weight),
        A: weight + length - mpmath.mpf(1) / 2,
    }
    return _inputs(random_, length, known)


def _weight(random_: random.Random) -> Sample | None:
    with mpmath.workdps(DIGITS):
        length, dim, weight, _, _ = _layer(random_, 1)
        return _parameters(random_, length, dim, weight)


def _cap(random_: random.Random) -> Sample | None:
    with mpmath.workdps(DIGITS):
        dim = mpmath.mpf(random_.choice([3, 3, 4, 5, 16]))
        length = random_.randrange(1, random_.choice([4, 14]))
        middle = ((length - 1) ** 2 // 4 + mpmath.exp(2 * mpmath.sqrt(dim))) / 2
        return _parameters(random_, length, dim, middle)


def _norm(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        dim, sign = random_.choice([3, 4, 16]), random_.choice([-1, 1])
        root = mpmath.sqrt(dim)
        cos = random_.choice([mpmath.mpf(random_.uniform(-1, 1)), mpmath.mpf(1), mpmath.mpf(-1)])
        sine, factor = mpmath.sqrt(1 - cos**2), random_.uniform(-3, 3)
        first_, second = [root, mpmath.mpf(0)], [root * cos, root * sine]
        along = [factor * x + z for x, z in zip(first_, second, strict=True)]
        readout = random_.choice([along, [random_.uniform(-1, 1), random_.uniform(-1, 1)]])
        bound = mpmath.sqrt(mpmath.fsum(x * x for x in readout)) * random_.choice([1, 1, 2])
        known = {d: dim, ell: factor, B: sign * bound * (1 + mpmath.mpf(10) ** -30)}
        return Sample(known, {"u": first_, "s": second, "w": readout})


def _bounded(
    random_: random.Random, least: int
) -> tuple[dict[Any, Any], dict[str, list[Any]], Any]:
    """A layer that (nearly) counts, with a bound that its read-out meets, and its weight."""
    length, dim, weight, value, boundary = _layer(random_, least)
    weight = min(weight, mpmath.exp(2 * mpmath.sqrt(dim)) * mpmath.mpf("0.99"))
    aside = random_.choice([mpmath.mpf(0), mpmath.mpf(random_.random())])
    known = vectors(dim, weight, value, boundary, aside)
    norm = mpmath.sqrt(mpmath.fsum(x * x for x in known["w"]))
    bound = norm * (1 + random_.choice([mpmath.mpf(10) ** -30, mpmath.mpf(random_.random())]))
    return {L: length, d: dim, B: bound}, known, weight


def _vertex_bound(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        known, layer, _ = _bounded(random_, 3)
        factor = random_.choice([0, random_.uniform(0, 1), random_.uniform(0, 50)])
        return Sample({**known, ell: factor}, layer)


def _rho(length: int) -> Any:
    return 1 - mpmath.mpf((length - 1) // 2) / length


def _edges(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        length, _, weight, value, boundary = _layer(random_, 1)
        end = (weight - (length - 1) ** 2 // 4) / _rho(length)
        eta = random_.choice([boundary * weight + weight / 2, end * mpmath.mpf("0.999")])
        return Sample(
            {
                L: length,
                a: weight,
                rho: _rho(length),
                first: eta / weight - mpmath.mpf(1) / 2,
                A: value - random_.choice([0, mpmath.mpf("0.9999")]) * eta / length,
            }
        )


def _ratio(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        length = random_.randrange(2, 12)
        weight = mpmath.mpf(random_.random()) * random_.choice([mpmath.mpf("0.001"), 1, 50])
        factor = random_.choice([0, -1, -mpmath.mpf(random_.random())])
        return Sample({L: length, ell: factor, rho: _rho(length), a: weight})


def _multiplier_values(random_: random.Random) -> tuple[dict[Any, Any], dict[str, list[Any]]]:
    known, layer, weight = _bounded(random_, 2)
    known[ell] = random_.choice([0, -1, -mpmath.mpf(random_.random())])
    known |= {rho: _rho(known[L]), a: weight}
    return known, layer


def _multiplier(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        known, layer = _multiplier_values(random_)
        known |= {near: evaluated(NEAR, known, {}), far: evaluated(FAR, known, {})}
        return Sample(known, layer)


def _points(random_: random.Random) -> Sample:
    return Sample({a: random_.random() * random_.choice([1, 50]), at: random_.random() * 3})


def _square(random_: random.Random) -> Sample:
    return Sample(
        {
            a: random_.random() * random_.choice([1, 9]),
            at: random_.random() * 3,
            c0: random_.uniform(-1, 3),
            c1: random_.uniform(-1, 1),
            c2: random_.choice([0, random_.random()]),
        }
    )


def _tangents(random_: random.Random, count: int) -> Sample:
    with mpmath.workdps(DIGITS):
        known, layer = _multiplier_values(random_)
        symbols = [(at, height, slope), (at2, height2, slope2)][:count]
        places = sorted(known[a] * random_.uniform(0.3, 2.5) for _ in symbols)
        for (point, high, rise), place in zip(symbols, places, strict=True):
            known[point] = mpmath.mpf(place)
            terms = tangent(random_.choice(["near", "far"]), point)
            known |= {
                symbol: evaluated(term, known, {})
                for symbol, term in zip((high, rise), terms, strict=True)
            }
        return Sample(known, layer)


def _one_needed(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        dim, cos = random_.choice([3, 4, 16]), 1 - mpmath.mpf(random_.random()) ** 4
        weight = mpmath.exp(mpmath.sqrt(dim) * (1 - cos))
        boundary = random_.choice([cos, mpmath.mpf(random_.random())]) * mpmath.mpf("0.4999")
        value = (weight + 1) * mpmath.mpf("0.500001") - weight * boundary
        layer = vectors(dim, weight, value, boundary, 0)
        norm = mpmath.sqrt(mpmath.fsum(x * x for x in layer["w"]))
        return Sample({d: dim, B: norm * (1 + mpmath.mpf(10) ** -30)}, layer)


def _one_reached(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        dim = random_.choice([3, 4, 16])
        cos = 1 - mpmath.mpf(random_.random()) ** random_.choice([1, 4, 9]) / 4
        weight = mpmath.exp(mpmath.sqrt(dim) * (1 - cos))
        value = ((1 + weight) / (2 * (1 + weight * cos)) + 1 / (2 * cos)) / 2
        spaces = random_.choice([0, 1])
        known = {d: dim, cosine: cos, A: value, n: spaces, m: random_.choice([0, 1 - spaces])}
        output = evaluated(LAYER_OUTPUT, {**known, first: value * cos}, {})
        return Sample({**known, y: output})


SAMPLES: dict[str, Sampler] = {
    "cap-is-needed": _needed,
    "pre-ln-construction": _construction,
    "pre-ln-readout": _readout,
    "pre-ln-vertex-is-reached": _weight,
    "cap-is-reached": _cap,
    "pre-ln-norm": _norm,
    "pre-ln-vertex": _vertex_bound,
    "edges-of-the-polytope": _edges,
    "multiplier-values-are-positive": _ratio,
    "pre-ln-multiplier": _multiplier,
    "log-lies-below-its-tangents": _points,
    "square-lies-above-its-tangents": _square,
    "pre-ln-tangent": lambda random_: _tangents(random_, 1),
    "pre-ln-two-tangents": lambda random_: _tangents(random_, 2),
    "pre-ln-one-is-needed": _one_needed,
    "pre-ln-one-is-reached": _one_reached,
}
