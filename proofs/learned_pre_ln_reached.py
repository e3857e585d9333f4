"""Learned pre-LN: explicit vectors of norm of order L/d^(1/4) that count, with letters.

In the directions f1 = (r, -1/r, ..., -1/r)/sqrt(d) and f2 = (0, 1, -1, 0, ...)/sqrt(2), at right
angles to the all-ones vector, r = sqrt(d - 1), the tokens are seen as u = LN(x):

    u_s = sqrt(d) f1,   u_#, u_l = sqrt(d) (cos(phi) f1 +- sin(phi) f2),
    w = B e1,   g = (G, h, h, 0, ...),   b = (G, h cos(phi)/r, h cos(phi)/r, 0, ...).

A vector is written by its first three entries and the one that repeats d - 3 times.
"""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import HALF, Formula, Term, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.polytope import alpha, eps, near_vertex, other, own, read_first, read_space
from proofs.terms import B, L, d, inner, least_value, least_weight, m, n, rounds, softmax_output

cosine, G, h, K = symbols("c G h K")
ONE, ZERO = sp.Integer(1), sp.Integer(0)
weight, first, value = near_vertex(ONE)
r = sp.sqrt(d - 1)
_sine = sp.sqrt(d / 2) * sp.sqrt(1 - cosine**2)

Run = tuple[Term, Term, Term, Term]
SEEN: dict[str, Run] = {
    "boundary": (r * cosine, -cosine / r + _sine, -cosine / r - _sine, -cosine / r),
    "space": (r, -1 / r, -1 / r, -1 / r),
    "letter": (r * cosine, -cosine / r - _sine, -cosine / r + _sine, -cosine / r),
}
GAIN: Run = (G, h, h, ZERO)
BIAS: Run = (G, h * cosine / r, h * cosine / r, ZERO)
READOUT: Run = (B, ZERO, ZERO, ZERO)


def normalised(vector: Run) -> Formula:
    """The vector is of norm sqrt(d) and at right angles to the all-ones vector."""
    x, y, z, rest = vector
    return sp.And(
        sp.Eq(x + y + z + (d - 3) * rest, 0), sp.Eq(x**2 + y**2 + z**2 + (d - 3) * rest**2, d)
    )


def learned(vector: Run) -> list[Term]:
    """g u + b, the first three entries; the others vanish with those of g and b."""
    return [g * u + b for g, u, b in zip(GAIN[:3], vector[:3], BIAS[:3], strict=True)]


TOKENS = {name: learned(vector) for name, vector in SEEN.items()}
OUTPUT = softmax_output(
    TOKENS["boundary"], TOKENS["space"], TOKENS["letter"], list(READOUT[:3]), dim=d
)
NORMS = sp.And(*(inner(list(v), list(v)) <= B**2 for v in (READOUT, GAIN, BIAS)))
_score = sp.sqrt(d) * sp.log(weight)
_excess = first**2 - first * value


def _sizes(p: Proof) -> tuple[list[Fact], Fact]:
    """What is known of r, K, a*, A*, the angle and B; and |alpha| and A near the vertex."""
    given = [p.given[name] for name in ("length", "dimension", "B > 0")]
    size = p.use("size-of-least-weight", {}, p.given["length"])
    root, root_is = p.define("r", r, *given)
    scale, scale_is = p.define("q", sp.sqrt(d), *given)
    roots = p.reals(
        sp.And(root >= sp.sqrt(2), sp.Eq(root**2, d - 1), scale > 1, sp.Eq(scale**2, d),
               sp.Eq(K, 1 + root), sp.Eq(root, r), sp.Eq(scale, sp.sqrt(d))),
        root_is, scale_is, p.given["K"], *given,
    )  # fmt: skip
    ratio = p.reals(K <= sp.sqrt(2) * sp.sqrt(d), p.reals(K**2 <= 2 * scale**2, roots), roots)
    least = p.reals(
        sp.And(least_weight(L) >= 2, least_value(L) >= least_weight(L) + sp.Rational(7, 2)),
        size,
        *given,
    )
    point = p.reals(
        sp.And(first <= 0, first >= -HALF, weight >= 4, value >= sp.Rational(15, 2)), least
    )
    angle = p.reals(
        sp.And(cosine < 0, cosine**2 <= sp.Rational(3, 4)),
        p.reals(
            sp.Eq(cosine * root, first * K / value - 1), p.given["cosine"], roots, root_is, point
        ),
        p.reals(
            sp.And(first * K / value <= 0, first * K / value >= -K / 15),
            point,
            p.reals(K > 0, roots),
        ),
        roots,
    )
    square = p.reals(sp.And(sp.Eq(B**2 * K, 5 * value), B**2 > 0), p.given["bound"], roots, point)
    wide = p.reals(
        value >= weight + 2 * sp.sqrt(weight - 2) + HALF,
        p.reals(sp.sqrt(least_weight(L)) <= (L - 1) / 2, size, least, p.given["length"]),
        point,
    )
    return [roots, ratio, point, angle, square, *given], wide


def _room(p: Proof) -> None:
    sizes, wide = _sizes(p)
    _, ratio, point, _, square, *given = sizes
    half = p.axiom("log lies below its tangent", sp.sqrt(weight), facts=[point])
    product = p.axiom("log of a product", sp.sqrt(weight), sp.sqrt(weight), facts=[point])
    inverse = p.axiom("log lies below its tangent", 1 / weight, facts=[point])
    cancel = p.axiom("log of a product", weight, 1 / weight, facts=[point])
    logs = p.reals(
        sp.And(sp.log(weight) <= 2 * sp.sqrt(weight) - 2, sp.log(weight) >= sp.Rational(3, 4)),
        half, product, inverse, cancel, p.reals(1 / weight <= sp.Rational(1, 4), point),
    )  # fmt: skip
    small = p.reals(sp.log(weight) <= sp.Rational(3, 10) * value, logs, wide, point)
    excess = p.reals(sp.And(_excess >= 0, 2 * _excess <= value + HALF), point)
    least = p.reals(_score >= sp.Rational(3, 4) * sp.sqrt(d), logs, *given)
    product = p.reals(
        sp.sqrt(d) * B**2 >= sp.Rational(7, 2) * value,
        p.reals(sp.sqrt(d) * B**2 * sp.sqrt(2) >= K * B**2, ratio, square),
        square,
        point,
    )
    enough = p.reals(
        _score * B**2 >= 2 * _excess,
        p.reals(_score * B**2 >= sp.Rational(3, 4) * sp.sqrt(d) * B**2, least, square),
        product,
        excess,
        point,
    )
    most = p.reals(
        8 * _score <= sp.Rational(7, 10) * d * B**2,
        p.reals(_score <= sp.Rational(3, 10) * value * sp.sqrt(d), small, *given),
        p.reals(sp.Eq(sp.sqrt(d) * sp.sqrt(d) * B**2, d * B**2), *given),
        p.reals(
            d * B**2 >= sp.Rational(7, 2) * value * sp.sqrt(d),
            product,
            *given,
        ),
    )
    p.qed(enough, most, excess, *sizes)


_GIVEN = {
    "length": L >= 4,
    "dimension": d >= 3,
    "B > 0": B > 0,
    "K": sp.Eq(K, 1 + r),
    "weight": sp.And(weight > 2, value > 0, K > 0),
    "bound": sp.Eq(B**2, 5 * value / K),
    "cosine": sp.Eq(cosine, (first * K / value - 1) / r),
}
_ROOM = sp.And(
    _score * B**2 >= 2 * _excess,
    8 * _score <= sp.Rational(7, 10) * d * B**2,
    _excess >= 0,
    cosine**2 <= sp.Rational(3, 4),
)

ROOM = Theorem(
    "learned-pre-ln-room",
    Statement(
        title="Learned pre-LN: the score and the values fit into the gain",
        source="exact-bounds.md, learned pre-LN",
        words="At that bound the gain's entries exist and are short, and the angle is not flat.",
        integers=(L,),
        hypotheses=_GIVEN,
        conclusion=_ROOM,
    ),
    _room,
)


def _reached(p: Proof) -> None:
    sizes, _ = _sizes(p)
    roots, _, point, _, square, *given = sizes
    room = p.use("learned-pre-ln-room", {}, *p.given.values())
    angle = p.reals(sp.And(cosine**2 <= sp.Rational(3, 4), _excess >= 0), room)
    scores, scores_is = p.define("S", _score, point, *given)
    needed = p.reals(
        sp.Eq(h**2 * d * (1 - cosine**2), scores - _excess / B**2),
        p.given["h"], scores_is, angle, square, *given,
    )  # fmt: skip
    values = p.reals(
        sp.And(sp.Eq(B * G * (1 + r), value), sp.Eq(B * G * (1 + r * cosine), first)),
        p.reals(sp.Eq(B * G * K, value), p.given["G"], roots, *given),
        p.reals(
            sp.Eq((1 + r * cosine) * value, first * K), p.given["cosine"], roots, point, *given
        ),
        p.given["K"],
        point,
        roots,
    )
    short = p.reals(
        sp.And(G**2 <= B**2 / 25, 2 * h**2 <= sp.Rational(7, 10) * B**2),
        p.reals(
            sp.Eq(G**2, B**2 / 25),
            p.reals(sp.Eq(B * G * K, value), p.given["G"], roots, *given),
            square,
            p.reals(sp.And(B > 0, K > 0), roots, *given),
        ),
        p.reals(
            2 * h**2 * d <= sp.Rational(7, 10) * B**2 * d,
            p.reals(h**2 * d / 4 <= scores, needed, angle, square,
                    p.reals(_excess / B**2 >= 0, angle, square),
                    p.reals(h**2 * d >= 0, p.given["dimension"])),
            p.reals(8 * scores <= sp.Rational(7, 10) * d * B**2, room, scores_is),
        ),
        p.given["dimension"],
    )  # fmt: skip
    bias = p.reals(
        2 * h**2 * cosine**2 / (d - 1) <= 2 * h**2,
        p.reals(cosine**2 / (d - 1) <= 1, angle, *given),
        p.reals(h**2 >= 0),
        *given,
    )
    norms = p.reals(NORMS, short, bias, *given)
    (x, s, letter), w = TOKENS.values(), list(READOUT[:3])
    along = [
        p.reals(
            sp.Eq(inner(x, x), first**2 / B**2 + h**2 * d * (1 - cosine**2)),
            values, angle, *given,
        ),
        p.reals(sp.Eq(inner(x, s), first * value / B**2), values, angle, *given),
        p.reals(
            sp.Eq(inner(x, letter), first**2 / B**2 - h**2 * d * (1 - cosine**2)),
            values, angle, *given,
        ),
    ]  # fmt: skip
    own_score = p.reals(
        sp.Eq((inner(x, x) - inner(x, s)) / sp.sqrt(d), sp.log(weight)),
        p.reals(
            sp.Eq(inner(x, x) - inner(x, s), sp.sqrt(d) * sp.log(weight)),
            *along[:2], needed, scores_is, square,
        ),
        *given,
    )  # fmt: skip
    light = p.reals(
        (inner(x, letter) - inner(x, s)) / sp.sqrt(d) <= 0,
        p.reals(
            inner(x, letter) - inner(x, s) <= 0,
            *along[1:],
            needed,
            p.reals(scores >= 2 * _excess / B**2, room, scores_is, square),
            square,
        ),
        *given,
    )
    y = p.reals(
        sp.And(sp.Eq(inner(w, x), first), sp.Eq(inner(w, s), value), inner(w, letter) <= 0,
               inner(w, letter) >= -HALF),
        values,
        point,
        *given,
    )  # fmt: skip
    counts = p.use(
        "layers-near-the-vertex",
        {
            eps: ONE,
            own: (inner(x, x) - inner(x, s)) / sp.sqrt(d),
            other: (inner(x, letter) - inner(x, s)) / sp.sqrt(d),
            read_first: inner(w, x),
            read_space: inner(w, s),
            alpha: inner(w, letter),
        },
        own_score,
        light,
        y,
        point,
        p.given["inputs"],
        *given,
    )
    unit = [p.reals(normalised(vector), angle, *given) for vector in SEEN.values()]
    p.qed(*unit, norms, counts)


REACHED = Theorem(
    "learned-pre-ln-reached",
    Statement(
        title="Learned pre-LN: norms of order L/d^(1/4) are enough",
        source="exact-bounds.md, learned pre-LN",
        words="At B^2 = 5 (A* + 2)/(1 + sqrt(d - 1)) explicit vectors count to L >= 4.",
        integers=(L, n, m),
        hypotheses={
            **_GIVEN,
            "inputs": sp.And(n >= 0, m >= 0, n + m <= L),
            "G": sp.Eq(G, value / (K * B)),
            "angle": cosine**2 < 1,
            "h": sp.And(h >= 0, sp.Eq(h**2, (_score - _excess / B**2) / (d * (1 - cosine**2)))),
        },
        conclusion=sp.And(
            *(normalised(vector) for vector in SEEN.values()), NORMS, rounds(OUTPUT, n)
        ),
    ),
    _reached,
)
