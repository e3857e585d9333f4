"""Certificates made of what a search found, and what the kernel says of them."""

from __future__ import annotations

from typing import Any

from countbounds.certificate import as_text, certificate, write_vectors
from countbounds.kernel import RejectedError, verify
from countbounds.optimum.result import Optimum


def bracket(name: str, length: int, dim: int, found: Optimum) -> dict[str, Any]:
    """The certificate of both sides."""
    claim = {
        "kind": "bracket",
        "length": length,
        "lower": str(found.lower),
        "upper": str(found.upper),
    }
    proof = {"lower": found.witness, "upper": write_vectors(found.parameters)}
    return certificate(name, dim, claim, proof)


def refused(content: dict[str, Any]) -> bool:
    try:
        verify(as_text(content))
    except RejectedError:
        return True
    return False
