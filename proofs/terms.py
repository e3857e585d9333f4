"""Terms that several theorems speak of, as functions of their symbols."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from countbounds.proving.formulas import HALF, Formula, Term, symbols

L, n, m = symbols("L n m")
B, d = symbols("B d")


def least_weight(length: Term) -> Term:
    """a* = floor((L - 1)^2/4)."""
    return sp.floor((length - 1) ** 2 / 4)


def least_value(length: Term) -> Term:
    """A* = a* + L - 1/2."""
    return least_weight(length) + length - HALF


def rounds(output: Term, number: Term) -> Formula:
    """|y - n| < 1/2."""
    return sp.And(number - HALF < output, output < number + HALF)


def softmax_weight(attended: Term, counted: Term, dim: Term) -> Term:
    """e^(s_t - s_s) for the inner products of a token t and of a space with the boundary."""
    return sp.exp((attended - counted) / sp.sqrt(dim))


def inner(left: list[Term], right: list[Term]) -> Term:
    """The inner product of two vectors, given by their first coordinates; the rest are 0."""
    return sp.Add(*(x * y for x, y in zip(left, right, strict=True)))


def output_of(vectors: Mapping[str, list[Term]], dim: Term) -> Term:
    """y(n, m) for the vectors boundary, space, letter and readout, by name."""
    boundary, space, letter, readout = (
        vectors[name] for name in ("boundary", "space", "letter", "readout")
    )
    return softmax_output(boundary, space, letter, readout, dim)


def softmax_output(
    boundary: list[Term], space: list[Term], letter: list[Term], readout: list[Term], dim: Term
) -> Term:
    """y(n, m) of softmax attention over these vectors, as seen by attention."""
    a, delta = (
        softmax_weight(inner(boundary, token), inner(boundary, space), dim)
        for token in (boundary, letter)
    )
    values = [inner(readout, token) for token in (boundary, space, letter)]
    return (a * values[0] + n * values[1] + delta * m * values[2]) / (a + n + delta * m)
