"""What the search for an exact optimum hands over: two numbers and what proves them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from countbounds.layer import Parameters


@dataclass(frozen=True)
class Optimum:
    """A bracket of B_min(L, d) with the witnesses of both its ends.

    Attributes:
        lower: B_min >= lower.
        witness: the theorem that refutes every bound <= lower, as the kernel reads it.
        upper: B_min < upper.
        parameters: exact rational vectors of norm <= upper that count to L.
        regime: which case of the theory applies, in a word.
    """

    lower: Fraction
    witness: dict[str, Any]
    upper: Fraction
    parameters: Parameters
    regime: str


class SearchFailedError(Exception):
    """The search found no witnesses of the asked width; nothing is claimed."""
