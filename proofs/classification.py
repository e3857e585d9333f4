"""The classification read-out: score_k = <c_k, h> + beta_k for k = 0..L, decoded by argmax.

Every placement has class vectors with score_k = (2kn - k^2)/(L^2 z) + (a term common to all k),
z > 0: n^2 - (n - k)^2 is largest at k = n. Coordinates are along two orthonormal vectors of
1-perp, which exist as d >= 3; a learned norm has the gain 1/sqrt(d) in every entry and no bias.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

from countbounds.proving.formulas import Formula, Term, dot, every, substituted, symbols
from countbounds.proving.proof import Fact, Proof, Statement, Theorem
from proofs.polytope import a
from proofs.terms import B, L, d, inner, m, n
from proofs.vectors import inner_at_most

k, own, other, z, eps = symbols("k score_n score_k z epsilon")
common, size, offset = symbols("t |c_k|^2 beta_k")

# --- decoding ----------------------------------------------------------------------------


def _decodes(p: Proof) -> None:
    apart = [p.integer_gap(n - k), p.integer_gap(k - n, why="so (n - k)^2 >= 1")]
    known = [p.given[name] for name in ("own", "other", "positive", "apart")]
    square = p.reals((n - k) ** 2 >= 1, *apart, p.given["apart"])
    gap = p.reals(z * (own - other) >= eps, square, *known)
    p.qed(gap, p.given["positive"])


DECODES = Theorem(
    "parabola-decodes",
    Statement(
        title="Scores along a parabola decode",
        source="theory.md, section 8",
        words="If z score_k = epsilon (2kn - k^2) + t with one t for k and for n, z > 0, then "
        "score_n exceeds score_k by at least epsilon/z for all integers k other than n.",
        integers=(n, k),
        hypotheses={
            "positive": sp.And(z > 0, eps > 0),
            "own": sp.Eq(z * own, eps * n**2 + common),
            "other": sp.Eq(z * other, eps * (2 * k * n - k**2) + common),
            "apart": sp.Ne(k, n),
        },
        conclusion=own - other >= eps / z,
    ),
    _decodes,
)


@dataclass(frozen=True)
class Layer:
    """A layer in two coordinates, and its classes.

    Attributes:
        softmax: whether attention has the softmax (else it is linear).
        norm: where LayerNorm stands ("", "pre" or "post").
        learned: whether it has a gain, 1/sqrt(d) in every entry (else 1).
        tokens: the embeddings of boundary, space and letter.
        classes: c_k and beta_k times L^2, by k and the boundary's weight.
        scale: epsilon L^2, epsilon being the gap times z.
        most: bounds of |c_k|^2 and of beta_k^2.
    """

    softmax: bool
    norm: str
    learned: bool
    tokens: tuple[list[Term], list[Term], list[Term]]
    classes: Callable[[Term, Term], tuple[list[Term], Term]]
    scale: Term
    most: tuple[Term, Term]

    def normalised(self, vector: list[Term]) -> list[Term]:
        """g LN(z) = g sqrt(d) z/|z| for a vector of 1-perp."""
        radius = sp.Integer(1) if self.learned else sp.sqrt(d)
        return [radius * x / sp.sqrt(inner(vector, vector)) for x in vector]

    def hidden(self) -> tuple[list[Term], Term, Term]:
        """What the read-out sees, its positive denominator z, and the boundary's weight."""
        tokens = list(self.tokens)
        if self.norm == "pre":
            tokens = [self.normalised(token) for token in tokens]
        scores = [inner(tokens[0], token) / sp.sqrt(d) for token in tokens]
        weights = [sp.exp(score) for score in scores] if self.softmax else scores
        counts = [sp.Integer(1), n, m]
        total = sp.Add(*(c * x for c, x in zip(counts, weights, strict=True)))
        denominator = total if self.softmax else sp.Integer(1)
        state = [
            sp.Add(*(c * x * t[i] for c, x, t in zip(counts, weights, tokens, strict=True)))
            / denominator
            for i in range(2)
        ]
        if self.norm == "post":
            radius = sp.Integer(1) if self.learned else sp.sqrt(d)
            length = sp.sqrt(inner(state, state))
            return self.normalised(state), denominator * length / radius, weights[0]
        return state, denominator, weights[0]

    def class_of(self, number: Term) -> tuple[list[Term], Term]:
        """c_k and beta_k."""
        vector, bias = self.classes(number, self.hidden()[2])
        return [x / L**2 for x in vector], bias / L**2

    def score(self, number: Term) -> Term:
        """<c_k, h> + beta_k."""
        vector, bias = self.class_of(number)
        return inner(vector, self.hidden()[0]) + bias


def _decoder(layer: Layer) -> Callable[[Proof], None]:
    def prove(p: Proof) -> None:
        length, dimension, inputs = (p.given[name] for name in ("length", "dimension", "inputs"))
        state, denominator, weight = layer.hidden()
        known = [length, dimension, inputs]
        if layer.softmax:
            known += _weights(p, weight)
        if layer.norm == "post":
            known.append(
                p.reals(inner(state, state) > 0, *known, why="the boundary attends to itself")
            )
        epsilon = layer.scale / L**2
        positive = p.reals(sp.And(denominator > 0, epsilon > 0), *known)
        lines = [
            _parabola(p, denominator * layer.score(t), epsilon * (2 * t * n - t**2), weight, known)
            for t in (n, k)
        ]
        values = {z: denominator, eps: epsilon, common: sp.Integer(0)}
        values |= {own: layer.score(n), other: layer.score(k)}
        gap = p.use("parabola-decodes", values, *lines, positive, p.given["apart"], *known)
        equal = [p.given[name] for name in ("own", "other", "z", "epsilon")]
        far = p.reals(own - other >= eps / z, gap, *equal, positive, *known)
        p.qed(far, *_bounds(p, layer, weight, known))

    return prove


def _weights(p: Proof, weight: Term) -> list[Fact]:
    """The boundary's weight is at least 1, and exp(-x) is its inverse."""
    exponent, dimension = weight.args[0], p.given["dimension"]
    above = p.axiom("exp lies above its tangent", exponent, facts=[dimension])
    inverse = p.axiom("exp of a sum", sp.Integer(0), exponent, facts=[dimension])
    return [p.reals(weight >= 1, above, dimension), inverse]


def _parabola(p: Proof, left: Term, right: Term, weight: Term, known: list[Fact]) -> Fact:
    """left = right, with exp(-x) read as 1/exp(x)."""
    inverse = 1 / weight
    if not (isinstance(weight, sp.exp) and left.has(weight) and left.has(inverse)):
        return p.identity(left, right, *known)
    named, is_named = p.define("W", weight, *known)
    plain = left.subs({weight: named, inverse: 1 / named}, simultaneous=True)
    positive = p.reals(named >= 1, is_named, *known)
    same = p.reals(sp.Eq(inverse, 1 / named), is_named, positive, *known)
    line = p.identity(plain, right, positive, *known)
    return p.reals(sp.Eq(left, right), line, same, is_named, *known)


def _bounds(p: Proof, layer: Layer, weight: Term, known: list[Fact]) -> list[Fact]:
    """|c_k|^2 and beta_k^2 are small, as k <= L."""
    length, classes = p.given["length"], p.given["classes"]
    share, is_share = p.define("x", k / L, length)
    small = p.reals(sp.And(share >= 0, share <= 1, sp.Eq(k, share * L)), is_share, length, classes)
    over, is_over = p.define("y", share / L, length)
    less = p.reals(sp.And(over >= 0, over <= 1, sp.Eq(k, over * L**2)), is_over, small, length)
    vector, bias = layer.class_of(k)
    facts = [is_share, is_over, small, less, *known]
    if layer.softmax:
        facts.append(p.reals(sp.And(1 / weight > 0, 1 / weight <= 1), *known))
        exponent = -weight.args[0]
        facts.append(p.axiom("exp of a sum", 2 * exponent, exponent, facts=known))
    named = [p.given["norm"], p.given["bias"]]
    square = p.reals(inner(vector, vector) <= layer.most[0], *facts)
    most = sp.sqrt(layer.most[1])
    small_bias = p.reals(sp.And(-most <= bias, bias <= most), *facts)
    return [
        p.reals(size <= layer.most[0], square, named[0], *known),
        p.reals(offset**2 <= layer.most[1], small_bias, named[1], *known),
    ]


def _theorem(name: str, title: str, layer: Layer) -> Theorem:
    _, denominator, _ = layer.hidden()
    vector, bias = layer.class_of(k)
    return Theorem(
        name,
        Statement(
            title=f"{title}: explicit classes decode every input",
            source="theory.md, section 8",
            words="On all inputs with letters, for every L and d, the class n wins against every "
            "other k = 0..L by epsilon/z at least; |c_k| and |beta_k| are bounded for all L and d.",
            integers=(L, n, m, k),
            hypotheses={
                "length": L >= 1,
                "dimension": d >= 3,
                "inputs": sp.And(n >= 0, m >= 0, n + m <= L),
                "classes": sp.And(k >= 0, k <= L),
                "apart": sp.Ne(k, n),
                "own": sp.Eq(own, layer.score(n)),
                "other": sp.Eq(other, layer.score(k)),
                "z": sp.Eq(z, denominator),
                "epsilon": sp.Eq(eps, layer.scale / L**2),
                "norm": sp.Eq(size, inner(vector, vector)),
                "bias": sp.Eq(offset, bias),
            },
            conclusion=sp.And(
                own - other >= eps / z, size <= layer.most[0], offset**2 <= layer.most[1]
            ),
        ),
        _decoder(layer),
    )


ZERO, ONE = sp.Integer(0), sp.Integer(1)
ASIDE = sp.Rational(3, 5), sp.Rational(4, 5)
UNIT, ACROSS, OPPOSITE, NONE = [ONE, ZERO], [ZERO, ONE], [-ONE, ZERO], [ZERO, ZERO]


def _plain(t: Term, weight: Term) -> tuple[list[Term], Term]:
    return [-(t**2) / weight, 2 * t], ZERO


def _sheared(t: Term, weight: Term) -> tuple[list[Term], Term]:
    return [-(t**2), 2 * t + t**2], ZERO


def _tilted(t: Term, weight: Term) -> tuple[list[Term], Term]:
    return [-(t**2), (sp.Rational(50, 3) * t + 3 * t**2) / 4], ZERO


def _biased(radius: Term) -> Callable[[Term, Term], tuple[list[Term], Term]]:
    def classes(t: Term, weight: Term) -> tuple[list[Term], Term]:
        bias = -(t**2) / (2 * weight)
        return [bias / radius, (2 * t - bias) / radius], bias

    return classes


SOFTMAX = _theorem(
    "classes-of-softmax",
    "Softmax without LayerNorm",
    Layer(True, "", False, (UNIT, ACROSS, NONE), _plain, ONE, (sp.Integer(5), ZERO)),
)
LINEAR = _theorem(
    "classes-of-linear",
    "Linear attention",
    Layer(
        False, "", False, (UNIT, [ONE, ONE], NONE), _sheared, 1 / sp.sqrt(d), (sp.Integer(10), ZERO)
    ),
)
SOFTMAX_PRE = _theorem(
    "classes-of-softmax-pre-ln",
    "Bare pre-LN softmax",
    Layer(
        True,
        "pre",
        False,
        (UNIT, ACROSS, OPPOSITE),
        _biased(sp.sqrt(d)),
        ONE,
        (sp.Integer(3), ONE / 4),
    ),
)
LINEAR_PRE = _theorem(
    "classes-of-linear-pre-ln",
    "Bare pre-LN linear attention",
    Layer(False, "pre", False, (UNIT, list(ASIDE), ACROSS), _tilted, d, (sp.Integer(26), ZERO)),
)
SOFTMAX_PRE_LEARNED = _theorem(
    "classes-of-softmax-pre-ln-learned",
    "Learned pre-LN softmax",
    Layer(True, "pre", True, (UNIT, ACROSS, OPPOSITE), _biased(ONE), ONE, (sp.Integer(7), ONE / 4)),
)
LINEAR_PRE_LEARNED = _theorem(
    "classes-of-linear-pre-ln-learned",
    "Learned pre-LN linear attention",
    Layer(
        False,
        "pre",
        True,
        (UNIT, list(ASIDE), ACROSS),
        _tilted,
        1 / sp.sqrt(d),
        (sp.Integer(26), ZERO),
    ),
)
SOFTMAX_POST = _theorem(
    "classes-of-softmax-post-ln",
    "Bare post-LN softmax",
    Layer(True, "post", False, (UNIT, ACROSS, NONE), _plain, ONE, (sp.Integer(5), ZERO)),
)
LINEAR_POST = _theorem(
    "classes-of-linear-post-ln",
    "Bare post-LN linear attention",
    Layer(
        False,
        "post",
        False,
        (UNIT, [ONE, ONE], NONE),
        _sheared,
        1 / sp.sqrt(d),
        (sp.Integer(10), ZERO),
    ),
)
SOFTMAX_POST_LEARNED = _theorem(
    "classes-of-softmax-post-ln-learned",
    "Learned post-LN softmax",
    Layer(True, "post", True, (UNIT, ACROSS, NONE), _plain, ONE, (sp.Integer(5), ZERO)),
)
LINEAR_POST_LEARNED = _theorem(
    "classes-of-linear-post-ln-learned",
    "Learned post-LN linear attention",
    Layer(
        False,
        "post",
        True,
        (UNIT, [ONE, ONE], NONE),
        _sheared,
        1 / sp.sqrt(d),
        (sp.Integer(10), ZERO),
    ),
)

# --- how large the gap can be --------------------------------------------------------------

p_, q_ = sp.Function("p"), sp.Function("q")  # a (<c_k, v_#> + beta_k) and <c_k, v_s> + beta_k
gap, radius = symbols("G R")


def _score(number: Term, spaces: Term) -> Term:
    """The score of a class at n spaces and no letters."""
    return (p_(number) + spaces * q_(number)) / (a + spaces)


NEIGHBOURS = (
    every(n, (n >= 0, n <= L - 1), _score(n, n) - _score(n + 1, n) >= gap),
    every(n, (n >= 0, n <= L - 1), _score(n + 1, n + 1) - _score(n, n + 1) >= gap),
)
GAPS = {"length": L >= 1, "a > 0": a > 0, "above": NEIGHBOURS[0], "below": NEIGHBOURS[1]}
STEPS = {
    "spaces": every(n, (n >= 0, n <= L - 1), q_(n + 1) - q_(n) >= gap * (2 * a + 2 * n + 1)),
    "boundary": every(
        n,
        (n >= 0, n <= L - 1),
        p_(n) - p_(n + 1) >= gap * (a * (2 * n + 1) + 2 * n * (n + 1)),
    ),
}


def _step(side: str) -> Callable[[Proof], None]:
    def prove(p: Proof) -> None:
        def show(q: Proof, t: Term, conditions: list[Fact]) -> Fact:
            weight = p.given["a > 0"]
            above = q.at(p.given["above"], t, *conditions)
            below = q.at(p.given["below"], t, *conditions)
            low = q.reals(
                p_(t) + t * q_(t) - p_(t + 1) - t * q_(t + 1) >= gap * (a + t),
                above,
                weight,
                *conditions,
            )
            high = q.reals(
                p_(t + 1) + (t + 1) * q_(t + 1) - p_(t) - (t + 1) * q_(t) >= gap * (a + t + 1),
                below,
                weight,
                *conditions,
            )
            return q.reals(STEPS[side].at(t)[1], low, high, *conditions)

        p.qed(p.every(STEPS[side], show))

    return prove


STEP_SPACES = Theorem(
    "class-gap-step-of-spaces",
    Statement(
        title="Two neighbouring classes: the scores of a space",
        source="theory.md, section 8",
        words="If the classes n and n + 1 win against each other by G at n and n + 1 spaces then "
        "q_{n+1} - q_n >= G (2a + 2n + 1).",
        integers=(L,),
        hypotheses=GAPS,
        conclusion=STEPS["spaces"],
    ),
    _step("spaces"),
)
STEP_BOUNDARY = Theorem(
    "class-gap-step-of-boundary",
    Statement(
        title="Two neighbouring classes: the scores of the boundary",
        source="theory.md, section 8",
        words="If the classes n and n + 1 win against each other by G at n and n + 1 spaces then "
        "p_n - p_{n+1} >= G (a (2n + 1) + 2n (n + 1)).",
        integers=(L,),
        hypotheses=GAPS,
        conclusion=STEPS["boundary"],
    ),
    _step("boundary"),
)


def _summed(p: Proof, name: str, formula: Formula) -> Fact:
    """A formula for every n <= L, by adding up the steps of a theorem."""
    steps = p.use(name, {}, *(p.given[label] for label in GAPS))

    def next_one(q: Proof, t: Term, start: Fact, here: Fact) -> Fact:
        goal = substituted(formula, {n: t + 1})

        def inside(r: Proof, less: Fact) -> Fact:
            return r.reals(goal, r.at(steps, t, start, less), here, less)

        return q.cases(goal, [t <= L - 1, t > L - 1], [inside, lambda r, more: r.reals(goal, more)])

    return p.at(p.induction(n, 0, formula, next_one), L, p.given["length"])


def _sum(p: Proof) -> None:
    names = "class-gap-step-of-spaces", "class-gap-step-of-boundary"
    p.qed(*(_summed(p, name, one) for name, one in zip(names, SUMMED, strict=True)))


SUMMED = [
    sp.Implies(n <= L, q_(n) - q_(0) >= gap * (n**2 + 2 * a * n)),
    sp.Implies(n <= L, p_(0) - p_(n) >= gap * (a * n**2 + 2 * n * (n**2 - 1) / 3)),
]

SUMS = Theorem(
    "class-gap-summed",
    Statement(
        title="All neighbouring classes together",
        source="theory.md, section 8",
        words="A gap G on the inputs without letters has q_L - q_0 >= G (L^2 + 2aL) and "
        "p_0 - p_L >= G (a L^2 + 2L (L^2 - 1)/3).",
        integers=(L,),
        hypotheses=GAPS,
        conclusion=sp.And(
            q_(L) - q_(0) >= gap * (L**2 + 2 * a * L),
            p_(0) - p_(L) >= gap * (a * L**2 + 2 * L * (L**2 - 1) / 3),
        ),
    ),
    _sum,
)


def _classes_bound(p: Proof) -> None:
    one = sp.Integer(1)
    norms, size, bias = (p.given[name] for name in ("norms", "B, R >= 0", "biases"))
    sums = p.use("class-gap-summed", {}, *(p.given[name] for name in GAPS))
    sides = [
        inner_at_most(p, {name: one}, {token: one}, B * radius, norms, size)
        for token in ("s", "u")
        for name in ("least", "last")
    ]
    weight, scores = p.given["a > 0"], p.given["scores"]
    most = 2 * (B * radius + B)
    spaces = p.reals(q_(L) - q_(0) <= most, *sides, bias, scores)
    boundary = p.reals(p_(0) - p_(L) <= a * most, *sides, bias, scores, weight)
    apart = p.reals(
        p_(0) / a - q_(0) - (p_(L) / a - q_(L)) <= 4 * B * radius, *sides, scores, weight
    )
    both = p.reals(
        gap * (L**2 + a * L + L * (L**2 - 1) / (3 * a)) <= 2 * B * radius, apart, sums, weight
    )
    plain = p.reals(
        sp.And(
            gap * (L**2 + 2 * a * L) <= most,
            gap * (L**2 + 2 * L * (L**2 - 1) / (3 * a)) <= most,
        ),
        spaces,
        boundary,
        sums,
        weight,
    )
    p.qed(plain, both)


b0, b1 = symbols("beta_0 beta_L")
CLASSES_BOUND = Theorem(
    "class-gap-is-bounded",
    Statement(
        title="The gap of classes of bounded norm",
        source="theory.md, section 8",
        words="Without post-LN, classes with |c_k|, |beta_k| <= B over tokens of norm at most R "
        "have a gap G with G (L^2 + 2aL) <= 2 (B R + B), "
        "G (L^2 + 2L (L^2 - 1)/(3a)) <= 2 (B R + B), and, as the biases cancel in their sum, "
        "G (L^2 + aL + L (L^2 - 1)/(3a)) <= 2 B R.",
        integers=(L,),
        vectors=("least", "last", "u", "s"),
        hypotheses={
            **GAPS,
            "B, R >= 0": sp.And(B >= 0, radius >= 0),
            "norms": sp.And(
                *(dot(name, name) <= B**2 for name in ("least", "last")),
                *(dot(name, name) <= radius**2 for name in ("u", "s")),
            ),
            "biases": sp.And(-B <= b0, b0 <= B, -B <= b1, b1 <= B),
            "scores": sp.And(
                sp.Eq(q_(0), dot("least", "s") + b0),
                sp.Eq(q_(L), dot("last", "s") + b1),
                sp.Eq(p_(0), a * (dot("least", "u") + b0)),
                sp.Eq(p_(L), a * (dot("last", "u") + b1)),
            ),
        },
        conclusion=sp.And(
            gap * (L**2 + 2 * a * L) <= 2 * (B * radius + B),
            gap * (L**2 + 2 * L * (L**2 - 1) / (3 * a)) <= 2 * (B * radius + B),
            gap * (L**2 + a * L + L * (L**2 - 1) / (3 * a)) <= 2 * B * radius,
        ),
    ),
    _classes_bound,
)

most, weight_ = symbols("Q w")


def divisor(weight: Term) -> Term:
    """What a gap is divided by in the bound without biases."""
    return L**2 + weight * L + L * (L**2 - 1) / (3 * weight)


def _heaviest(p: Proof) -> None:
    weights, length, bound, positive = (
        p.given[name] for name in ("weights", "length", "bound", "G >= 0")
    )
    ratio, is_ratio = p.define("t", (L**2 - 1) / (3 * a * weight_), weights)
    large = p.reals(ratio >= 1, is_ratio, weights)
    more = p.reals((weight_ - a) * (ratio - 1) >= 0, large, weights)
    less = p.reals(
        weight_ + (L**2 - 1) / (3 * weight_) <= a + (L**2 - 1) / (3 * a), more, is_ratio, weights
    )
    width, is_width = p.define("x", weight_ + (L**2 - 1) / (3 * weight_), weights)
    other_, is_other = p.define("y", a + (L**2 - 1) / (3 * a), weights)
    order = p.reals(width <= other_, less, is_width, is_other)
    scaled = p.reals(gap * L * width <= gap * L * other_, order, positive, length)
    named = p.reals(gap * (L**2 + L * other_) <= most, bound, is_other, weights)
    plain = p.reals(gap * (L**2 + L * width) <= most, scaled, named)
    p.qed(plain, is_width, weights)


HEAVIEST = Theorem(
    "class-gap-at-the-largest-weight",
    Statement(
        title="The gap of classes, at the boundary's largest weight",
        source="theory.md, section 8",
        words="G (L^2 + aL + L (L^2 - 1)/(3a)) <= Q holds for w in the place of a where "
        "a <= w <= sqrt((L^2 - 1)/3).",
        hypotheses={
            "length": L >= 1,
            "weights": sp.And(a > 0, a <= weight_, 3 * weight_**2 <= L**2 - 1),
            "G >= 0": gap >= 0,
            "bound": gap * divisor(a) <= most,
        },
        conclusion=gap * divisor(weight_) <= most,
    ),
    _heaviest,
)


def _best(p: Proof) -> None:
    length, weight, bound, positive = (
        p.given[name] for name in ("length", "a > 0", "bound", "G >= 0")
    )
    root, is_root = p.define("r", sp.sqrt((L**2 - 1) / 3), length)
    size = p.reals(sp.And(root >= 0, sp.Eq(3 * root**2, L**2 - 1)), is_root, length)
    share, is_share = p.define("t", (L**2 - 1) / (3 * a), weight)
    product = p.reals(sp.Eq(share * a, root**2), is_share, size, weight)
    mean = p.reals(2 * root <= a + share, product, weight, size, why="(a - r)^2 >= 0")
    more = p.reals(gap * L * (2 * root) <= gap * L * (a + share), mean, positive, length)
    named = p.reals(gap * (L**2 + L * (a + share)) <= most, bound, is_share, weight)
    plain = p.reals(gap * (L**2 + 2 * L * root) <= most, more, named)
    p.qed(plain, is_root, length)


BEST = Theorem(
    "class-gap-at-the-best-weight",
    Statement(
        title="The gap of classes, whatever the boundary's weight",
        source="theory.md, section 8",
        words="G (L^2 + aL + L (L^2 - 1)/(3a)) <= Q leaves at most G (L^2 + 2L sqrt((L^2 - 1)/3)) "
        "<= Q, with equality at a = sqrt((L^2 - 1)/3).",
        hypotheses={
            "length": L >= 1,
            "a > 0": a > 0,
            "G >= 0": gap >= 0,
            "bound": gap * divisor(a) <= most,
        },
        conclusion=gap * (L**2 + 2 * L * sp.sqrt((L**2 - 1) / 3)) <= most,
    ),
    _best,
)
