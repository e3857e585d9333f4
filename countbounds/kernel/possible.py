"""That explicit rational parameters count to L: the upper side of every claim.

For each kind of curve the inequalities |y - n| < 1/2 become polynomials that have to be
positive at the integers of a range; which inputs are enough is stated at each.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from countbounds.kernel.claims import HALF, Facts, fields, integer, number, prove, require
from countbounds.kernel.enclosures import Interval, exp, rounded, sqrt
from countbounds.kernel.polynomials import Polynomial, breakpoints, positive, times, value

Vector = list[tuple[Any, int]]
Vectors = dict[str, Vector]
TOKENS = ("boundary", "space", "letter")


def check_possible(variant: str, length: int, dim: int, bound: Fraction, proof: Any) -> None:
    """Refuse unless the proof's parameters, all of norm <= bound, count to the length."""
    v = read_vectors(variant, dim, bound, proof)
    if variant.startswith("softmax-post-ln"):
        _post_ln(v, length, dim)
    else:
        prove(lambda bits: _fractional(variant, v, length, dim, bits), "|y - n| < 1/2")


def check_exact(variant: str, dim: int, bound: Fraction, proof: Any) -> None:
    """Refuse unless linear attention with vectors of norm <= bound has y = n, exactly.

    The proof's read-out r is rational; the layer's is r sqrt(d), or r/|P x_#| in pre-LN, so
    that the coefficients of y = p_# + p_s n + p_l m are rational: they are to be 0, 1, 0.
    """
    *tokens, readout = read_vectors(variant, dim, bound, proof).values()
    scale, factors = Fraction(dim), [Fraction(1)] * 3
    if variant == "linear-pre-ln":
        tokens = [centred(token, dim) for token in tokens]
        squares = [dot(token, token) for token in tokens]
        require(all(squares), "LayerNorm meets the zero vector")
        scale, factors = 1 / squares[0], [dim / (squares[0] * square) for square in squares]
    require(scale * dot(readout, readout) <= bound * bound, "the readout vector is too long")
    p = [f * dot(tokens[0], t) * dot(readout, t) for f, t in zip(factors, tokens, strict=True)]
    require(p == [0, 1, 0], "the output is not n")


def read_vectors(
    variant: str, dim: int, bound: Fraction, proof: Any, names: Sequence[str] = (*TOKENS, "readout")
) -> Vectors:
    """The proof's vectors by name, none longer than the bound."""
    names = [*names, *(("gain", "bias") if variant.endswith("-learned") else ())]
    vectors = [read_vector(content, dim) for content in fields(proof, *names)]
    require(all(dot(v, v) <= bound * bound for v in vectors), "a vector is too long")
    return dict(zip(names, vectors, strict=True))


def read_vector(content: Any, dim: int) -> Vector:
    """A vector from at most four runs [[entry, count], ...]; the counts add up to d."""
    short = isinstance(content, list) and 0 < len(content) <= 4
    pairs = short and all(isinstance(run, list) and len(run) == 2 for run in content)
    require(pairs, "a vector is not a list of runs, each an entry and its count")
    runs = [(number(entry), integer(count, 1, dim)) for entry, count in content]
    require(sum(count for _, count in runs) == dim, "a vector's counts do not add up to d")
    return runs


def combine(left: Vector, right: Vector, function: Callable[[Any, Any], Any]) -> Vector:
    """Entry by entry, on the common refinement of the runs."""
    result, a, b = [], left[:], right[:]
    while a:
        (x, i), (y, j) = a.pop(0), b.pop(0)
        count = min(i, j)
        result.append((function(x, y), count))
        a[:0] = [(x, i - count)] * (i > count)
        b[:0] = [(y, j - count)] * (j > count)
    return result


def dot(left: Vector, right: Vector) -> Any:
    """The inner product."""
    return _sum(combine(left, right, lambda x, y: x * y))


def _sum(vector: Vector) -> Any:
    return sum((x * count for x, count in vector), Fraction(0))


def centred(vector: Vector, dim: int) -> Vector:
    """The vector less its mean."""
    mean = _sum(vector) / dim
    return [(x - mean, count) for x, count in vector]


# --- without post-LN: y = (p0 + p1 n + p2 m) / (q0 + q1 n + q2 m), q positive -------------


def _fractional(variant: str, v: Vectors, length: int, dim: int, bits: int) -> Facts:
    """Whether the parameters certainly count, and whether they may.

    For fixed n, y is monotone in m: the edges m = 0 and m = L - n decide. On each of them
    sign (y - n) < 1/2, times 2 q, is a quadratic in n, bounded from both sides.
    """
    values, weights, q = attended(variant, v, dim, bits)
    p = [rounded(w * dot(v["readout"], t), bits) for w, t in zip(weights, values, strict=True)]
    edges = ((p, q), (on_edge(p, length), on_edge(q, length)))
    gaps = [
        [rounded(x, bits) for x in (d[0] - s * c[0], d[1] + s * d[0] - s * c[1], s * d[1])]
        for c, d in edges
        for s in (2, -2)
    ]
    return [signs(gap, 0, length) for gap in gaps]


def signs(p: list[Interval], first: int, last: int) -> tuple[bool, bool]:
    """Whether a polynomial is certainly positive at the integers of a range, and may be."""
    return positive([x.low for x in p], first, last), positive([x.high for x in p], first, last)


def attended(variant: str, v: Vectors, dim: int, bits: int) -> tuple[list[Vector], Any, Any]:
    """What attention sees of the tokens, their weights, and the denominator in (1, n, m)."""
    root = sqrt(dim, bits)
    values = [_token(variant, v, v[name], dim, bits) for name in TOKENS]
    scores = [Interval(0) + dot(values[0], token) for token in values]
    weights, q = [score / root for score in scores], [Interval(1), Interval(0), Interval(0)]
    if variant.startswith("softmax"):
        weights = q = [exp(rounded((s - scores[1]) / root, bits), bits) for s in scores]
    return values, weights, q


def on_edge(p: list[Interval], length: int) -> list[Interval]:
    """The affine form at m = L - n."""
    return [p[0] + p[2] * length, p[1] - p[2]]


def _token(variant: str, v: Vectors, raw: Vector, dim: int, bits: int) -> Vector:
    """What attention sees of a token: its vector, after pre-LN where there is one."""
    if "pre-ln" not in variant:
        return raw
    seen = centred(raw, dim)
    square = dot(seen, seen)
    require(square > 0, "LayerNorm meets the zero vector")
    scale = sqrt(dim / square, bits)
    token = [(x * scale, count) for x, count in seen]
    if "gain" in v:
        token = combine(token, v["gain"], lambda x, y: x * y)
        token = combine(token, v["bias"], lambda x, y: x + y)
    return token


# --- post-LN with equal scores: y = tau + sqrt(d) <w', P N> / |P N|, N = x# + n xs --------


def _post_ln(v: Vectors, length: int, dim: int) -> None:
    """All weights are 1 and the letter vanishes after centring, so y depends on n alone.

    Both inequalities read A sqrt(d) < T sqrt(Q) with A, T affine and Q quadratic in n.
    """
    same = dot(v["boundary"], v["boundary"]) == dot(v["boundary"], v["space"])
    require(same, "the scores of boundary and space differ")
    require(all(x == 0 for x, _ in centred(v["letter"], dim)), "the letter has to vanish")
    readout, tau = v["readout"], Fraction(0)
    if "gain" in v:
        tau = dot(readout, v["bias"])
        readout = combine(readout, v["gain"], lambda x, y: x * y)
    x, s = centred(v["boundary"], dim), centred(v["space"], dim)
    square = [dot(x, x), 2 * dot(x, s), dot(s, s)]
    require(positive(square, 0, length), "LayerNorm meets the zero vector")
    for sign in (1, -1):
        affine = [sign * dot(readout, x), sign * dot(readout, s)]
        _below_root(affine, [HALF - sign * tau, Fraction(sign)], square, length, dim)


def _below_root(a: Polynomial, t: Polynomial, square: Polynomial, length: int, dim: int) -> None:
    """Refuse unless A sqrt(d) < T sqrt(Q) at every integer of 0..L (Q is positive there)."""
    squares = times(a, a) + [Fraction(0)] * 2
    difference = [x - dim * y for x, y in zip(times(times(t, t), square), squares, strict=True)]
    points = sorted({*breakpoints(a, 0, length), *breakpoints(t, 0, length)})
    between = [(x + 1, y - 1) for x, y in pairwise(points) if y - x > 1]
    for first, last in [(n, n) for n in points] + between:
        # A and T keep their signs on first..last.
        left, right = value(a, first), value(t, first)
        if right > 0 and left <= 0:
            continue
        require(right > 0 or left < 0, "an input is misread")
        ordered = difference if right > 0 else [-x for x in difference]
        require(positive(ordered, first, last), "an input is misread")
