"""The audit of a trained layer: does it count, how far, and how far could it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from countbounds.auditing import optimum as theory
from countbounds.auditing.layer import TrainedLayer
from countbounds.auditing.naming import Interpretation, load
from countbounds.auditing.reach import Reach, reach
from countbounds.auditing.reduction import Reduction
from countbounds.checking import require_length
from countbounds.decimals import Bracket
from countbounds.domain.classes import SmallestGap, smallest_gap
from countbounds.domain.several import SeveralError, worst_error_of_several
from countbounds.domain.verdict import Verdict
from countbounds.errors import InputError
from countbounds.rings import Enclosure

_BITS = 512


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    Attributes:
        readout: "regression" or "classification".
        classes: the number of rows of the read-out.
        names: a name for each token: the boundary, the counted one, then the fillers.
        length: L.
        verdict: "counts", "fails" or "undecided", on every input with at most L tokens
            beside the boundary.
        worst_error: regression: an enclosure of the largest |y - n|; infinite where y is
            undefined.
        smallest_gap: classification: an enclosure of the smallest winning gap; None where
            an output is undefined or a class is missing.
        worst_input: (n, m_1, ..., m_k), an input that reaches the end of the enclosure.
        output: regression: an enclosure of y there.
        runner_up: classification: the class that wins or comes nearest there.
        reach: how far the layer counts.
        norms: the norm of each vector (of each projection the Frobenius norm).
        optimum: what the theory says about these norms; None where it has nothing to say.
        reason: why it has nothing to say.
        understood: what was read, in words; empty for a layer that was given.
    """

    readout: Literal["regression", "classification"]
    classes: int
    names: tuple[str, ...]
    length: int
    verdict: Verdict
    worst_error: Bracket | None
    smallest_gap: Bracket | None
    worst_input: tuple[int, ...] | None
    output: Bracket | None
    runner_up: int | None
    reach: Reach
    norms: dict[str, Bracket]
    optimum: theory.Optimum | None
    reason: str | None
    understood: tuple[str, ...] = ()

    @property
    def counts_up_to(self) -> int | None:
        """The largest length up to which the layer counts, where it is known exactly."""
        return self.reach.length

    def as_dict(self) -> dict[str, Any]:
        """The result with numbers as text, as the command line prints it in JSON."""
        from countbounds.auditing.words import read_as

        at = self.worst_input
        error, best = self.worst_error, self.optimum
        return {
            "understood": list(self.understood),
            "readout": self.readout,
            "length": self.length,
            "verdict": self.verdict,
            "worst_error": None if error is None else error.as_strings(apart=Fraction(1, 2)),
            "smallest_gap": None if self.smallest_gap is None else self.smallest_gap.as_strings(),
            "worst_input": None
            if at is None
            else {
                "n": at[0],
                "m": sum(at[1:]),
                "fillers": dict(zip(self.names[2:], at[1:], strict=True)),
            },
            "worst_output": None if self.output is None else self.output.as_strings(),
            "runner_up": self.runner_up,
            "in_words": read_as(self),
            "counts_up_to": self.counts_up_to,
            "counts_up_to_lower": self.reach.lower,
            "counts_up_to_upper": self.reach.upper,
            "norms": {name: value.as_strings() for name, value in self.norms.items()},
            "optimal_length_at_these_norms": None if best is None else best.as_dict()["length"],
            "optimum": None if best is None else best.as_dict(),
            "reason": self.reason,
        }


def audit(
    source: TrainedLayer | Interpretation | str | os.PathLike[str],
    length: int,
    config: str | os.PathLike[str] | None = None,
    *,
    precision: int | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> Audit:
    """Decide on every input whether a trained layer counts, and how far it does.

    Args:
        source: a layer, what `countbounds.auditing.naming.load` made of a file, or the path
            of a file: `.safetensors`, `.npz` or PyTorch's `.pt`.
        length: L, from 1 to 10^18.
        config: a TOML or JSON file that says what is what in the file.
        precision: bits at which an open question is given up as undecided.
        progress: is told what is being worked on.

    Raises:
        InputError: if a file cannot be read, the layer in it is not understood, or a norm
            is undefined for a token.

    >>> import numpy as np
    >>> from countbounds.auditing.layer import TrainedLayer
    >>> layer = TrainedLayer(
    ...     embedding=np.array([[1.0, 0, 0], [1, 1, 0], [0, 0, 1]]),
    ...     names=("#", "space", "letter"),
    ...     readout=np.array([[0.0, 0.995, 0]]),
    ...     attention="linear",
    ... )
    >>> result = audit(layer, 150)
    >>> result.verdict, result.worst_input, result.counts_up_to
    ('fails', (150, 0), 99)
    """
    require_length(length)
    if isinstance(source, TrainedLayer):
        source = Interpretation(source, [])
    elif not isinstance(source, Interpretation):
        source = load(source, config)
    layer, understood = source.layer, tuple(source.lines)
    result = _Check(Reduction(layer), length, precision, progress).answers()
    best, reason = _optimum(layer, result["reach"].lower)
    return Audit(
        classes=len(layer.readout),
        names=layer.names,
        length=length,
        norms=theory.norms(layer),
        optimum=best,
        reason=reason,
        understood=understood,
        **result,
    )


@dataclass(frozen=True)
class _Check:
    """The full-domain check of a layer, and how far it counts."""

    reduction: Reduction
    length: int
    precision: int | None
    progress: Callable[[str], None]

    def answers(self) -> dict[str, Any]:
        """What depends on the kind of the read-out, by the names of `Audit`."""
        self.progress("Checking every input")
        return self._classified() if self.reduction.layer.classifies else self._regressed()

    def _regressed(self) -> dict[str, Any]:
        found = worst_error_of_several(self.reduction, self.length, self.precision)
        output = None
        if found.counts is not None and found.error.lower is not None:
            with Enclosure(max(_BITS, 2 * found.bits)) as ring:
                output = Bracket.of(self.reduction.on(ring).value(found.counts))

        def shorter(length: int) -> SeveralError:
            return worst_error_of_several(self.reduction, length, self.precision, thorough=False)

        return {
            "readout": "regression",
            "verdict": found.verdict,
            "worst_error": found.error,
            "smallest_gap": None,
            "worst_input": found.counts,
            "output": output,
            "runner_up": None,
            "reach": reach(shorter, self.length, found, progress=self.progress),
        }

    def _classified(self) -> dict[str, Any]:
        def at(length: int) -> SmallestGap:
            return smallest_gap(self.reduction, length, self.precision)

        found, longest = at(self.length), self.reduction.classes - 1
        far = Reach(0, 0)
        if longest:
            known = found if self.length <= longest else at(longest)
            far = reach(at, min(self.length, longest), known, longest, self.progress)
        return {
            "readout": "classification",
            "verdict": found.verdict,
            "worst_error": None,
            "smallest_gap": found.gap,
            "worst_input": found.counts,
            "output": None,
            "runner_up": found.runner_up,
            "reach": far,
        }


def _optimum(layer: TrainedLayer, reached: int) -> tuple[theory.Optimum | None, str | None]:
    reasons = theory.why_not(layer)
    if reasons:
        return None, "the theory's model does not match: " + "; ".join(reasons)
    try:
        return theory.optimum(layer, reached), None
    except InputError as error:
        return None, str(error)
