"""Certificates that a classification head decodes every input with a gap.

The construction's vectors are rounded to rational numbers and the gap is taken a little below
its closed form; only what the kernel verifies is returned.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from countbounds.certificate import Certificate, as_text, certificate
from countbounds.decimals import Bracket, significant
from countbounds.errors import InputError
from countbounds.expressions import Expr, evaluate
from countbounds.heads.constructions import Construction, construction
from countbounds.kernel import RejectedError, verify
from countbounds.rings import Enclosure
from countbounds.vectors import Vector

DIGITS = 9
"""The certified gap is below the closed form by less than 10^-9 of it."""

_PRECISIONS = (192, 384, 768, 1536, 3072)


def gap_certificate(name: str, length: int, dim: int, bound: Fraction = Fraction(1)) -> Certificate:
    """A certificate that some head of a variant decodes up to L with a gap.

    Args:
        name: a name of `countbounds.variants.NAMES`.
        length: L, from 1 to 10^5.
        dim: d >= 3.
        bound: B > 0, which every norm keeps.

    Raises:
        InputError: if an argument is out of range.
        RejectedError: if the kernel verifies none of the certificates tried.

    >>> gap_certificate("softmax", 10, 16)["claim"]["kind"]
    'classes'
    """
    built = construction(name, length, dim, bound)
    reason: RejectedError | None = None
    for bits in _PRECISIONS:
        content = _written(built, length, dim, bits)
        try:
            verify(as_text(content))
        except RejectedError as error:
            reason = error
        else:
            return content
    raise RejectedError(f"no certificate of this head is verified: {reason}")


def _written(built: Construction, length: int, dim: int, bits: int) -> Certificate:
    """The construction with numbers of so many significant bits."""
    model = built.model
    with Enclosure(bits + 64) as ring:
        memo: dict[int, Any] = {}

        def number(value: Expr) -> Fraction:
            exact: Fraction | None = value.value
            if exact is not None:
                return exact
            return _shortened(_end(evaluate(value, ring, None, memo)), bits)

        def runs(vector: Vector) -> list[list[Any]]:
            return _merged((number(entry), count) for entry, count in vector.runs())

        vectors = model.parameters.vectors()
        layer = {label: runs(vector) for label, vector in vectors.items() if label != "readout"}
        head = {
            "classes": [runs(vector) for vector in model.head.vectors],
            "biases": [str(number(bias)) for bias in model.head.biases],
        }
        closed = _end(evaluate(built.gap, ring, None, memo))
    gap = significant(closed * (1 - Fraction(1, 2 * 10**DIGITS)), DIGITS + 2, up=False)
    claim = {"kind": "classes", "length": length, "bound": str(built.bound), "gap": str(gap)}
    return certificate(built.variant, dim, claim, {"layer": layer, **head})


def _end(ball: Any) -> Fraction:
    """The lower end of an enclosure."""
    lower = Bracket.of(ball).lower
    if lower is None:
        raise InputError("The head's numbers are too large to be written down.")
    return lower


def _shortened(value: Fraction, bits: int) -> Fraction:
    """A binary fraction of so many significant bits, just next to a number."""
    if value == 0:
        return value
    size = abs(value.numerator).bit_length() - value.denominator.bit_length()
    scale = Fraction(2) ** (bits - size)
    return round(value * scale) / scale


def _merged(pairs: Iterable[tuple[Fraction, int]]) -> list[list[Any]]:
    """Runs [[entry, count], ...], neighbours with the same entry as one."""
    runs: list[list[Any]] = []
    for entry, count in pairs:
        if runs and runs[-1][0] == str(entry):
            runs[-1][1] += count
        else:
            runs.append([str(entry), count])
    return runs
