"""Explicit heads that decode at every length in every placement, all norms bounded.

Everything lies in a plane of 1-perp with the orthonormal E1, E2 (`countbounds.variants.plane`).
With the weights omega_t of attention and N_t = omega_t v_t the classes are chosen so that

    <c_k, N_#> + omega_# beta_k = -eps (k^2 - L^2/2)
    <c_k, N_s> + omega_s beta_k = eps (2k - L)
    <c_k, N_l> + omega_l beta_k = 0

(for linear attention, whose weights do not add up to a denominator, omega_# = 1 and
omega_s = omega_l = 0 beside beta_k).
Then class n beats class k by eps (n - k)^2 over the denominator z(n, m): theorem
`parabola-decodes` (docs/theory.md, section 8). The constants L^2/2 and L halve the largest
norms. eps is as large as |c_k| <= B and |beta_k| <= B allow by the triangle inequality.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from countbounds.expressions import Expr, exp, log, maximum, minimum, rational, sqrt
from countbounds.heads.head import Head, HeadModel
from countbounds.layer import Layer, Parameters
from countbounds.variants import plane
from countbounds.variants import variant as variant_named
from countbounds.vectors import Vector

LONGEST = 10**5
_SHORTER = 1 - Fraction(1, 1 << 40)  # so that enclosures show norms to be below B

Pair = tuple[Expr, Expr]


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
        bound: B > 0, for embeddings, gain, class vectors and biases.
    """
    layer = variant_named(name).layer
    placed = _place(layer, length, dim, bound)
    b, size = _SHORTER * rational(bound), rational(length)
    zero, one = rational(0), rational(1)
    top = (size * size / 2, zero, -one)  # -(k^2 - L^2/2), lowest power first
    side = (-size, rational(2), zero)  # 2k - L
    (a1, _), (s1, s2) = placed.first, placed.second
    # beta_k carries a share of the first equation, as a multiple of its right side.
    carried = zero
    opposite = layer.attention == "softmax" and layer.placement == "pre"
    if opposite:  # the letter lies opposite the boundary token: <c, v_l> + beta = 0
        carried = 1 / (2 * placed.shares[0])
    elif layer.attention == "linear" and layer.placement != "post":
        carried = 1 / (1 + a1)
    weight = placed.shares[0] if opposite else one
    along = (1 - weight * carried) / a1
    joined = carried if opposite else zero  # what beta_k adds to the spaces' equation

    def across(s: Expr, t: Expr) -> Expr:
        return (s - (joined + s1 * along) * t) / s2

    half = size * size / 2
    widest = along * half
    highest = (size + (joined + s1 * along) * half) / s2
    eps = b / maximum(sqrt(widest * widest + highest * highest), carried * half)
    head = Head(
        tuple(
            plane.in_plane(dim, eps * along * t, eps * across(s, t))
            for s, t in zip(side, top, strict=True)
        ),
        tuple(eps * carried * t for t in top),
        length,
    )
    gain = b / sqrt(3)  # on the three entries of E1 and E2
    parameters = Parameters(
        **placed.embeddings,
        readout=Vector.leading(dim, 0),
        gain=Vector.leading(dim, gain, gain, gain) if layer.learned else None,
        bias=Vector.leading(dim, 0) if layer.learned else None,
    )
    gap = eps
    if layer.placement == "post":
        widest = a1 + size * s1
        gap = eps * placed.reach / sqrt(widest * widest + size * size * s2 * s2)
    elif layer.attention == "softmax":
        gap = eps / (placed.shares[0] + size)
    return Construction(name, HeadModel(layer, parameters, head), bound, gap)


@dataclass(frozen=True)
class _Placed:
    """Where the tokens lie.

    Attributes:
        embeddings: of boundary, space and letter.
        shares: the weights of boundary and space (for softmax relative to the space).
        first: N_# in the plane, on E1.
        second: N_s in the plane.
        reach: what the norm after attention makes of a vector's length.
    """

    embeddings: dict[str, Vector]
    shares: Pair
    first: Pair
    second: Pair
    reach: Expr


def _place(layer: Layer, length: int, dim: int, bound: Fraction) -> _Placed:
    """Choose the tokens so that the boundary's weight is about L, as far as B allows."""
    b, size, root = _SHORTER * rational(bound), rational(length), sqrt(rational(dim))
    zero, one = rational(0), rational(1)
    wanted = log(size + 1)  # of the difference of scores
    pre, post = layer.placement == "pre", layer.placement == "post"
    normalised = root * b / sqrt(3) if layer.learned else root
    radius = normalised if pre else b
    long = short = radius
    if layer.attention == "softmax" and pre:  # all values have one length: choose their angle
        difference = minimum(radius * radius / root, wanted)
        cosine = 1 - difference * root / (radius * radius)
        direction = cosine, sqrt(1 - cosine * cosine)
        shares = exp(difference), one
        letter: Pair = (-one, zero)
    elif layer.attention == "softmax":
        long = minimum(b, sqrt(root * wanted))
        shares = exp(long * long / root), one
        direction = zero, one
        letter = (zero, zero)
        if post:  # the shorter the spaces, the later they outweigh the boundary token
            short = minimum(b, long * shares[0] * sqrt(rational(2)) / size)
    else:
        direction = rational(Fraction(3, 5)), rational(Fraction(4, 5))
        letter = (zero, one) if pre else (zero, zero)
        if post:
            short = minimum(b, long * sqrt(2 * sqrt(rational(2)) / size))
        shares = long * long / root, long * short * direction[0] / root
    ends = (minimum(b, one), minimum(b, one)) if pre else (long, short)
    return _Placed(
        {
            "boundary": plane.in_plane(dim, ends[0], zero),
            "space": plane.in_plane(dim, direction[0] * ends[1], direction[1] * ends[1]),
            "letter": plane.in_plane(dim, letter[0] * ends[0], letter[1] * ends[0]),
        },
        shares,
        (shares[0] * long, zero),
        (shares[1] * short * direction[0], shares[1] * short * direction[1]),
        normalised,
    )
