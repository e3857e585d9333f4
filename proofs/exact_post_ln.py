"""Exact counting in post-LN: impossible from L = 3 on, possible for L = 2."""

from __future__ import annotations

import sympy as sp

from countbounds.proving.formulas import Formula, Term, every, substituted, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.cross_ratio import (
    LIMITS,
    ROOTS,
    SINES,
    N,
    aside,
    chained,
    cross_ratio,
    forward,
    kappa,
    length,
    r0,
    r1,
    sides,
    sine,
    tau,
    u0,
    u1,
)
from proofs.post_ln import arc, tangent
from proofs.terms import L, n
from proofs.width import S, high, low

h = symbols("h")


def _step(j: int) -> Term:
    return tangent(1 - j * h)


def _bend(p: Proof) -> None:
    inside = p.given["h"]
    goal = p.theorem.statement.conclusion
    t, is_t = zip(*(p.define(f"t{j}", _step(j), inside) for j in (1, 2, 3)), strict=True)
    squares = [(1 - j * h) ** 2 / (h * (2 - j * h)) for j in (1, 2, 3)]
    square, is_square = zip(*(p.define("q", one, inside) for one in squares), strict=True)
    worth = [
        p.reals(
            sp.And(sp.Eq(j * t[j - 1] ** 2, square[j - 1]), t[j - 1] * (1 - j * h) >= 0),
            *(is_t[j - 1], is_square[j - 1], inside),
        )
        for j in (1, 2, 3)
    ]
    claim = 3 * t[2] + t[0] < 4 * t[1]
    one, two, three = squares
    q1, q2, q3 = square

    def named(q: Proof, formula: Formula, fact: Fact) -> Fact:
        """The fact about squares in their names."""
        return q.reals(formula, fact, *is_square, inside)

    def early(q: Proof, small: Fact) -> Fact:
        apart = q.reals(
            sp.And(
                8 * two - 3 * three - one > 0,
                12 * one * three < (8 * two - 3 * three - one) ** 2,
            ),
            *(small, inside),
        )
        signs = q.reals(sp.And(*(one_ >= 0 for one_ in t)), *worth, *is_square, small, inside)
        above = named(q, 8 * q2 - 3 * q3 - q1 > 0, apart)
        wider = named(q, 12 * q1 * q3 < (8 * q2 - 3 * q3 - q1) ** 2, apart)
        cross, is_cross = q.define("x", t[0] * t[2])
        rest, is_rest = q.define("y", 8 * q2 - 3 * q3 - q1)
        flat = q.reals(sp.Eq(3 * cross**2, q1 * q3), is_cross, *worth)
        less = q.reals(36 * cross**2 < rest**2, flat, wider, is_rest)
        below = q.reals(6 * cross < rest, less, q.reals(rest > 0, is_rest, above))
        product = q.reals(
            (3 * t[2] + t[0]) ** 2 < (4 * t[1]) ** 2, below, is_cross, is_rest, *worth
        )
        return q.reals(claim, product, signs)

    def middle(q: Proof, between: Fact) -> Fact:
        apart = q.reals(one < 8 * two + 3 * three, between, inside)
        signs = q.reals(
            sp.And(t[0] >= 0, t[1] >= 0, t[2] <= 0), *worth, *is_square, between, inside
        )
        less = named(q, q1 < 8 * q2 + 3 * q3, apart)
        squared = q.reals(t[0] ** 2 < 16 * t[1] ** 2 + 9 * t[2] ** 2, less, *worth)
        return q.reals(claim, squared, signs)

    def late(q: Proof, large: Fact) -> Fact:
        apart = q.reals(2 * one + 16 * two < 3 * three, large, inside)
        signs = q.reals(sp.And(t[0] >= 0, t[1] <= 0, t[2] <= 0), *worth, *is_square, large, inside)
        less = named(q, 2 * q1 + 16 * q2 < 3 * q3, apart)
        squared = q.reals(2 * t[0] ** 2 + 32 * t[1] ** 2 < 9 * t[2] ** 2, less, *worth)
        return q.reals(claim, squared, signs)

    found = p.cases(
        claim,
        [3 * h <= 1, sp.And(3 * h > 1, 2 * h <= 1), 2 * h > 1],
        [early, middle, late],
        inside,
    )
    p.qed(p.reals(goal, found, *is_t))


BEND = Theorem(
    "tangents-before-the-vertical",
    Statement(
        title="Heights in even steps below the top of a circle",
        source="exact-bounds.md, Exact counting",
        words="3 T(1 - 3h) + T(1 - h) < 4 T(1 - 2h) for T(x) = x/sqrt(1 - x^2).",
        hypotheses={"h": sp.And(h > 0, 3 * h < 2)},
        conclusion=3 * _step(3) + _step(1) < 4 * _step(2),
    ),
    _bend,
)


_THREE = {
    "kappa": kappa > 0,
    **{f"valid at {k}": length(sp.Integer(k)) > 0 for k in range(3)},
    **{f"n = {k}": sp.Eq(arc(sp.Integer(k)), k) for k in range(3)},
}


def _vertical(p: Proof) -> None:
    known, goal = p.given, p.theorem.statement.conclusion
    width = known["kappa"]
    step, is_step = p.define("h", 1 / kappa, width)
    v, is_v = zip(
        *(p.define(f"v{k}", sine(sp.Integer(k)), known[f"valid at {k}"]) for k in range(3)),
        strict=True,
    )
    heights = [
        p.reals(
            sp.Eq(v[k], 1 - (3 - k) * step),
            *(is_v[k], is_step, known[f"n = {k}"], known["top"], width),
        )
        for k in range(3)
    ]
    positive = p.reals(step > 0, is_step, width)

    def there(q: Proof, zero: Fact) -> Fact:
        line = q.reals(sp.Eq(r0, -3 * r1), zero)
        size, is_size = q.define("r", sp.sqrt(r1**2))
        sizes = q.reals(sp.And(size >= 0, sp.Eq(size**2, r1**2)), is_size)
        shares = []
        for k in range(3):
            root, is_root = q.define("l", sp.sqrt(length(sp.Integer(k))), known[f"valid at {k}"])
            roots = q.reals(
                sp.And(root > 0, sp.Eq(root**2, length(sp.Integer(k)))),
                *(is_root, known[f"valid at {k}"]),
            )
            along = q.reals(sp.Eq(v[k] * root, forward(sp.Integer(k))), is_v[k], is_root, roots)
            across = q.reals(
                sp.Eq(root**2 * (1 - v[k] ** 2), (3 - k) ** 2 * size**2),
                *(along, roots, sizes, line),
            )
            shares.append((root, roots, along, across))
        turned = q.reals(
            sp.And(v[0] > -1, 3 * step < 2, size > 0),
            *(shares[0][1], shares[0][3], shares[1][1], shares[1][3], sizes, *heights, positive),
            why="else R vanishes everywhere",
        )
        t, is_t = zip(
            *(q.define(f"t{j}", _step(j).subs(h, step), turned, positive) for j in (3, 2, 1)),
            strict=True,
        )
        bend = q.use("tangents-before-the-vertical", {h: step}, turned, positive)
        bent = q.reals(3 * t[0] + t[2] < 4 * t[1], bend, *is_t)
        places = []
        for k in range(3):
            root, roots, along, across = shares[k]
            below = q.reals(
                sp.And(sp.Eq(t[k] ** 2 * (1 - v[k] ** 2), v[k] ** 2), t[k] * v[k] >= 0),
                *(is_t[k], heights[k], turned, positive),
            )
            inside = q.reals(v[k] ** 2 < 1, heights[k], turned, positive)
            places.append(
                q.reals(
                    sp.Eq(forward(sp.Integer(k)), (3 - k) * size * t[k]),
                    *(roots, along, across, below, inside, turned),
                )
            )
        return q.reals(goal, bent, *places, turned)

    p.qed(
        p.cases(
            goal,
            [sp.Eq(aside(sp.Integer(3)), 0), sp.Ne(aside(sp.Integer(3)), 0)],
            [there, lambda q, other: q.reals(goal, other)],
        )
    )


VERTICAL = Theorem(
    "exact-values-do-not-end-at-the-top",
    Statement(
        title="Exact counting does not reach the top of the arc",
        source="exact-bounds.md, Exact counting",
        words="If y = n at n = 0, 1, 2 and 3 is the height of the top, N(3) is not at the top.",
        hypotheses={**_THREE, "top": sp.Eq(tau + kappa, 3)},
        conclusion=aside(sp.Integer(3)) ** 2 > 0,
    ),
    _vertical,
)


def _four(p: Proof) -> None:
    known, goal = p.given, p.theorem.statement.conclusion
    width, numbers = known["kappa"], [sp.Integer(k) for k in range(4)]
    valid = [known[f"valid at {k}"] for k in range(3)]

    def contradiction(q: Proof, last: Fact) -> Fact:
        exact = [*(known[f"n = {k}"] for k in range(3)), last]
        v, is_v = zip(
            *(q.define(f"v{k}", sine(numbers[k]), valid[k]) for k in range(4)), strict=True
        )
        heights = [q.reals(sp.Eq(kappa * v[k], k - tau), is_v[k], exact[k]) for k in range(4)]
        size = [q.reals(sp.And(-1 <= v[k], v[k] <= 1), is_v[k], valid[k]) for k in (0, 3)]
        order = q.reals(sp.And(*chained(v, True)), *heights, width)

        def at_the_top(r: Proof, one: Fact) -> Fact:
            top = r.reals(sp.Eq(tau + kappa, 3), one, heights[3])
            level = r.reals(sp.Eq(aside(numbers[3]), 0), one, is_v[3], valid[3])
            above = r.use("exact-values-do-not-end-at-the-top", {}, *valid, *exact, top, width)
            return r.reals(goal, level, above)

        def at_the_bottom(r: Proof, one: Fact) -> Fact:
            """The same after n -> 3 - n, y -> 3 - y."""
            turned = {u0: -u0 - 3 * u1, u1: u1, r0: r0 + 3 * r1, r1: -r1, tau: 3 - tau}
            given = [r.reals(sp.Eq(3 - tau + kappa, 3), one, heights[0])]
            for k in range(4):
                there = substituted(length(numbers[k]), turned)
                same = r.reals(sp.Eq(there, length(numbers[3 - k])))
                given.append(r.reals(there > 0, same, valid[3 - k]))
                if k < 3:
                    mirrored = substituted(arc(numbers[k]), turned)
                    given.append(
                        r.reals(sp.Eq(mirrored, k), same, exact[3 - k], given[-1], valid[3 - k])
                    )
            level = r.reals(sp.Eq(aside(numbers[0]), 0), one, is_v[0], valid[0])
            above = r.use("exact-values-do-not-end-at-the-top", turned, *given, width)
            return r.reals(goal, level, above)

        def inside(r: Proof, within: Fact) -> Fact:
            squares = [r.reals(one**2 < 1, within, order) for one in v]
            roots = r.both(
                *(
                    r.reals(sp.sqrt(1 - one**2) > 0, fact)
                    for one, fact in zip(v, squares, strict=True)
                )
            )
            names = {
                **dict(zip(SINES, map(sine, numbers), strict=True)),
                **dict(zip(LIMITS, v, strict=True)),
            }
            outside = r.reals(substituted(sides(False), names), *is_v, order)
            swept = r.reals(sp.And(*chained([sine(k) for k in numbers], True)), *is_v, order)
            least = r.use(
                "cross-ratio-of-lines",
                {
                    **dict(zip(N, numbers, strict=True)),
                    **dict(zip(LIMITS, v, strict=True)),
                    **{g: sp.sqrt(1 - one**2) for g, one in zip(ROOTS, v, strict=True)},
                },
                *(*valid, swept, roots, outside),
            )
            grown = r.use(
                "cross-ratio-grows-with-curvature-strictly",
                {**dict(zip(S, v, strict=True)), low: sp.Integer(0), high: sp.Integer(1)},
                *(order, *squares),
            )
            even = r.reals(sp.Eq(cross_ratio(v), sp.Rational(1, 4)), *heights, order, width)
            return r.reals(goal, least, grown, even)

        return q.cases(
            goal,
            [sp.Eq(v[3], 1), sp.Eq(v[0], -1), sp.And(v[0] > -1, v[3] < 1)],
            [at_the_top, at_the_bottom, inside],
            *size,
        )

    def three(q: Proof, last: Fact) -> Fact:
        valid.append(q.reals(length(numbers[3]) > 0, last, known["valid at n"]))
        return contradiction(
            q, q.reals(sp.Eq(arc(numbers[3]), 3), last, known["exact at n"], valid[3])
        )

    gap = p.integer_gap(n - 2)
    p.qed(
        p.cases(
            goal,
            [n <= 2, sp.Eq(n, 3)],
            [lambda q, fewer: q.reals(goal, fewer), three],
            *(gap, known["inputs"]),
        )
    )


FOUR_VALUES = Theorem(
    "four-exact-values",
    Statement(
        title="Post-LN: exact values at 0, 1, 2 and 3 are too many",
        source="exact-bounds.md, Exact counting",
        words="If y = n at n = 0, 1, 2 and at some n up to 3, that n is not 3.",
        integers=(n,),
        hypotheses={
            **_THREE,
            "inputs": n <= 3,
            "valid at n": length(n) > 0,
            "exact at n": sp.Eq(arc(n), n),
        },
        conclusion=n <= 2,
    ),
    _four,
)


# --- at all lengths ----------------------------------------------------------------------


def _exact(p: Proof) -> None:
    known, goal = p.given, p.theorem.statement.conclusion

    def long(q: Proof, large: Fact) -> Fact:
        facts = []
        for k in range(4):
            number = sp.Integer(k)
            valid = q.at(known["valid"], number, large)
            facts += [valid, q.at(known["exact"], number, large, valid)]
        positive = q.reals(kappa > 0, *facts[:4], known["kappa"], why="y is not constant")
        return q.reals(goal, q.use("four-exact-values", {n: sp.Integer(3)}, *facts, positive))

    gap = p.integer_gap(L - 2)
    p.qed(p.cases(goal, [L <= 2, L >= 3], [lambda q, short: q.reals(goal, short), long], gap))


EXACT = Theorem(
    "post-ln-does-not-count-exactly",
    Statement(
        title="Exact counting in post-LN",
        source="exact-bounds.md, Exact counting",
        words="y(n) = n for all n = 0..L on an arc only for L <= 2.",
        integers=(L,),
        hypotheses={
            "length": L >= 0,
            "kappa": kappa >= 0,
            "valid": every(n, (n >= 0, n <= L), length(n) > 0),
            "exact": every(n, (n >= 0, n <= L, length(n) > 0), sp.Eq(arc(n), n)),
        },
        conclusion=L <= 2,
    ),
    _exact,
)

_PARABOLA = n**2 - 3 * n + 3


def _to_two(p: Proof) -> None:
    number, goal = p.given["inputs"], p.theorem.statement.conclusion
    first, second = p.integer_gap(n), p.integer_gap(n - 1)
    p.qed(
        p.cases(
            goal,
            [sp.Eq(n, 0), sp.Eq(n, 1), sp.Eq(n, 2)],
            [lambda q, equal: q.reals(goal, equal)] * 3,
            *(number, first, second),
        )
    )


TO_TWO = Theorem(
    "post-ln-counts-exactly-to-two",
    Statement(
        title="Exact counting in post-LN for L = 2",
        source="exact-bounds.md, Exact counting",
        words="n/sqrt(n^2 - 3n + 3), the arc with U = n, R = sqrt(3) (2 - n), kappa = 2 and "
        "tau = 0, is n at n = 0, 1, 2.",
        integers=(n,),
        hypotheses={"inputs": sp.And(n >= 0, n <= 2)},
        conclusion=sp.And(
            sp.Eq(2 * n / sp.sqrt(n**2 + (sp.sqrt(3) * (2 - n)) ** 2), n), _PARABOLA > 0
        ),
    ),
    _to_two,
)
