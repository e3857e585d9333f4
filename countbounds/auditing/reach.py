"""How far a layer counts: the largest length at which the full-domain check still holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from countbounds.domain import LONGEST
from countbounds.domain.verdict import Verdict


class Checked(Protocol):
    """The answer of a full-domain check."""

    @property
    def verdict(self) -> Verdict:
        """Whether the layer counts to this length."""
        ...

    @property
    def counts(self) -> tuple[int, ...] | None:
        """An input that is worst."""
        ...


@dataclass(frozen=True)
class Reach:
    """The largest length up to which a layer counts.

    Attributes:
        lower: a length up to which it provably counts; 0 if not even to 1.
        upper: a length beyond which it provably does not; None if that was not found, at
            10^18 for instance.
    """

    lower: int
    upper: int | None

    @property
    def length(self) -> int | None:
        """The length where it is known exactly."""
        return self.lower if self.lower == self.upper else None


def reach(
    check: Callable[[int], Checked],
    length: int,
    known: Checked,
    longest: int = LONGEST,
    progress: Callable[[str], None] = lambda line: None,
) -> Reach:
    """The largest length at which a check still holds.

    The domains are nested, so the check holds up to some length and nowhere beyond. An
    input that fails at one length fails at its own length, n + m_1 + ..., already.

    Args:
        check: the full-domain check as a function of the length.
        length: a length at which it was done.
        known: what it said there.
        longest: the largest length worth asking for.
        progress: is told what is being looked at.
    """
    # It counts to `good`; it does not, or that stays open, at `other`; it fails at `bad`.
    good, other, bad, unclear = 0, longest + 1, longest + 1, 0

    def note(at: int, result: Checked) -> None:
        nonlocal good, other, bad, unclear
        if result.verdict == "counts":
            good = max(good, at)
            return
        if result.verdict == "fails":
            at = at if result.counts is None else max(1, min(at, sum(result.counts)))
            bad = min(bad, at)
        else:
            unclear = max(unclear, at)
        other = min(other, at)

    def between(low: int, high: int) -> int:
        return (low + high) // 2 if high <= longest else min(4 * low + 1, longest)

    note(length, known)
    while good + 1 < other:
        at = between(good, other)
        progress(f"Looking for the longest length it counts to: {at:,}")
        note(at, check(at))
    while unclear and unclear + 1 < bad:
        at = between(unclear, bad)
        progress(f"Looking for a length it fails at: {at:,}")
        note(at, check(at))
    progress("")
    return Reach(good, bad - 1 if bad <= longest or longest < LONGEST else None)
