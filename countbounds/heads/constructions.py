"""Explicit heads that decode at every length in every placement, all norms bounded.

Everything lies in a plane of 1-perp with the orthonormal E1, E2 (`countbounds.variants.plane`).
With the weights omega_t of attention and N_t = omega_t v_t the classes are chosen so that

    <c_k, N_#> + omega_# beta_k = -eps (k^2 - L^2/2)
    <c_k, N_s> + omega_s beta_k = eps (2k - L)
    <c_k, N_l> + omega_l beta_k = 0.

Then class n beats class k by eps (n - k)^2 over the denominator z(n, m): theorem
`parabola-decodes` (docs/theory.md, section 8). The constants L^2/2 and L halve the largest
norms. eps is as large as |c_k| <= B and |beta_k| <= B allow by the triangle inequality.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from countbounds.errors import InputError
from countbounds.expressions import Expr, exp, maximum, minimum, rational, sqrt
from countbounds.heads.head import Head, HeadModel
from countbounds.layer import Parameters
from countbounds.variants import plane
from countbounds.variants import variant as variant_named
from countbounds.vectors import Vector

LONGEST = 10**5

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

    Raises:
        InputError: if the length is out of range.
    """
    if not 1 <= length <= LONGEST:
        raise InputError(f"A classification head stores L + 1 vectors: L is from 1 to {LONGEST}.")
    layer = variant_named(name).layer
    root = sqrt(rational(dim))
    b = rational(bound)
    size = rational(length)
    softmax, pre, post = layer.attention == "softmax", layer.placement == "pre", False
    post = layer.placement == "post"
    zero, one = rational(0), rational(1)

    # Where the tokens lie in the plane (directions), and how long their values are.
    across: Pair = (zero, one)
    slanted: Pair = (rational(Fraction(3, 5)), rational(Fraction(4, 5)))
    boundary, space = (one, zero), across if softmax else slanted
    letter: Pair = (zero, zero) if not pre else ((-one, zero) if softmax else across)
    radius = b
    if pre:
        radius = b if layer.learned else root
    long, short = radius, radius
    if softmax:
        weight = exp(radius * radius / root)
        if post:  # the shorter the spaces, the later they outweigh the boundary token
            short = minimum(b, long * weight * sqrt(rational(2)) / size)
        shares = weight, one
    else:
        if post:
            short = minimum(b, long * sqrt(2 * sqrt(rational(2)) / size))
        shares = long * long / root, long * short * space[0] / root
    first = (shares[0] * long * boundary[0], zero)
    second = (shares[1] * short * space[0], shares[1] * short * space[1])

    # x_k, y_k and beta_k as eps times polynomials in k, and the largest they can be.
    top = (size * size / 2, zero, -one)  # -(k^2 - L^2/2)
    side = (-size, rational(2), zero)  # 2k - L
    if softmax and pre:  # the letter lies opposite the boundary token
        x = tuple(t / (2 * first[0]) for t in top)
        beta = tuple(t / (2 * shares[0]) for t in top)
        y = tuple((s - t) / second[1] for s, t in zip(side, beta, strict=True))
    else:
        x = tuple(t / first[0] for t in top)
        beta = (zero, zero, zero)
        y = tuple((s - second[0] * t) / second[1] for s, t in zip(side, x, strict=True))
    half = size * size / 2
    widest = half / first[0] / (2 if softmax and pre else 1)
    bias = half / (2 * shares[0]) if softmax and pre else zero
    highest = (size + (bias if softmax and pre else second[0] * widest)) / second[1]
    eps = b / maximum(sqrt(widest * widest + highest * highest), bias)

    head = Head(
        tuple(plane.in_plane(dim, eps * p, eps * q) for p, q in zip(x, y, strict=True)),
        tuple(eps * t for t in beta),
        length,
    )
    embedded = (minimum(b, one), minimum(b, one)) if pre else (long, short)
    parameters = Parameters(
        boundary=_placed(dim, boundary, embedded[0]),
        space=_placed(dim, space, embedded[1]),
        letter=_placed(dim, letter, embedded[0]),
        readout=Vector.leading(dim, 0),
        gain=Vector.leading(dim, tail=b / root) if layer.learned else None,
        bias=Vector.leading(dim, 0) if layer.learned else None,
    )
    gap = eps
    if post:
        length_most = sqrt(
            (first[0] + size * second[0]) * (first[0] + size * second[0])
            + size * size * second[1] * second[1]
        )
        gap = eps * (b if layer.learned else root) / length_most
    elif softmax:
        gap = eps / (shares[0] + size)
    return Construction(name, HeadModel(layer, parameters, head), bound, gap)


def _placed(dim: int, direction: Pair, length: Expr) -> Vector:
    return plane.in_plane(dim, direction[0] * length, direction[1] * length)
