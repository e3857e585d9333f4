"""What it costs to store a read-out: the bits that its numbers need to decode every input.

Every stored number of a construction is rounded to the nearest multiple of 2^-p, one p for all.
The rounded numbers are exact rationals, and the full-domain check decides them. `storage` finds
the smallest p at which p, p + 1, ..., p + 16 all decode, with an input at which p - 1 fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from countbounds.checking import read_bound, require_dim, require_length
from countbounds.checking import smallest_decimal as next_decimal
from countbounds.decimals import Bracket, decimal, shorten
from countbounds.domain import worst_error
from countbounds.errors import InputError
from countbounds.heads.constructions import construction, require_head_length
from countbounds.heads.decoding import Failure, Rounded
from countbounds.model import Model
from countbounds.variants import variant as variant_named

Readout = Literal["regression", "classification"]
READOUTS: tuple[Readout, ...] = ("regression", "classification")


@dataclass(frozen=True)
class Storage:
    """What a read-out costs to store.

    Attributes:
        variant: its name.
        length: L.
        dim: d.
        readout: "regression" or "classification".
        bound: B, which the norms keep before rounding; None where nothing can be built.
        bits_fraction: p; the numbers rounded to p, ..., p + 16 bits decode every input, and
            no smaller p has this property.
        bits_integer: the smallest i >= 0 with |x| < 2^i for every rounded number x.
        scalars: how many numbers the read-out stores: d, or (L + 1)(d + 1) for class vectors
            with biases; (L + 1) d where all biases are zero.
        scalars_total: the same with embeddings, gain and bias.
        gap: an enclosure of the margin at p: 1/2 minus the worst error, or the smallest gap.
        fails_at: an input at which rounding to p - 1 bits fails; None for p = 0.
        reason: why nothing can be stored; None where something can.
    """

    variant: str
    length: int
    dim: int
    readout: Readout
    bound: Fraction | None
    bits_fraction: int | None
    bits_integer: int | None
    scalars: int
    scalars_total: int
    gap: Bracket | None
    fails_at: Failure | None
    reason: str | None = None

    @staticmethod
    def nothing(
        variant: str,
        length: int,
        dim: int,
        bound: Fraction | None,
        reason: str,
        readout: Readout = "regression",
    ) -> Storage:
        """The result where no read-out counts at all, or none was found."""
        return Storage(variant, length, dim, readout, bound, None, None, 0, 0, None, None, reason)

    @property
    def bits_per_scalar(self) -> int | None:
        """A sign, the integer bits and the bits of the fraction."""
        if self.bits_integer is None or self.bits_fraction is None:
            return None
        return 1 + self.bits_integer + self.bits_fraction

    @property
    def readout_bits(self) -> int | None:
        """The bits of the read-out alone."""
        width = self.bits_per_scalar
        return None if width is None else width * self.scalars

    @property
    def total_bits(self) -> int | None:
        """The bits of everything stored."""
        width = self.bits_per_scalar
        return None if width is None else width * self.scalars_total

    def as_dict(self) -> dict[str, Any]:
        """The result with numbers as text, as the command line prints it in JSON."""
        possible = self.reason is None
        return {
            "variant": self.variant,
            "length": self.length,
            "dim": self.dim,
            "readout": self.readout,
            "bound": None if self.bound is None else decimal(self.bound),
            "bits_per_scalar": self.bits_per_scalar,
            "bits_fraction": self.bits_fraction,
            "bits_integer": self.bits_integer,
            "scalars": self.scalars if possible else None,
            "scalars_total": self.scalars_total if possible else None,
            "readout_bits": self.readout_bits,
            "total_bits": self.total_bits,
            "gap": None if self.gap is None else self.gap.as_strings(apart=Fraction(0)),
            "fails_at": None if self.fails_at is None else self.fails_at.as_dict(),
            "reason": self.reason,
        }


def storage(
    variant: str,
    length: int,
    dim: int,
    readout: Readout,
    bound: str | int | float | Fraction | None = None,
) -> Storage:
    """What a construction's read-out costs to store.

    Args:
        variant: a name of `countbounds.variants.NAMES`.
        length: L, from 1 to 10^18 for regression, to 10^5 for classification.
        dim: d, from 3 to 10^6.
        readout: "regression" or "classification".
        bound: B > 0, read exactly; by default that of `check` for regression, and 1 for
            classification.

    Raises:
        InputError: if an argument is out of range.
        Undecided: if a check is, or more than 4096 bits are needed.

    >>> result = storage("softmax-post-ln", 10, 16, "regression")
    >>> result.bits_per_scalar, result.scalars, result.total_bits
    (14, 16, 896)
    """
    if readout not in READOUTS:
        raise InputError(
            f'The read-out is "regression" or "classification", not "{shorten(readout)}".'
        )
    prepared = prepare(variant, length, dim, readout, bound)
    if isinstance(prepared, str):
        given = None if bound is None else read_bound(bound)
        return Storage.nothing(variant, length, dim, given, prepared)
    return result_of(variant, length, dim, readout, *prepared)


def prepare(
    variant: str,
    length: int,
    dim: int,
    readout: Readout,
    bound: str | int | float | Fraction | None = None,
) -> tuple[Fraction, Rounded] | str:
    """The bound and the construction of a read-out; a sentence where there is none.

    Raises:
        InputError: as `storage`.
    """
    chosen = variant_named(variant)
    require_dim(dim)
    if readout == "classification":
        require_head_length(length)
        used = Fraction(1) if bound is None else read_bound(bound)
        model = construction(variant, length, dim, used).model
        vectors = [model.head.vector(k) for k in range(length + 1)]
        biases = [model.head.bias(k) for k in range(length + 1)]
        return used, Rounded(length, model.layer, model.parameters, vectors, biases)
    require_length(length)
    given = None if bound is None else read_bound(bound)
    longest = chosen.longest(dim) if chosen.longest is not None else None
    if longest is not None and length > longest:
        return (
            f"{variant} with a regression read-out counts at d = {dim} to L_cap({dim}) = {longest} "
            f"at most, at any bound; L = {length} is impossible."
        )
    used = next_decimal(chosen.guaranteed_bound(length, dim)) if given is None else given
    parameters = chosen.build(length, dim, used)
    if (
        given is not None
        and worst_error(Model(chosen.layer, parameters), length).verdict == "fails"
    ):
        return (
            f"The construction of {variant} does not count to L = {length} at B = {decimal(used)}; "
            "give a larger bound, or none for the one that it is guaranteed at."
        )
    return used, Rounded(length, chosen.layer, parameters)


def result_of(
    variant: str, length: int, dim: int, readout: Readout, bound: Fraction, rounded: Rounded
) -> Storage:
    """The result for a prepared construction."""
    places = rounded.least()
    answer = rounded.at(places)
    return Storage(
        variant=variant,
        length=length,
        dim=dim,
        readout=readout,
        bound=bound,
        bits_fraction=places,
        bits_integer=answer.integer,
        scalars=rounded.scalars,
        scalars_total=rounded.scalars_total,
        gap=answer.margin,
        fails_at=rounded.at(places - 1).failure if places else None,
    )
