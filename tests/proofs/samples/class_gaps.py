"""Numbers for the theorems about the gaps of classification read-outs."""

from __future__ import annotations

import random
from typing import Any

import mpmath

from proofs.class_gaps import (
    across,
    along,
    aside,
    b_,
    chord_,
    delta,
    first,
    height,
    high,
    last,
    low,
    most_,
    rate,
    rho,
    right,
    secant,
    second,
    start_,
    step_,
    tangent,
    threshold,
    up,
    v_,
    width,
    x_,
    y_,
)
from proofs.classification import b0, b1, common, eps, gap, k, other, own, p_, q_, radius
from proofs.polytope import a
from proofs.terms import B, L, d, m, n
from tests.proofs.numeric import DIGITS, Sample, Sampler
from tests.proofs.samples.classification import at

SMALL = mpmath.mpf(10) ** -30


def _lines(random_: random.Random) -> tuple[dict[Any, Any], list[Any], list[Any]]:
    """Classes with a gap, and their scores p_k, q_k."""
    length = random_.randrange(1, 7)
    least = mpmath.mpf(random_.choice([1, random_.random(), -1]))
    slack = random_.choice([0, mpmath.mpf(random_.random())])
    q, p = [mpmath.mpf(random_.uniform(-9, 0))], [mpmath.mpf(random_.uniform(0, 9))]
    for t in range(length):
        step = 2 * least + slack
        ends = t * step + least, (t + 1) * step - least
        q.append(q[-1] + step)
        p.append(p[-1] - random_.choice([*ends, (ends[0] + ends[1]) / 2]))
    return {L: length, gap: least * (1 - SMALL) if least > 0 else least * (1 + SMALL)}, p, q


def _summed(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        known, p, q = _lines(random_)
        return Sample({**known, p_: at(p), q_: at(q)})


def _bounded(random_: random.Random) -> Sample:
    """Tokens with the scores f and g, and the classes whose scores they then have to be."""
    with mpmath.workdps(DIGITS):
        known, p, q = _lines(random_)
        dim = random_.choice([1, 3, 16])
        far, aside = mpmath.mpf(random_.uniform(0.2, 3)), mpmath.mpf(random_.uniform(0.1, 3))
        angle = random_.choice([0, 0.5, 1])
        space = [aside * mpmath.cos(angle), aside * mpmath.sin(angle)]
        root = mpmath.sqrt(dim)
        own_score, its_score = far**2 / root, far * space[0] / root
        p = [x - (p[0] + p[-1]) / 2 for x in p]
        q = [x - (q[0] + q[-1]) / 2 for x in q]
        rows, biases = [], []
        for index in (0, -1):
            bias = p[index] * random_.choice([0, 1, mpmath.mpf(random_.random())])
            x = (p[index] - bias) / (own_score * far)
            y = q[index] / its_score
            rest = (y - x * space[0]) / space[1] if angle else mpmath.mpf(0)
            if not angle:
                q[index] = its_score * x * space[0]
            rows.append([x, rest])
            biases.append(bias)
        if not angle:
            known[gap] = -100  # the classes are then not apart
        size = max(mpmath.hypot(*row) for row in rows)
        known |= {
            B: max(size, *(abs(x) for x in biases)) + SMALL,
            radius: max(far, aside) + SMALL,
            d: dim,
            b0: biases[0],
            b1: biases[1],
            p_: at(p),
            q_: at(q),
        }
        vectors = {"least": rows[0], "last": rows[1], "u": [far, mpmath.mpf(0)], "s": space}
        return Sample(known, vectors)


def _point(t: Any) -> tuple[Any, Any]:
    """Cosine and sine of the angle with the tangent t of its quarter."""
    angle = 4 * mpmath.atan(t)
    return mpmath.cos(angle), mpmath.sin(angle)


def _quarters(random_: random.Random, count: int) -> list[Any]:
    most = mpmath.sqrt(2) - 1
    return sorted(
        most * mpmath.mpf(random_.choice([-1, 1, random_.uniform(-1, 1)])) for _ in range(count)
    )


def _chord(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        ends = _quarters(random_, 2)
        (c, s), (c1, s1) = (_point(t) for t in ends)
        x, y = (mpmath.mpf(random_.uniform(-1, 1)) for _ in range(2))
        gain = x * (c1 - c) + y * (s1 - s)
        if gain < 0:
            x, y, gain = -x, -y, -gain
        least = gain * mpmath.mpf(random_.choice([1, random_.random()])) - SMALL
        weight = mpmath.mpf(random_.uniform(0.1, 3)) / (ends[1] - ends[0] + SMALL) / 4
        return Sample(
            {low: ends[0], high: ends[1], right: x, up: y, threshold: least, rate: weight}
        )


def _turn(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        ends = _quarters(random_, 3)
        x, y = (mpmath.mpf(random_.uniform(-1, 1)) for _ in range(2))
        return Sample(
            {
                **dict(zip((low, high, last), ends, strict=True)),
                right: x,
                up: y,
                width: mpmath.hypot(x, y) + SMALL,
            }
        )


def _weighed(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        longest, ahead, weight = (mpmath.mpf(random_.uniform(0.01, 3)) for _ in range(3))
        length = longest * mpmath.mpf(random_.choice([1, random_.random()]))
        least = length * ahead * (1 - SMALL)
        weight = random_.choice([weight, 1 / length])
        return Sample(
            {chord_: length, most_: longest, along: ahead, threshold: least, rate: weight}
        )


def _quarter_of(x: Any, y: Any) -> Any:
    return mpmath.tan(mpmath.atan2(x, y) / 4)


def _classes(random_: random.Random) -> tuple[dict[Any, Any], list[Any], list[Any]]:
    """Classes over a line: along a parabola, exactly or nearly, or anywhere."""
    length = random_.randrange(1, 7)
    side = mpmath.mpf(random_.choice([1, random_.uniform(0.1, 9)]))
    begin = mpmath.mpf(random_.choice([0, random_.uniform(-4, 4)]))
    step = mpmath.mpf(random_.uniform(0.1, 2))
    scale, noise = mpmath.mpf(random_.uniform(0.5, 2)), random_.choice([0, 0, 0.01, 1])
    states = [(side, begin + t * step) for t in range(length + 1)]
    classes = []
    for t in range(length + 1):
        y = (2 * t - length) / step
        x = (-(mpmath.mpf(t) ** 2) + mpmath.mpf(length) ** 2 / 2 - y * begin) / side
        moves = [noise * mpmath.mpf(random_.uniform(-1, 1)) for _ in range(3)]
        classes.append((x + moves[0], y + moves[1], moves[2]))

    def score(number: int, spaces: int) -> Any:
        x, y, bias = classes[number]
        c, s = states[spaces]
        return scale * (x * c + y * s) / mpmath.hypot(c, s) + bias

    apart = [
        score(i, i) - score(j, i)
        for i in range(length + 1)
        for j in (i - 1, i + 1)
        if 0 <= j <= length
    ]
    quarters = [_quarter_of(s, c) for c, s in states]
    known = {
        L: length,
        rho: scale,
        width: max(mpmath.hypot(x, y) for x, y, _ in classes) + SMALL,
        gap: min(apart) - SMALL,
        x_: at([x for x, _, _ in classes]),
        y_: at([y for _, y, _ in classes]),
        b_: at([bias for _, _, bias in classes]),
        v_: at(quarters),
    }
    return known, [side, begin, step], quarters


def _arc(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        return Sample(_classes(random_)[0])


def _post(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        known, line, _ = _classes(random_)
        return Sample({**known, **dict(zip((height, start_, step_), line, strict=True))})


def _quarter(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        half = mpmath.mpf(random_.choice([-1, 1, 0, random_.uniform(-1, 1)]))
        root = mpmath.sqrt(1 + half**2)
        return Sample(
            {
                tangent: half,
                secant: root,
                low: half / (1 + root),
                right: (1 - half**2) / (1 + half**2),
                up: 2 * half / (1 + half**2),
            }
        )


def _angle(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        y = mpmath.mpf(random_.choice([0, random_.uniform(0, 3)]))
        x = mpmath.mpf(random_.uniform(-3, 3))
        return Sample({height: y, start_: x, low: _quarter_of(x, y)})


def _order(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        y = mpmath.mpf(random_.choice([0, random_.uniform(0, 3)]))
        ends = sorted(mpmath.mpf(random_.uniform(-3, 3)) for _ in range(2))
        sizes = [mpmath.hypot(x, y) for x in ends]
        quarters = [_quarter_of(x, y) for x in ends]
        names = height, start_, step_, first, second, low, high
        return Sample(dict(zip(names, (y, *ends, *sizes, *quarters), strict=True)))


def _inputs(random_: random.Random) -> tuple[dict[Any, Any], int, int]:
    length = random_.randrange(1, 9)
    spaces = random_.choice([length, random_.randrange(length + 1)])
    label = random_.choice([t for t in range(length + 1) if t != spaces])
    if spaces == length and random_.random() < 0.5:
        label = length - 1
    known = {
        L: length,
        n: spaces,
        m: random_.choice([0, length - spaces]),
        k: label,
        eps: mpmath.mpf(random_.uniform(0.1, 2)),
        common: mpmath.mpf(random_.uniform(-2, 2)),
    }
    return known, spaces, label


def _scores(known: dict[Any, Any], denominator: Any, scale: Any) -> Sample:
    spaces, label = known[n], known[k]
    scores = [
        (known[eps] * scale * (2 * t * spaces - t**2) + known[common]) / denominator
        for t in (spaces, label)
    ]
    return Sample({**known, own: scores[0], other: scores[1]})


def _softmax(random_: random.Random) -> Sample:
    with mpmath.workdps(DIGITS):
        known, _, _ = _inputs(random_)
        known[a] = mpmath.mpf(random_.uniform(0.1, 9))
        known[delta] = mpmath.mpf(random_.choice([0, 1, random_.random()]))
        return _scores(known, known[a] + known[n] + known[delta] * known[m], 1)


def _after_norm(random_: random.Random) -> Sample | None:
    with mpmath.workdps(DIGITS):
        known, _, _ = _inputs(random_)
        for name in (first, second, aside, across):
            known[name] = mpmath.mpf(random_.choice([1, random_.uniform(-3, 3)]))
        known[radius] = mpmath.mpf(random_.uniform(0.1, 3))

        def norm(spaces: int) -> Any:
            across_ = known[aside] + known[across] * spaces
            return mpmath.hypot(known[first] + known[second] * spaces, across_)

        return None if norm(0) > norm(known[L]) else _scores(known, norm(known[n]), known[radius])


SAMPLES: dict[str, Sampler] = {
    "class-gap-of-linear-attention": _summed,
    "class-gap-of-linear-attention-is-bounded": _bounded,
    "class-gap-weighed": _weighed,
    "class-gap-along-a-chord": _chord,
    "class-gap-at-a-turn": _turn,
    "class-gap-direction": _turn,
    "class-gap-on-an-arc": _arc,
    "class-gap-quarter-of-an-angle": _quarter,
    "class-gap-angle-on-a-line": _angle,
    "class-gap-order": _order,
    "class-gap-of-post-ln": _post,
    "class-gap-of-parabola": _softmax,
    "class-gap-of-parabola-after-norm": _after_norm,
}
