"""Exact counting by linear attention: closed forms, the layer itself, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds import b_min
from countbounds.bounds import SmallestBound
from countbounds.certificate import as_text
from countbounds.compare import compare
from countbounds.domain import worst_error
from countbounds.errors import InputError
from countbounds.expressions import Expr, rational, sqrt
from countbounds.kernel import RejectedError, verify
from countbounds.layer import Layer, Parameters
from countbounds.model import Model
from countbounds.optimum import linear
from countbounds.vectors import Vector

SPOILT = [("linear", 5), ("linear-pre-ln", 4)]


def exact(variant: str, length: int, dim: int, digits: int = 12) -> SmallestBound:
    found = b_min(variant, length, dim, digits, exact=True)
    assert found.lower is not None
    assert found.upper is not None
    assert (found.upper - found.lower) * 10**digits <= found.lower
    return found


dims = st.integers(3, 10**6)
digits = st.integers(1, 60)


@given(dims, digits)
def test_the_bracket_holds_the_closed_form(dim: int, digits: int) -> None:
    found = exact("linear", 3, dim, digits)
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower**8 < 4 * dim < found.upper**8
    found = exact("linear-pre-ln", 3, dim, digits)
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower * dim < 2 < found.upper * dim


def scaled(vector: Vector, factor: Expr) -> Vector:
    """The vector times a real number."""
    head = tuple((entry * factor, count) for entry, count in vector.head)
    return Vector(vector.dim, head, vector.tail * factor)


def layer_of(variant: str, dim: int) -> tuple[Model, Parameters, Fraction]:
    """The layer that a certificate describes, with its irrational read-out, and the bound."""
    if variant == "linear":
        found = linear.exact_without_norm(dim, 9)
        factor, layer = sqrt(rational(dim)), Layer("linear")
    else:
        found = linear.exact_sphere(dim, 9)
        layer = Layer("linear", "pre")
        # the boundary token is orthogonal to the all-ones vector as it stands
        factor = 1 / sqrt(found.parameters.boundary.dot(found.parameters.boundary))
    parameters = replace(found.parameters, readout=scaled(found.parameters.readout, factor))
    return Model(layer, parameters), parameters, found.upper


@pytest.mark.parametrize("dim", [3, 4, 16, 1000])
@pytest.mark.parametrize("variant", ["linear", "linear-pre-ln"])
def test_the_output_is_n_on_the_whole_domain(variant: str, dim: int) -> None:
    model, parameters, bound = layer_of(variant, dim)
    for length in (1, 30, 10**12):
        found = worst_error(model, length)
        assert found.error.lower == found.error.upper == 0
    for vector in parameters.vectors().values():
        assert compare(vector.dot(vector), rational(bound * bound)) <= 0


def test_softmax_cannot_count_exactly() -> None:
    for variant, length in (("softmax", 2), ("softmax-pre-ln-learned", 2), ("softmax-post-ln", 3)):
        found = b_min(variant, length, 16, exact=True)
        assert (found.lower, found.upper, found.certificate) == (None, None, None)
        assert found.regime == "no finite parameters"
        with pytest.raises(InputError, match="not covered"):
            b_min(variant, length - 1, 16, exact=True)


def spoilt(variant: str, dim: int, change: Any) -> str:
    content = json.loads(as_text(exact(variant, 6, dim).certificate or {}))
    change(content)
    return as_text(content)


@pytest.mark.parametrize(("variant", "dim"), SPOILT)
def test_what_is_not_exact_is_refused(variant: str, dim: int) -> None:
    def scale(vector: str) -> Any:
        def change(content: Any) -> None:
            for run in content["proof"][vector]:
                run[0] = str(Fraction(run[0]) * (1 - Fraction(1, 10**30)))

        return change

    def letter(content: Any) -> None:
        content["proof"]["letter"] = content["proof"]["space"]

    def swap(content: Any) -> None:
        proof = content["proof"]
        proof["boundary"], proof["space"] = proof["space"], proof["boundary"]

    def rounding(content: Any) -> None:
        content["claim"]["kind"] = "bracket"

    def sharper(content: Any) -> None:
        lower, upper = (Fraction(content["claim"][name]) for name in ("lower", "upper"))
        content["claim"]["upper"] = str((99 * lower + upper) / 100)

    def another(content: Any) -> None:
        content["variant"] = "softmax"

    changes = [scale("readout"), letter, swap, rounding, sharper, another]
    changes += [scale("space")] if variant == "linear" else []
    for change in changes:
        with pytest.raises(RejectedError):
            verify(spoilt(variant, dim, change))
