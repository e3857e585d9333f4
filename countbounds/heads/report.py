"""A classification head at one (L, d, B), decided on the whole domain."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from countbounds.checking import read_bound, require_dim
from countbounds.decimals import Bracket, decimal
from countbounds.domain.classes import smallest_gap
from countbounds.domain.verdict import Verdict
from countbounds.errors import Undecided
from countbounds.expressions import evaluate
from countbounds.heads.bounds import largest_gap
from countbounds.heads.constructions import Construction, construction, require_head_length
from countbounds.heads.head import largest_norms
from countbounds.rings import Element, Enclosure

_BITS, _MOST_BITS = 256, 8192


@dataclass(frozen=True)
class HeadCheck:
    """What the check of a classification head found.

    Attributes:
        variant: its name.
        length: L.
        dim: d.
        bound: B, which every norm keeps (embeddings, gain, bias, class vectors, |beta_k|).
        verdict: "counts" if class n wins on every input.
        smallest_gap: an enclosure of the smallest winning gap, by the full-domain check.
        closed_form: an enclosure of what the construction's closed form says it is.
        possible_gap: an upper bound of the smallest gap of any head with these norms.
        worst_input: (n, m) with that gap.
        runner_up: the class that comes nearest there.
        max_norm: an enclosure of the largest norm.
        domain_size: number of inputs covered, (L + 1)(L + 2)/2.
    """

    variant: str
    length: int
    dim: int
    bound: Fraction
    verdict: Verdict
    smallest_gap: Bracket | None
    closed_form: Bracket
    possible_gap: Bracket
    worst_input: tuple[int, int] | None
    runner_up: int | None
    max_norm: Bracket
    domain_size: int

    def as_dict(self) -> dict[str, Any]:
        """The result with numbers as text, as the command line prints it in JSON."""
        at, gap = self.worst_input, self.smallest_gap
        return {
            "variant": self.variant,
            "readout": "classification",
            "length": self.length,
            "dim": self.dim,
            "bound": decimal(self.bound),
            "construction": "derived",
            "verdict": self.verdict,
            "smallest_gap": None if gap is None else gap.as_strings(apart=Fraction(0)),
            "closed_form": self.closed_form.as_strings(),
            "possible_gap": self.possible_gap.as_strings()["upper"],
            "worst_input": None if at is None else {"n": at[0], "m": at[1]},
            "runner_up": self.runner_up,
            "max_norm": self.max_norm.as_strings(),
            "domain_size": self.domain_size,
        }


def check_head(
    variant: str,
    length: int,
    dim: int,
    bound: str | int | float | Fraction = 1,
    precision: int | None = None,
) -> HeadCheck:
    """Build a variant's classification head and decide every input and every class.

    Args:
        variant: a name of `countbounds.variants.NAMES`.
        length: L, from 1 to 10^5.
        dim: d, from 3 to 10^6.
        bound: B > 0, read exactly.
        precision: bits at which an open question is given up as undecided.

    Raises:
        InputError: if an argument is out of range.
        Undecided: if B is so large that the norms are not shown to stay below it.

    >>> result = check_head("softmax-pre-ln", 200, 3)  # regression ends at L_cap(3) = 12
    >>> result.verdict, result.worst_input, result.runner_up
    ('counts', (200, 0), 199)
    """
    require_dim(dim)
    require_head_length(length)
    b = read_bound(bound)
    built = construction(variant, length, dim, b)
    found = smallest_gap(built.model, length, precision)
    bits = _BITS + 8 * length.bit_length()
    while True:
        with Enclosure(bits) as ring:
            closed = Bracket.of(evaluate(built.gap, ring))
            possible = Bracket.of(evaluate(largest_gap(variant, length, dim, b), ring))
            norm = Bracket.of(_largest_norm(built, ring))
        if closed.upper is not None and norm.upper is not None and norm.upper <= b:
            break
        if bits > _MOST_BITS:
            raise Undecided(f"That the norms stay below B is not shown by {bits} bits.")
        bits *= 2
    counts = found.counts
    return HeadCheck(
        variant=variant,
        length=length,
        dim=dim,
        bound=b,
        verdict=found.verdict,
        smallest_gap=found.gap,
        closed_form=closed,
        possible_gap=possible,
        worst_input=None if counts is None else (counts[0], counts[1]),
        runner_up=found.runner_up,
        max_norm=norm,
        domain_size=(length + 1) * (length + 2) // 2,
    )


def _largest_norm(built: Construction, ring: Enclosure) -> Element:
    square, bias = largest_norms(built.model.head, ring)
    largest = ring.sqrt(square).max(bias)
    for vector in built.model.parameters.on(ring).vectors().values():
        largest = largest.max(ring.sqrt(vector.dot(vector)))
    return largest
