"""Certificates: the claim and its proof as JSON, written and nothing else.

The format is described in docs/certificates.md; the kernel reads it.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from countbounds.errors import NotExact
from countbounds.kernel import FORMAT, OPTIONS, VERSION
from countbounds.layer import Parameters
from countbounds.vectors import Vector

Certificate = dict[str, Any]


def certificate(variant: str, dim: int, claim: dict[str, Any], proof: Any) -> Certificate:
    """A certificate for a claim about a variant at a dimension."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "options": OPTIONS,
        "variant": variant,
        "dim": dim,
        "claim": claim,
        "proof": proof,
    }


def as_text(content: Certificate) -> str:
    """The certificate's text."""
    return json.dumps(content, indent=1) + "\n"


def write_vectors(parameters: Parameters) -> dict[str, list[list[Any]]]:
    """Vectors as runs [[entry, count], ...] of exact rationals, as the kernel reads them.

    Raises:
        NotExact: if an entry is not a rational number.
    """
    return {name: _runs(vector) for name, vector in parameters.vectors().items()}


def _runs(vector: Vector) -> list[list[Any]]:
    runs: list[list[Any]] = []
    for entry, count in vector.runs():
        value: Fraction | None = entry.value
        if value is None:
            raise NotExact("Only rational parameters are written into a certificate.")
        runs.append([str(value), count])
    return runs
