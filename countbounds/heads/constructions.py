"""Explicit heads that decode at every length in every placement, all norms bounded.

Everything but some letters lies in a plane of 1-perp with the orthonormal E1, E2
(`countbounds.variants.plane`); E3 is along (1, 1, 1, -3/(d-3), ...). Without a norm after
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

from dataclasses import dataclass
from fractions import Fraction

from countbounds.checking import require_integer
from countbounds.expressions import Expr, evaluate, exp, log, maximum, minimum, rational, sqrt
from countbounds.heads.head import Head, HeadModel
from countbounds.layer import Layer, Parameters
from countbounds.rings import Enclosure
from countbounds.variants import plane
from countbounds.variants import variant as variant_named
from countbounds.vectors import Vector

LONGEST = 10**5
_SHORTER = 1 - Fraction(1, 1 << 40)  # so that enclosures show norms to be below B

Polynomial = tuple[Expr, Expr, Expr]


def require_head_length(length: int) -> None:
    """Check that a length is an integer from 1 to 10^5.

    Raises:
        InputError: otherwise.
    """
    require_integer(length, "length L of a classification head", 1, LONGEST, "10^5")


@dataclass(frozen=True)
class Construction:
    """A layer with a head, and what its closed form says of it.

    Attributes:
        variant: its name.
        model: the layer with its head.
        bound: B.
        gap: the smallest winning gap on the whole domain, a closed form.
    """

    variant: str
    model: HeadModel
    bound: Fraction
    gap: Expr


def construction(name: str, length: int, dim: int, bound: Fraction = Fraction(1)) -> Construction:
    """The head of a variant at L, with every norm <= B.

    Args:
        name: a name of `countbounds.variants.NAMES`.
        length: L, from 1 to 10^5.
        dim: d >= 3.
        bound: B > 0, for embeddings, gain, bias, class vectors and biases; (1 - 2^-40) B
            is used, so that enclosures show it to be kept.
    """
    layer = variant_named(name).layer
    b, size = _SHORTER * rational(bound), rational(length)
    if layer.placement == "post":
        placed = _post(b, size, dim)
    else:
        placed = _place(layer, b, size, dim)
        if layer.attention == "linear":
            placed = _better(placed, _joined(layer, b, size, dim), b)
    eps = placed.scale(b)
    gain = b / sqrt(3)  # on the three entries of E1 and E2
    normalised = sqrt(rational(dim)) * (gain if layer.learned else rational(1))
    parameters = Parameters(
        **placed.embeddings,
        readout=Vector.leading(dim, 0),
        gain=Vector.leading(dim, gain, gain, gain) if layer.learned else None,
        bias=Vector.leading(dim, 0) if layer.learned else None,
    )
    head = Head(
        tuple(
            plane.in_plane(dim, eps * p, eps * q)
            for p, q in zip(placed.along, placed.across, strict=True)
        ),
        tuple(eps * t for t in placed.biases),
        length,
    )
    gap = eps / placed.denominator
    if layer.placement == "post":
        gap = gap * normalised
    return Construction(name, HeadModel(layer, parameters, head), bound, gap)


@dataclass(frozen=True)
class _Placed:
    """Tokens, and classes up to the factor eps; polynomials lowest power first.

    Attributes:
        embeddings: of boundary, space and letter.
        along: the component of c_k along E1, a polynomial in k.
        across: that along E2.
        biases: beta_k.
        widest: the largest |c_k| for k = 0, ..., L.
        bias: the largest |beta_k|.
        denominator: the largest z(n, m), so that the gap is eps over it.
    """

    embeddings: dict[str, Vector]
    along: Polynomial
    across: Polynomial
    biases: Polynomial
    widest: Expr
    bias: Expr
    denominator: Expr

    def scale(self, bound: Expr) -> Expr:
        """The factor eps that the bound leaves."""
        return bound / maximum(self.widest, self.bias)


def _post(b: Expr, size: Expr, dim: int) -> _Placed:
    """Post-LN: N(n) = (h, y) up to a factor, with y = n - L/2 and h = L/4.

    With c_k = (L^2/16 - y_k^2/2, h y_k) the score of k at n times |N| is
    h (L^2/16 + y y_k - y_k^2/2): class n wins by h (n - k)^2/2. A component along the all-ones
    vector, which the norm drops, makes the scores of boundary and space equal.
    """
    zero, fifth = rational(0), rational(Fraction(1, 5))
    radius = b * fifth
    side = 1 / sqrt(rational(5))
    step = 4 * radius * side / size
    ones = Vector.leading(dim, tail=1 / sqrt(rational(dim)))
    h = size / 4
    return _Placed(
        {
            "boundary": plane.in_plane(dim, radius * side, -2 * radius * side)
            + ones.scaled(radius),
            "space": plane.in_plane(dim, zero, step) + ones.scaled(2 * radius + 2 * step * side),
            "letter": Vector.leading(dim, 0),
        },
        along=(-size * size / 16, size / 2, -rational(1) / 2),
        across=(-h * size / 2, h, zero),
        biases=(zero, zero, zero),
        widest=sqrt(h * h * size * size / 4 + size * size * size * size / 256),
        bias=zero,
        denominator=sqrt(h * h + size * size / 4) * 2 / h,
    )


def _beside(dim: int, along: Expr, across: Expr) -> Vector:
    """along E1 + across E3; E2 takes the place of E3 for d = 3."""
    if dim == 3:
        return plane.in_plane(dim, along, across)
    side = across * sqrt(Fraction(dim - 3, 3 * dim))
    third = Vector.leading(dim, side, side, side, tail=-3 * side / (dim - 3))
    return plane.in_plane(dim, along, rational(0)) + third


def _better(first: _Placed, second: _Placed, bound: Expr) -> _Placed:
    """The one with the larger gap, as far as balls tell (either is right)."""
    with Enclosure(128) as ring:
        gaps = [evaluate(each.scale(bound) / each.denominator, ring) for each in (first, second)]
    return second if gaps[1] > gaps[0] else first


def _joined(layer: Layer, b: Expr, size: Expr, dim: int) -> _Placed:
    """Linear attention at small B: boundary and space are one vector v, classes lie along it.

    With tau = |v|^3/sqrt(d) the class vector (2k - L)/tau gives all of the space's equation, and
    beta_k what is missing in the boundary's. Where |beta_k| <= B allows the gap B tau/L, no head
    has a larger one (theorem `class-gap-of-linear-attention-is-bounded`).
    """
    zero, one = rational(0), rational(1)
    pre = layer.placement == "pre"
    radius = sqrt(rational(dim)) if pre else b
    along = sqrt(rational(dim)) / (radius * radius * radius)
    short = minimum(b, one) if pre else b
    token = plane.in_plane(dim, short, zero)
    half = size * size / 2
    return _Placed(
        {
            "boundary": token,
            "space": token,
            "letter": plane.in_plane(dim, zero, short if pre else zero),
        },
        along=(-along * size, 2 * along, zero),
        across=(zero, zero, zero),
        biases=(half + size, -rational(2), -one),  # -(k^2 - L^2/2) - (2k - L)
        widest=along * size,
        bias=half + size,
        denominator=one,
    )


def _place(layer: Layer, b: Expr, size: Expr, dim: int) -> _Placed:
    """No norm after attention: the boundary's weight is about L, as far as B allows."""
    root, zero, one = sqrt(rational(dim)), rational(0), rational(1)
    wanted = log(size + 1)  # of the difference of scores
    pre = layer.placement == "pre"
    long = short = b
    if pre:
        long = short = root * b / sqrt(3) if layer.learned else root
    # beta_k carries a share of the first equation, as a multiple of its right side.
    if layer.attention == "softmax" and pre:
        # All values have one length: what can be chosen is the angle of the spaces.
        flat = dim == 3
        widest = rational(1 if flat else Fraction(7, 4))  # 1 - cosine
        difference = minimum(widest * long * long / root, wanted)
        cosine = 1 - difference * root / (long * long)
        shares = exp(difference), one
        direction = cosine, sqrt(1 - cosine * cosine)
        # The letter has no more weight than a space; beta_k cancels its score.
        leaning = -one if flat else minimum(cosine, zero)
        letter = leaning, sqrt(1 - leaning * leaning)
        carried = -leaning / ((1 - leaning) * shares[0])
        joined, denominator = carried, shares[0] + size
    elif layer.attention == "softmax":
        # Where B allows, half of it is enough for the boundary token, and most of the weight
        # is taken off again by a space that leans towards it.
        long = maximum(b / 2, minimum(b, sqrt(root * wanted)))
        cosine = maximum(zero, long - root * wanted / long) / b
        shares = exp((long * long - long * b * cosine) / root), one
        direction, letter = (cosine, sqrt(1 - cosine * cosine)), (zero, zero)
        carried = joined = zero
        denominator = shares[0] + size
    else:
        direction = rational(Fraction(3, 5)), rational(Fraction(4, 5))
        letter = (zero, one) if pre else (zero, zero)
        shares = long * long / root, long * short * direction[0] / root
        carried, joined, denominator = 1 / (1 + shares[0] * long), zero, one
    first = shares[0] * long
    second = shares[1] * short * direction[0], shares[1] * short * direction[1]
    weight = shares[0] if layer.attention == "softmax" else one
    along = (1 - weight * carried) / first
    mixed = joined + second[0] * along

    half = size * size / 2
    top = half, zero, -one  # -(k^2 - L^2/2)
    side = -size, rational(2), zero  # 2k - L
    widest, highest = along * half, (size + mixed * half) / second[1]
    ends = (minimum(b, one), minimum(b, one)) if pre else (long, short)
    return _Placed(
        {
            "boundary": plane.in_plane(dim, ends[0], zero),
            "space": plane.in_plane(dim, direction[0] * ends[1], direction[1] * ends[1]),
            "letter": _beside(dim, letter[0] * ends[0], letter[1] * ends[0]),
        },
        along=(along * top[0], along * top[1], along * top[2]),
        across=(
            (side[0] - mixed * top[0]) / second[1],
            (side[1] - mixed * top[1]) / second[1],
            (side[2] - mixed * top[2]) / second[1],
        ),
        biases=(carried * top[0], carried * top[1], carried * top[2]),
        widest=sqrt(widest * widest + highest * highest),
        bias=carried * half,
        denominator=denominator,
    )
