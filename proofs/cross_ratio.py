"""The cross-ratio theorem of post-LN: curves tau + kappa sin(phi) that round correctly.

A vector (U, R) runs along a straight line; phi is its angle from the R axis, so that
tan(phi) = U/R is a Moebius function of the input and keeps cross-ratios of four inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from typing import Any

import sympy as sp

from countbounds.proving.formulas import Formula, Term, substituted, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem

kappa, tau = symbols("kappa tau")
u0, u1, r0, r1 = symbols("u0 u1 r0 r1")
N = symbols("n0 n1 n2 n3")
SINES, COSINES = symbols("v0 v1 v2 v3"), symbols("c0 c1 c2 c3")
LIMITS, ROOTS = symbols("s0 s1 s2 s3"), symbols("g0 g1 g2 g3")


def cross_ratio(points: Sequence[Term]) -> Term:
    """(p1 - p0)(p3 - p2) / ((p3 - p1)(p2 - p0))."""
    p0, p1, p2, p3 = points
    return (p1 - p0) * (p3 - p2) / ((p3 - p1) * (p2 - p0))


def _sine(i: int, j: int) -> Term:
    """The sine of the angle from point i to point j, both on the unit circle."""
    return SINES[j] * COSINES[i] - SINES[i] * COSINES[j]


def chained(terms: Sequence[Term], strictly: bool) -> list[Formula]:
    """Each term below the next."""
    return [a < b if strictly else a <= b for a, b in pairwise(terms)]


# --- four points of a circle -------------------------------------------------------------


def _between(p: Proof) -> None:
    """cos(phi1) > 0 and cos(phi2) > 0."""
    unit = [p.given[f"unit {i}"] for i in range(4)]
    turn = {pair: p.given["turn {}{}".format(*pair)] for pair in combinations(range(4), 2)}
    order = p.given["order"]
    c, found = COSINES, []
    for i, j, k in ((0, 1, 2), (1, 2, 3)):
        either = [
            p.reals(
                sp.Or(c[a] > 0, c[b] > 0),
                *(unit[a], unit[b], turn[a, b], order),
                why="beyond the vertical the sine falls with the angle",
            )
            for a, b in ((i, j), (j, k))
        ]
        relation = p.identity(
            c[j] * _sine(i, k), _sine(j, k) * c[i] + _sine(i, j) * c[k], why="three vectors"
        )
        turns = (turn[i, j], turn[j, k], turn[i, k])
        found.append(p.reals(c[j] > 0, *either, relation, *turns))
    p.qed(*found)


_CIRCLE = {
    **{f"unit {i}": sp.Eq(SINES[i] ** 2 + COSINES[i] ** 2, 1) for i in range(4)},
    **{f"turn {i}{j}": _sine(i, j) > 0 for i, j in combinations(range(4), 2)},
    "order": sp.And(*chained(SINES, True)),
}
BETWEEN = Theorem(
    "angles-between-are-acute",
    Statement(
        title="The middle angles of an increasing sweep",
        source="exact-bounds.md, cross-ratio",
        words="If four angles grow by less than 180 degrees and so do their sines, only the first "
        "can lie before -90 degrees and only the last beyond 90.",
        hypotheses=_CIRCLE,
        conclusion=sp.And(COSINES[1] > 0, COSINES[2] > 0),
    ),
    _between,
)


SLOPES = [s / g for s, g in zip(LIMITS, ROOTS, strict=True)]
SWEPT = _sine(0, 1) * _sine(2, 3) / (_sine(1, 3) * _sine(0, 2))


def below(a: Term, b: Term, strictly: bool) -> Formula:
    """a < b or a <= b."""
    return a < b if strictly else a <= b


_LIMITS = {
    **{f"limit {i}": sp.Eq(LIMITS[i] ** 2 + ROOTS[i] ** 2, 1) for i in range(4)},
    "roots": sp.And(*(root > 0 for root in ROOTS)),
}


def sides(strictly: bool) -> Formula:
    """The first and third at most at their limits, the second and fourth at least."""
    v, s = SINES, LIMITS
    return sp.And(
        *(v[0] <= s[0], s[0] <= s[1], below(s[1], v[1], strictly)),
        *(below(v[2], s[2], strictly), s[2] <= s[3], s[3] <= v[3]),
    )


def _of_angles(p: Proof, strictly: bool) -> None:
    """t_i are the limits' tangents, x1 and x2 those of the middle angles."""
    v, c, known = SINES, COSINES, p.given
    turn = {pair: known["turn {}{}".format(*pair)] for pair in combinations(range(4), 2)}
    circle = [(known[f"unit {i}"], known[f"limit {i}"]) for i in range(4)]
    outside, roots = known["sides"], known["roots"]
    acute = p.use(
        "angles-between-are-acute", {}, *(one for one, _ in circle), *turn.values(), known["order"]
    )
    t, is_t = zip(*(p.define(f"t{i}", SLOPES[i], roots) for i in range(4)), strict=True)
    x, is_x = zip(*(p.define(f"x{i}", v[i] / c[i], acute) for i in (1, 2)), strict=True)
    common = (roots, outside)
    lower = p.reals(below(t[1], x[0], strictly), is_t[1], is_x[0], *circle[1], acute, *common)
    upper = p.reals(below(x[1], t[2], strictly), is_t[2], is_x[1], *circle[2], acute, *common)
    outer = p.reals(t[0] <= t[1], is_t[0], is_t[1], circle[0][1], circle[1][1], *common)
    inner = p.reals(t[2] <= t[3], is_t[2], is_t[3], circle[2][1], circle[3][1], *common)
    between = p.reals(x[0] < x[1], *is_x, acute, turn[1, 2])
    chain = [outer, lower, between, upper, inner]
    part: dict[tuple[int, int], Any] = {}
    facts: dict[tuple[int, int], list[Fact]] = {}
    for i, j, k in ((0, 1, 1), (0, 2, 2), (2, 3, 2), (1, 3, 1)):
        part[i, j], is_part = p.define(f"A{i}{j}", _sine(i, j) / c[k], acute)
        value = x[k - 1] * c[0] - v[0] if i == 0 else v[3] - x[k - 1] * c[3]
        positive = p.reals(part[i, j] > 0, is_part, acute, turn[i, j])
        equal = p.reals(sp.Eq(part[i, j], value), is_part, is_x[k - 1], acute)
        facts[i, j] = [is_part, positive, equal]

    def end(i: int, pair: tuple[int, int], goal: Formula) -> Fact:
        return p.cases(
            goal,
            [c[i] > 0, c[i] <= 0],
            [
                lambda q, ahead: q.reals(goal, ahead, is_t[i], *circle[i], *common),
                lambda q, past: q.reals(goal, past, *chain, *facts[pair]),
            ],
            why="past the vertical: the sweep is below 180 degrees",
        )

    first, last = end(0, (0, 1), v[0] <= c[0] * t[0]), end(3, (2, 3), c[3] * t[3] <= v[3])
    left = p.reals(
        part[0, 1] * (x[1] - t[0]) >= (x[0] - t[0]) * part[0, 2],
        *(facts[0, 1][2], facts[0, 2][2], first, between),
        why="the difference is (x2 - x1)(c0 t0 - v0)",
    )
    right = p.reals(
        part[2, 3] * (t[3] - x[0]) >= (t[3] - x[1]) * part[1, 3],
        *(facts[2, 3][2], facts[1, 3][2], last, between),
        why="the difference is (x2 - x1)(v3 - c3 t3)",
    )
    bound = part[0, 1] * part[2, 3] / (part[1, 3] * part[0, 2])
    middle = (x[0] - t[0]) * (t[3] - x[1]) / ((t[3] - x[0]) * (x[1] - t[0]))
    signs = [facts[pair][1] for pair in facts]
    reached = p.reals(middle <= bound, left, right, *chain, *signs)
    moved = p.reals(below(cross_ratio(t), middle, strictly), *chain)
    is_swept = p.reals(
        sp.Eq(bound, SWEPT), *(facts[pair][0] for pair in facts), *signs, acute, *turn.values()
    )
    ratio = p.reals(sp.Eq(cross_ratio(SLOPES), cross_ratio(t)), *is_t, *chain, roots)
    p.qed(p.reals(p.theorem.statement.conclusion, reached, moved, is_swept, ratio))


def _angles(strictly: bool) -> Theorem:
    return Theorem(
        "cross-ratio-of-angles" + "-strictly" * strictly,
        Statement(
            title="The cross-ratio of a sweep against that of its limits",
            source="exact-bounds.md, cross-ratio",
            words="If four increasing angles pass limits at the outside of the first and the third "
            "and at the inside of the second and the fourth, their cross-ratio is at least that "
            "of the limits."
            + (" It is larger if the inner two pass strictly." if strictly else ""),
            hypotheses={
                **_CIRCLE,
                **_LIMITS,
                "sides": sides(strictly),
            },
            conclusion=below(cross_ratio(SLOPES), SWEPT, strictly),
        ),
        lambda p: _of_angles(p, strictly),
    )


ANGLES, ANGLES_STRICTLY = _angles(False), _angles(True)


# --- four points of a line ---------------------------------------------------------------


def forward(number: Term) -> Term:
    """U(n), along the read-out."""
    return u0 + u1 * number


def aside(number: Term) -> Term:
    """R(n), at right angles to the read-out."""
    return r0 + r1 * number


def length(number: Term) -> Term:
    """U(n)^2 + R(n)^2."""
    return forward(number) ** 2 + aside(number) ** 2


def sine(number: Term) -> Term:
    """U/sqrt(U^2 + R^2)."""
    return forward(number) / sp.sqrt(length(number))


def _of_lines(p: Proof, strictly: bool) -> None:
    known, goal = p.given, p.theorem.statement.conclusion
    valid = [known[f"valid {i}"] for i in range(4)]
    v, is_v = zip(*(p.define(f"v{i}", sine(N[i]), valid[i]) for i in range(4)), strict=True)
    z, is_z = zip(
        *(p.define(f"z{i}", 1 / sp.sqrt(length(N[i])), valid[i]) for i in range(4)), strict=True
    )
    positive = [p.reals(z[i] > 0, is_z[i], valid[i]) for i in range(4)]
    order = p.reals(sp.And(*chained(v, True)), *is_v, known["order"])
    outside = p.reals(
        substituted(sides(strictly), dict(zip(SINES, v, strict=True))), *is_v, known["sides"]
    )
    scaled = [p.reals(sp.Eq(v[i], z[i] * forward(N[i])), is_v[i], is_z[i]) for i in range(4)]
    one = [p.reals(sp.Eq(z[i] ** 2 * length(N[i]), 1), is_z[i], valid[i]) for i in range(4)]
    determinant = u1 * r0 - u0 * r1
    limits = [known[name] for name in _LIMITS]

    def parallel(q: Proof, flat: Fact) -> Fact:
        square, is_square = zip(
            *(q.define(f"f{i}", forward(N[i]) ** 2) for i in range(3)), strict=True
        )
        norm, is_norm = zip(*(q.define(f"l{i}", length(N[i])) for i in range(3)), strict=True)
        shares = [
            q.reals(sp.Eq(v[i] ** 2 * norm[i], square[i]), is_square[i], is_norm[i], is_v[i])
            for i in range(3)
        ]
        same = []
        for i in (1, 2):
            line = q.reals(sp.Eq(forward(N[i]) * aside(N[0]), forward(N[0]) * aside(N[i])), flat)
            ratio = q.reals(
                sp.Eq(square[i] * norm[0], square[0] * norm[i]),
                *(line, is_square[0], is_square[i], is_norm[0], is_norm[i]),
            )
            long = [q.reals(norm[k] > 0, is_norm[k], valid[k]) for k in (0, i)]
            same.append(
                q.reals(
                    sp.Eq(v[i] ** 2, v[0] ** 2),
                    *(shares[0], shares[i], ratio, *long),
                    why="(U, R) keeps its direction: two values only",
                )
            )
        return q.reals(goal, *same, order, why="there are no three different ones")

    def turning(sign: int) -> Callable[[Proof, Fact], Fact]:
        def show(q: Proof, turned: Fact) -> Fact:
            c, is_c = zip(
                *(q.define(f"c{i}", sign * z[i] * aside(N[i])) for i in range(4)), strict=True
            )
            unit = [
                q.reals(sp.Eq(v[i] ** 2 + c[i] ** 2, 1), is_c[i], scaled[i], one[i])
                for i in range(4)
            ]
            sweep, is_sweep, worth, turn = {}, {}, {}, {}
            for i, j in combinations(range(4), 2):
                term = v[j] * c[i] - v[i] * c[j]
                sweep[i, j], is_sweep[i, j] = q.define(f"sweep{i}{j}", term)
                value = z[i] * z[j] * sign * determinant * (N[j] - N[i])
                worth[i, j] = q.reals(
                    sp.Eq(sweep[i, j], value),
                    *(is_sweep[i, j], is_c[i], is_c[j], scaled[i], scaled[j]),
                )
                turn[i, j] = q.reals(
                    sweep[i, j] > 0, worth[i, j], turned, positive[i], positive[j], known["inputs"]
                )
            images = dict(zip((*SINES, *COSINES), (*v, *c), strict=True))
            turns = [
                q.reals(v[j] * c[i] - v[i] * c[j] > 0, turn[i, j], is_sweep[i, j])
                for i, j in combinations(range(4), 2)
            ]
            swept = q.use(
                "cross-ratio-of-angles" + "-strictly" * strictly,
                images,
                *(*unit, *turns, order, outside, *limits),
            )
            common, is_common = q.define("P", z[0] * z[1] * z[2] * z[3] * determinant**2)
            large = q.reals(common > 0, is_common, turned, *positive)
            top, bottom = (
                q.reals(
                    sp.Eq(sweep[a] * sweep[b], common * (N[a[1]] - N[a[0]]) * (N[b[1]] - N[b[0]])),
                    *(worth[a], worth[b], is_common),
                )
                for a, b in (((0, 1), (2, 3)), ((1, 3), (0, 2)))
            )
            ratio = sweep[0, 1] * sweep[2, 3] / (sweep[1, 3] * sweep[0, 2])
            equal = q.reals(
                sp.Eq(ratio, cross_ratio(N)),
                *(top, bottom, large, turn[1, 3], turn[0, 2], known["inputs"]),
            )
            same = q.reals(
                sp.Eq(substituted(SWEPT, images), ratio), *is_sweep.values(), *turn.values()
            )
            return q.reals(goal, swept, same, equal)

        return show

    p.qed(
        p.cases(
            goal,
            [sp.Eq(determinant, 0), determinant > 0, determinant < 0],
            [parallel, turning(1), turning(-1)],
            why="a reflection of R turns the sweep around",
        )
    )


def _lines(strictly: bool) -> Theorem:
    return Theorem(
        "cross-ratio-of-lines" + "-strictly" * strictly,
        Statement(
            title="The cross-ratio of four inputs against that of limits",
            source="exact-bounds.md, cross-ratio",
            words="The same for U/sqrt(U^2 + R^2) with U and R affine in the input, whatever "
            "the direction.",
            hypotheses={
                "inputs": sp.And(*chained(N, True)),
                **{f"valid {i}": length(N[i]) > 0 for i in range(4)},
                "order": sp.And(*chained([sine(number) for number in N], True)),
                **_LIMITS,
                "sides": substituted(
                    sides(strictly), {s: sine(k) for s, k in zip(SINES, N, strict=True)}
                ),
            },
            conclusion=below(cross_ratio(SLOPES), cross_ratio(N), strictly),
        ),
        lambda p: _of_lines(p, strictly),
    )


LINES, LINES_STRICTLY = _lines(False), _lines(True)
