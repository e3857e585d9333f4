"""Explicit heads that decode at every length in every placement, all norms bounded."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from countbounds.checking import require_integer
from countbounds.expressions import Expr, evaluate, rational
from countbounds.heads.head import Head, HeadModel
from countbounds.heads.placements import Placed, candidates
from countbounds.layer import Parameters
from countbounds.rings import Enclosure
from countbounds.variants import variant as variant_named
from countbounds.vectors import Vector

LONGEST = 10**5
_SHORTER = 1 - Fraction(1, 1 << 40)  # so that enclosures show norms to be below B


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
    b = _SHORTER * rational(bound)
    placed = _largest(candidates(layer, b, rational(length), dim), b)
    eps, (first, second) = placed.scale(b), placed.basis
    parameters = Parameters(
        **placed.embeddings,
        readout=Vector.leading(dim, 0),
        gain=placed.gain,
        bias=Vector.leading(dim, 0) if layer.learned else None,
    )
    vectors = tuple(
        first.scaled(eps * p) + second.scaled(eps * q)
        for p, q in zip(placed.along, placed.across, strict=True)
    )
    head = Head(vectors, tuple(eps * t for t in placed.biases), length)
    gap = placed.gap(b)
    return Construction(name, HeadModel(layer, parameters, head), bound, gap)


def _largest(places: list[Placed], bound: Expr) -> Placed:
    """The one with the largest gap, as far as balls tell (each is right)."""
    with Enclosure(128) as ring:
        best, *others = ((evaluate(each.gap(bound), ring), each) for each in places)
        for other in others:
            if other[0] > best[0]:
                best = other
    return best[1]
