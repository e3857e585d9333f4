"""Classification heads: norms, closed forms, gaps against brute force, bounds of any head."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds import check, check_head
from countbounds.cli import main
from countbounds.decimals import Bracket
from countbounds.domain.classes import smallest_gap
from countbounds.errors import InputError
from countbounds.expressions import evaluate
from countbounds.heads.bounds import largest_gap
from countbounds.heads.constructions import construction
from countbounds.heads.report import HeadCheck
from countbounds.layer import Parameters
from countbounds.model import Model
from countbounds.rings import Enclosure, Floating
from countbounds.variants import NAMES
from countbounds.vectors import Vector

BOUNDS = ("1/2", "1", "7/2", "40")


def as_the_closed_form_says(result: HeadCheck, bound: str) -> Bracket:
    """The gap of a head, which its closed form gives, and whose norms are below the bound."""
    gap, closed = result.smallest_gap, result.closed_form
    assert gap is not None
    assert gap.lower is not None
    assert gap.upper is not None
    assert closed.lower is not None
    assert closed.upper is not None
    assert gap.lower <= closed.upper
    assert closed.lower <= gap.upper
    assert result.max_norm.upper is not None
    assert result.max_norm.upper <= Fraction(bound)
    return gap


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("dim", [3, 16, 64])
@pytest.mark.parametrize("name", NAMES)
def test_decodes_every_input_with_norms_below_the_bound(name: str, dim: int, bound: str) -> None:
    for length in (1, 2, 3, 20, 1000):
        result = check_head(name, length, dim, bound)
        assert result.verdict == "counts"
        gap = as_the_closed_form_says(result, bound)
        assert result.possible_gap.lower is not None
        assert gap.upper is not None
        assert gap.upper <= result.possible_gap.lower


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("length", "dim", "bound"),
    [
        *((length, 5, "1") for length in (1, 2, 5, 12, 40)),
        (12, 3, "1"),
        (12, 4, "50"),
        (12, 16, "5"),
        (12, 5, "0.1"),
    ],
)
def test_agrees_with_every_input_and_every_class(
    name: str, length: int, dim: int, bound: str
) -> None:
    """Each score by the layer's own forward pass, with the class vector as read-out."""
    model = construction(name, length, dim, Fraction(bound)).model
    result = smallest_gap(model, length)
    with Enclosure(192) as ring:
        least = ring.infinity
        tables = []
        for k in range(length + 1):
            parameters = replace_readout(model.parameters, model.head.vector(k), model.head.bias(k))
            tables.append(Model(model.layer, parameters).curve(ring))
        for n in range(length + 1):
            for m in range(length - n + 1):
                scores = [score(curve, n, m) for curve in tables]
                own = scores.pop(n)
                for other in scores:
                    least = least.min(own - other)
        assert result.gap is not None
        assert result.gap.lower is not None
        assert result.gap.upper is not None
        assert not ring.number(result.gap.lower) > least
        assert not ring.number(result.gap.upper) < least
        assert (result.verdict == "counts") == bool(least > 0)


def replace_readout(parameters: Parameters, vector: Vector, bias: Any) -> Parameters:
    return replace(parameters, readout=vector, readout_bias=bias)


def score(curve: Any, n: int, m: int) -> Any:
    top, bottom = curve.parts(n, m)
    if hasattr(curve, "gram"):
        return curve.offset + top / bottom.sqrt()
    return top / bottom


@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_the_forward_pass_in_floats(name: str) -> None:
    length = 6
    model = construction(name, length, 4).model
    curves = model.on(Floating())
    for k in (0, 3, 6):
        parameters = replace_readout(model.parameters, model.head.vector(k), model.head.bias(k))
        layer = Model(model.layer, parameters)
        for n, m in ((0, 0), (2, 3), (6, 0)):
            c = (1, n, m)
            top = sum(a * x for a, x in zip(curves.numerators[k], c, strict=True))
            if curves.gram is None:
                value = top / sum(w * x for w, x in zip(curves.weights, c, strict=True))
            else:
                square = sum(curves.gram[i][j] * c[i] * c[j] for i in range(3) for j in range(3))
                value = top / square**0.5 + curves.offsets[k]
            assert float(layer.forward(n, m, Floating())) == pytest.approx(float(value), rel=1e-9)


def test_pre_ln_decodes_beyond_the_cap() -> None:
    """Regression ends at L_cap(3) = 12 whatever the norms; classes go on."""
    assert check("softmax-pre-ln", 13, 3).verdict == "impossible"
    for length in (13, 1000):
        assert check_head("softmax-pre-ln", length, 3).verdict == "counts"


@given(
    st.sampled_from(NAMES),
    st.integers(1, 60),
    st.integers(3, 40),
    st.fractions(Fraction(1, 20), 50, max_denominator=50),
)
def test_no_construction_beats_the_bound_of_any(
    name: str, length: int, dim: int, bound: Fraction
) -> None:
    with Enclosure(256) as ring:
        reached = evaluate(construction(name, length, dim, bound).gap, ring)
        assert reached > 0
        assert reached < evaluate(largest_gap(name, length, dim, bound), ring)


@pytest.mark.parametrize("name", NAMES)
def test_gaps_shrink_like_a_power_of_the_length(name: str) -> None:
    """L^2 (L^3 once the boundary's weight is at its limit) times the gap stays bounded."""
    power = 3 if name in ("softmax", "softmax-pre-ln", "softmax-pre-ln-learned") else 2
    products = []
    for length in (2_000, 20_000, 100_000):
        with Enclosure(256) as ring:
            products.append(
                float(evaluate(construction(name, length, 3).gap, ring)) * length**power
            )
    assert max(products) < 1.2 * min(products)


@pytest.mark.parametrize("bound", ["1e20", "1e38", "1e60", "1e80", "1e300"])
@pytest.mark.parametrize("name", NAMES)
def test_large_bounds_are_kept(name: str, bound: str) -> None:
    result = check_head(name, 10, 3, bound)
    gap = as_the_closed_form_says(result, bound)
    assert gap.lower is not None
    assert gap.upper is not None
    assert gap.upper - gap.lower < gap.lower / 10**9
    assert result.possible_gap.upper is not None
    assert gap.upper <= result.possible_gap.upper


@pytest.mark.parametrize("bound", ["1e-3", "0.1", "1/3"])
@pytest.mark.parametrize("length", [1, 7, 100])
def test_no_head_over_linear_attention_is_better_at_small_bounds(length: int, bound: str) -> None:
    result = check_head("linear", length, 16, bound)
    gap, most = as_the_closed_form_says(result, bound), result.possible_gap.lower
    assert gap.lower is not None
    assert most is not None
    assert gap.lower > most * (1 - Fraction(1, 1 << 37))


@pytest.mark.parametrize(
    ("name", "dim", "bound", "factor"),
    [
        ("softmax", 16, 1, 2),
        ("softmax", 5, 3, 3),
        ("softmax", 16, 1000, 4),
        ("softmax-pre-ln", 4, 1, 4),
        ("softmax-pre-ln", 64, 1, 2),
        ("softmax-pre-ln", 10**6, 1, 2),
        ("softmax-pre-ln-learned", 16, 1, 7),
        ("softmax-pre-ln-learned", 1000, 1, 7),
        ("linear-pre-ln", 16, 1, 2),
    ],
)
def test_how_far_the_bounds_are_apart(name: str, dim: int, bound: int, factor: int) -> None:
    result = check_head(name, 1000, dim, bound)
    gap, most = as_the_closed_form_says(result, str(bound)), result.possible_gap.upper
    assert gap.lower is not None
    assert most is not None
    assert gap.lower < most < factor * gap.lower


def test_large_dimensions_and_lengths() -> None:
    assert check_head("softmax-post-ln", 50_000, 10**6).verdict == "counts"


@pytest.mark.parametrize(
    ("length", "dim", "bound", "words"),
    [
        (0, 3, 1, "length L"),
        (10**5 + 1, 3, 1, "10^5"),
        (5, 2, 1, "dimension d"),
        (5, 3, 0, "greater than 0"),
        (5, 3, "x", "bound B"),
    ],
)
def test_wrong_arguments(length: int, dim: int, bound: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        check_head("softmax", length, dim, bound)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check", "softmax-pre-ln", "-L", "200", "-d", "3", "--readout", "classification"]
    assert main(words) == 0
    assert "smallest gap" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["readout"], found["verdict"], found["runner_up"]) == (
        "classification",
        "counts",
        199,
    )
    path = str(tmp_path / "gap.json")
    assert main([*words, "--certificate", path]) == 0
    assert main(["verify", path]) == 0
    assert "VERIFIED softmax-pre-ln, d = 3" in capsys.readouterr().out
    assert main([*words, "--construction", "optimal"]) == 2
    assert "one construction" in capsys.readouterr().err
