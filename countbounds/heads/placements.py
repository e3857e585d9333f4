"""Tokens and classes for each placement, from which `constructions.construction` takes the best.

Everything but some letters lies in a plane with the orthonormal E1, E2. Without a norm after
attention, with the weights omega_t of attention and N_t = omega_t v_t, the classes are so chosen
that

    <c_k, N_#> + omega_# beta_k = -eps (k^2 - L^2/2)
    <c_k, N_s> + omega_s beta_k = eps (2k - L)
    <c_k, N_l> + omega_l beta_k = 0

(for linear attention, whose weights do not add up to a denominator, omega_# = 1 and
omega_s = omega_l = 0 beside beta_k). Then class n beats class k by eps (n - k)^2 over the
denominator z(n, m): theorem `parabola-decodes` (docs/theory.md, section 8). The constants L^2/2
and L halve the largest norms; eps is as large as |c_k| <= B and |beta_k| <= B allow by the triangle
inequality. After a norm the same parabola is laid symmetrically (`_post`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from countbounds.expressions import Expr, exp, log, maximum, minimum, rational, sqrt
from countbounds.layer import Layer
from countbounds.variants import plane
from countbounds.vectors import Vector

Polynomial = tuple[Expr, Expr, Expr]

_ZERO, _ONE = rational(0), rational(1)
# What the second entry of a gain on two entries takes of its squared norm.
_SHARES = Fraction(1, 2), Fraction(1, 8), Fraction(1, 32)


@dataclass(frozen=True)
class Placed:
    """Tokens, and classes up to the factor eps; polynomials lowest power first.

    Attributes:
        embeddings: of boundary, space and letter.
        basis: E1 and E2.
        along: the component of c_k along E1, a polynomial in k.
        across: that along E2.
        biases: beta_k.
        widest: the largest |c_k| for k = 0, ..., L.
        bias: the largest |beta_k|.
        denominator: the largest z(n, m), so that the gap is eps over it.
        gain: of a learned norm.
    """

    embeddings: dict[str, Vector]
    basis: tuple[Vector, Vector]
    along: Polynomial
    across: Polynomial
    biases: Polynomial
    widest: Expr
    bias: Expr
    denominator: Expr
    gain: Vector | None = None

    def scale(self, bound: Expr) -> Expr:
        """The factor eps that the bound leaves."""
        return bound / maximum(self.widest, self.bias)

    def gap(self, bound: Expr) -> Expr:
        """The smallest winning gap at the bound."""
        return self.scale(bound) / self.denominator


def candidates(layer: Layer, bound: Expr, size: Expr, dim: int) -> list[Placed]:
    """The ways to place tokens and classes that are known for a layer.

    Args:
        layer: the layer.
        bound: B.
        size: L.
        dim: d >= 3.
    """
    if layer.placement == "post":
        return [_post(layer, bound, size, dim)]
    if layer.attention == "linear":
        return [_linear(layer, bound, size, dim), _joined(layer, bound, size, dim)]
    if layer.placement == "none":
        return [_softmax(bound, size, dim), _spread(bound, size, dim)]
    found = [_turned(layer, bound, size, dim)]
    if layer.learned and dim > 4:
        root = sqrt(rational(dim))
        score = root * log(size + 1)
        part = bound / sqrt(2)
        balanced = minimum(part, sqrt(bound * sqrt(score) / (2 * root)))
        gains = [(bound * sqrt(1 - share), bound * sqrt(share)) for share in _SHARES]
        found += [_unequal(size, dim, gain, bound) for gain in [*gains, (balanced, part)]]
    return found


def _post(layer: Layer, b: Expr, size: Expr, dim: int) -> Placed:
    """Post-LN: N(n) = (h, y) up to a factor, with y = n - L/2 and h = L/4.

    With c_k = (L^2/16 - y_k^2/2, h y_k) the score of k at n times |N| is
    h (L^2/16 + y y_k - y_k^2/2): class n wins by h (n - k)^2/2. A component along the all-ones
    vector, which the norm drops, makes the scores of boundary and space equal.
    """
    radius = b * Fraction(1, 5)
    side = 1 / sqrt(rational(5))
    step = 4 * radius * side / size
    ones = Vector.leading(dim, tail=1 / sqrt(rational(dim)))
    h = size / 4
    gain = b / sqrt(3) if layer.learned else _ONE  # on the three entries of E1 and E2
    return Placed(
        {
            "boundary": plane.in_plane(dim, radius * side, -2 * radius * side)
            + ones.scaled(radius),
            "space": plane.in_plane(dim, _ZERO, step) + ones.scaled(2 * radius + 2 * step * side),
            "letter": Vector.leading(dim, 0),
        },
        _plane(dim),
        along=(-size * size / 16, size / 2, -_ONE / 2),
        across=(-h * size / 2, h, _ZERO),
        biases=(_ZERO, _ZERO, _ZERO),
        widest=sqrt(h * h * size * size / 4 + size * size * size * size / 256),
        bias=_ZERO,
        denominator=sqrt(h * h + size * size / 4) * 2 / (h * sqrt(rational(dim)) * gain),
        gain=Vector.leading(dim, gain, gain, gain) if layer.learned else None,
    )


def _joined(layer: Layer, b: Expr, size: Expr, dim: int) -> Placed:
    """Linear attention at small B: boundary and space are one vector v, classes lie along it.

    With tau = |v|^3/sqrt(d) the class vector (2k - L)/tau gives all of the space's equation, and
    beta_k what is missing in the boundary's. Where |beta_k| <= B allows the gap B tau/L, no head
    has a larger one (theorem `class-gap-of-linear-attention-is-bounded`).
    """
    pre = layer.placement == "pre"
    radius = sqrt(rational(dim)) if pre else b
    along = sqrt(rational(dim)) / (radius * radius * radius)
    short = minimum(b, _ONE) if pre else b
    token = plane.in_plane(dim, short, _ZERO)
    half = size * size / 2
    return Placed(
        {
            "boundary": token,
            "space": token,
            "letter": plane.in_plane(dim, _ZERO, short if pre else _ZERO),
        },
        _plane(dim),
        along=(-along * size, 2 * along, _ZERO),
        across=(_ZERO, _ZERO, _ZERO),
        biases=(half + size, -rational(2), -_ONE),  # -(k^2 - L^2/2) - (2k - L)
        widest=along * size,
        bias=half + size,
        denominator=_ONE,
    )


def _linear(layer: Layer, b: Expr, size: Expr, dim: int) -> Placed:
    """Linear attention: the space leans towards the boundary, beta_k shares its equation."""
    root = sqrt(rational(dim))
    pre = layer.placement == "pre"
    radius = root if pre else b
    short = minimum(b, _ONE) if pre else b
    cosine, sine = rational(Fraction(3, 5)), rational(Fraction(4, 5))
    score = radius * radius / root
    carried = 1 / (1 + score * radius)
    along = (1 - carried) / (score * radius)
    spaces = score * cosine * radius * cosine, score * cosine * radius * sine
    return _solved(
        size,
        {
            "boundary": plane.in_plane(dim, short, _ZERO),
            "space": plane.in_plane(dim, cosine * short, sine * short),
            "letter": plane.in_plane(dim, _ZERO, short if pre else _ZERO),
        },
        _plane(dim),
        along=along,
        carried=carried,
        mixed=spaces[0] * along,
        across=spaces[1],
        denominator=_ONE,
    )


def _softmax(b: Expr, size: Expr, dim: int) -> Placed:
    """Softmax without a norm: the boundary's weight is about L, as far as B allows.

    Where B allows, half of it is enough for the boundary token, and most of its weight is taken
    off again by a space that leans towards it.
    """
    root = sqrt(rational(dim))
    wanted = root * log(size + 1)
    long = maximum(b / 2, minimum(b, sqrt(wanted)))
    cosine = maximum(_ZERO, long - wanted / long) / b
    sine = sqrt(1 - cosine * cosine)
    weight = exp((long * long - long * b * cosine) / root)
    along = 1 / (weight * long)
    return _solved(
        size,
        {
            "boundary": plane.in_plane(dim, long, _ZERO),
            "space": plane.in_plane(dim, b * cosine, b * sine),
            "letter": plane.in_plane(dim, _ZERO, _ZERO),
        },
        _plane(dim),
        along=along,
        carried=_ZERO,
        mixed=b * cosine * along,
        across=b * sine,
        denominator=weight + size,
    )


def _spread(b: Expr, size: Expr, dim: int) -> Placed:
    """Softmax without a norm where B is near d^(1/4): all of it, as pre-LN would place it."""
    weight, cosine, leaning = _angles(b, size, dim, flat=False)
    found = _weighed(size, (b, b), (weight, cosine, leaning), _plane(dim))
    return replace(
        found,
        embeddings={
            "boundary": plane.in_plane(dim, b, _ZERO),
            "space": plane.in_plane(dim, cosine * b, sqrt(1 - cosine * cosine) * b),
            "letter": plane.in_plane(dim, leaning * b, _ZERO),
        },
    )


def _turned(layer: Layer, b: Expr, size: Expr, dim: int) -> Placed:
    """Softmax pre-LN: all values have one length, the spaces' angle is chosen."""
    radius = sqrt(rational(dim)) * (b / sqrt(3) if layer.learned else _ONE)
    short = minimum(b, _ONE)
    flat = dim == 3
    weight, cosine, leaning = _angles(radius, size, dim, flat=flat)
    sine, beside = sqrt(1 - cosine * cosine), sqrt(1 - leaning * leaning)
    letter = plane.in_plane(dim, leaning * short, beside * short if flat else _ZERO)
    if not flat:  # the letter leaves the plane along (1, 1, 1, -3/(d - 3), ...)
        side = beside * short * sqrt(Fraction(dim - 3, 3 * dim))
        letter = letter + Vector.leading(dim, side, side, side, tail=-3 * side / (dim - 3))
    gain = b / sqrt(3)  # on the three entries of E1 and E2
    found = _weighed(size, (radius, radius), (weight, cosine, leaning), _plane(dim))
    return replace(
        found,
        embeddings={
            "boundary": plane.in_plane(dim, short, _ZERO),
            "space": plane.in_plane(dim, cosine * short, sine * short),
            "letter": letter,
        },
        gain=Vector.leading(dim, gain, gain, gain) if layer.learned else None,
    )


def _unequal(size: Expr, dim: int, gains: tuple[Expr, Expr], b: Expr) -> Placed:
    """Learned softmax pre-LN with d > 4: the gain lies on two entries, one for each direction.

    The vectors that are normalised balance each of these entries by one half of the others, which
    have no gain; the letter leaves the plane among them.
    """
    first = (dim - 1) // 2  # how many others balance the first entry
    second = dim - 2 - first
    heights = [sqrt(Fraction(rest, rest + 1)) for rest in (first, second)]
    radii = [sqrt(rational(dim)) * x * y for x, y in zip(gains, heights, strict=True)]
    weight, cosine, leaning = _angles(radii[0], size, dim, flat=False)
    sine, beside = sqrt(1 - cosine * cosine), sqrt(1 - leaning * leaning)
    short = minimum(b, _ONE)

    def token(x: Expr, y: Expr) -> Vector:
        x, y = x * short * heights[0], y * short * heights[1]
        return Vector(dim, ((x, 1), (-x / first, first), (y, 1)), -y / second)

    base = leaning * short * heights[0]
    aside = beside * short * sqrt(Fraction(first - 1, first))
    letter = Vector(
        dim,
        ((base, 1), (aside - base / first, 1), (-aside / (first - 1) - base / first, first - 1)),
        _ZERO,
    )
    basis = tuple(
        Vector(dim, ((x, 1), (_ZERO, first), (y, 1)), _ZERO)
        for x, y in ((_ONE, _ZERO), (_ZERO, _ONE))
    )
    found = _weighed(size, (radii[0], radii[1]), (weight, cosine, leaning), (basis[0], basis[1]))
    return replace(
        found,
        embeddings={
            "boundary": token(_ONE, _ZERO),
            "space": token(cosine, sine),
            "letter": letter,
        },
        gain=Vector(dim, ((gains[0], 1), (_ZERO, first), (gains[1], 1)), _ZERO),
    )


def _plane(dim: int) -> tuple[Vector, Vector]:
    return plane.first(dim), plane.second(dim)


def _angles(radius: Expr, size: Expr, dim: int, *, flat: bool) -> tuple[Expr, Expr, Expr]:
    """The boundary's weight, and the cosines of spaces and letter with it.

    The letter has no more weight than a space, and beta_k cancels its score; in a plane it is
    opposite the boundary token.
    """
    root = sqrt(rational(dim))
    widest = rational(1 if flat else Fraction(7, 4))  # 1 - cosine
    difference = minimum(widest * radius * radius / root, log(size + 1))
    cosine = 1 - difference * root / (radius * radius)
    return exp(difference), cosine, -_ONE if flat else minimum(cosine, _ZERO)


def _weighed(
    size: Expr,
    radii: tuple[Expr, Expr],
    angles: tuple[Expr, Expr, Expr],
    basis: tuple[Vector, Vector],
) -> Placed:
    """The classes of softmax pre-LN, still without tokens."""
    weight, cosine, leaning = angles
    carried = -leaning / ((1 - leaning) * weight)
    along = 1 / ((1 - leaning) * weight * radii[0])
    return _solved(
        size,
        {},
        basis,
        along=along,
        carried=carried,
        mixed=carried + radii[0] * cosine * along,
        across=radii[1] * sqrt(1 - cosine * cosine),
        denominator=weight + size,
    )


def _solved(
    size: Expr,
    embeddings: dict[str, Vector],
    basis: tuple[Vector, Vector],
    *,
    along: Expr,
    carried: Expr,
    mixed: Expr,
    across: Expr,
    denominator: Expr,
) -> Placed:
    """The classes that solve the equations of boundary and space.

    Args:
        size: L.
        embeddings: the tokens.
        basis: E1 and E2.
        along: the component of c_k along E1, as a multiple of the boundary's right side.
        carried: beta_k, likewise.
        mixed: what both give to the left side of the space's equation, likewise.
        across: <E2, N_s>.
        denominator: the largest z(n, m).
    """
    half = size * size / 2
    top = half, _ZERO, -_ONE  # -(k^2 - L^2/2)
    side = -size, rational(2), _ZERO  # 2k - L
    widest, highest = along * half, (size + mixed * half) / across
    return Placed(
        embeddings,
        basis,
        along=(along * top[0], along * top[1], along * top[2]),
        across=(
            (side[0] - mixed * top[0]) / across,
            (side[1] - mixed * top[1]) / across,
            (side[2] - mixed * top[2]) / across,
        ),
        biases=(carried * top[0], carried * top[1], carried * top[2]),
        widest=sqrt(widest * widest + highest * highest),
        bias=carried * half,
        denominator=denominator,
    )
