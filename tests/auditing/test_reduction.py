"""A layer multiplied out, against PyTorch's own values and other forward passes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from countbounds import Model, worst_error
from countbounds.auditing.dyadic import Dyadic
from countbounds.auditing.layer import Affine, TrainedLayer, TrainedNorm
from countbounds.auditing.reduction import Reduction
from countbounds.curve import AffineOverRoot
from countbounds.domain.several import worst_error_of_several
from countbounds.errors import InputError
from countbounds.layer import Parameters
from countbounds.rings import Enclosure, ExactNumbers
from countbounds.variants import all_variants
from tests.auditing.forward import forward
from tests.auditing.generated import any_layer
from tests.auditing.test_naming import READABLE, run_by_pytorch

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)


def value(layer: TrainedLayer, counts: tuple[int, ...], row: int = 0) -> float:
    with Enclosure(256) as ring:
        return float(Reduction(layer).on(ring).value(counts, row))


@pytest.mark.parametrize("path", READABLE)
def test_agrees_with_pytorch(path: Any) -> None:
    layer, expected = run_by_pytorch(path)
    for counts, outputs in zip(expected["inputs"], expected["outputs"], strict=True):
        for row, output in enumerate(outputs):
            assert value(layer, tuple(counts), row) == pytest.approx(output, rel=1e-12, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(0, 3), st.integers(1, 3))
def test_agrees_with_a_forward_pass_in_floats(seed: int, fillers: int, outputs: int) -> None:
    rng = np.random.default_rng(seed)
    layer = any_layer(rng, fillers, outputs)
    counts = tuple(int(x) for x in rng.integers(0, 9, 1 + fillers))
    direct = forward(layer, counts)
    for row in range(outputs):
        assert value(layer, counts, row) == pytest.approx(direct[row], rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("variant", all_variants(), ids=lambda variant: variant.name)
def test_agrees_with_the_model_of_the_theory(variant: Any) -> None:
    """On the theory's layers, the two reductions give the same curve and the same verdict."""
    d, length = 4, 6
    rng = np.random.default_rng(7)
    layer = variant.layer
    rows = [rng.integers(-8, 9, d) / 4 for _ in range(6)]
    gain, bias = (rows[4], rows[5]) if layer.learned else (None, None)
    model = Model(layer, Parameters.of(rows[0], rows[1], rows[2], rows[3], gain, bias))
    norm = TrainedNorm("layer", Fraction(0), gain, bias)
    trained = TrainedLayer(
        np.array(rows[:3]),
        ("#", "s", "l"),
        rows[3][None, :],
        attention=layer.attention,
        scale_square=Fraction(1, d),
        before=norm if layer.placement == "pre" else None,
        after=norm if layer.placement == "post" else None,
    )
    source = Reduction(trained)
    with Enclosure(128) as ring:
        ours, theirs = source.alone(0).curve(ring), model.curve(ring)
        assert type(ours) is type(theirs)
        for n, m in ((0, 0), (3, 0), (2, 2), (0, 5)):
            (top, bottom), (other, below) = ours.parts(n, m), theirs.parts(n, m)
            if isinstance(ours, AffineOverRoot):
                assert (top / bottom.sqrt()).overlaps(other / below.sqrt())
            else:
                assert (top / bottom).overlaps(other / below)
    found, expected = worst_error_of_several(source, length), worst_error(model, length)
    assert found.verdict == expected.verdict
    assert found.counts == expected.input
    assert found.error.lower == pytest.approx(expected.error.lower)


@given(arrays(np.float64, (2, 3), elements=DOUBLES), arrays(np.float64, (3, 2), elements=DOUBLES))
def test_products_are_exact(left: Any, right: Any) -> None:
    a, b = Dyadic.of(left), Dyadic.of(right)
    product = (a @ b).rows()
    for i in range(2):
        for j in range(2):
            terms = [Fraction(left[i, t]) * Fraction(right[t, j]) for t in range(3)]
            assert product[i][j] == sum(terms)
    assert (a.transposed + b).rows() == [
        [Fraction(x) + Fraction(y) for x, y in zip(*rows, strict=True)]
        for rows in zip(left.T, right, strict=True)
    ]


def test_subnormal_float16_weights_are_exact() -> None:
    tiny = np.array([[2.0**-24, -(2.0**-24), 0.0], [2.0**-24, 2.0**-23, 1.0]], np.float16)
    layer = TrainedLayer(
        np.vstack([tiny, tiny[:1] * 0]).astype(np.float64),
        ("#", "s", "l"),
        np.array([[0.0, 0.0, 1.0]]),
        attention="linear",
    )
    curve = Reduction(layer).on(ExactNumbers()).curve(0)
    score = Fraction(1, 2**48) - Fraction(2, 2**48)
    assert curve.parts(3, 1)[0].rational() == 3 * score


@pytest.mark.parametrize("kind", ["layer", "rms"])
@pytest.mark.parametrize("token", [0, 1, 2])
def test_a_zero_vector_under_a_norm_before_attention(kind: Any, token: int) -> None:
    rows = np.array([[1.0, 2, 3], [3, 1, 2], [1, 1, -1]])
    rows[token] = 0
    layer = TrainedLayer(rows, ("#", "s", "l"), np.ones((1, 3)), before=TrainedNorm(kind))
    with pytest.raises(InputError, match=r"undefined for the token '[#sl]'.*epsilon is 0"):
        Reduction(layer)
    with_epsilon = TrainedNorm(kind, Fraction(1, 100))
    Reduction(TrainedLayer(rows, ("#", "s", "l"), np.ones((1, 3)), before=with_epsilon))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"embedding": np.ones((1, 3)), "names": ("#",)}, "a row for the boundary token"),
        ({"names": ("#", "s")}, "as many names"),
        ({"readout": np.ones((1, 2))}, "rows of 3 numbers"),
        ({"readout": np.ones((2, 3))}, "one row, not 2"),
        ({"readout_bias": np.ones(2)}, "needs 1 numbers"),
        ({"query": Affine(np.ones((2, 2)))}, r"query projection needs the shape \(outputs, 3\)"),
        ({"key": Affine(np.ones((2, 3)))}, "need the same size"),
        ({"value": Affine(None, np.ones(2))}, r"value bias needs the shape \(3,\)"),
        ({"output": Affine(np.ones((2, 3))), "residual": True}, "residual needs"),
        ({"before": TrainedNorm("layer", Fraction(-1))}, "epsilon >= 0"),
        ({"after": TrainedNorm("rms", weight=np.ones(2))}, r"gain .* needs the shape \(3,\)"),
        ({"attention": "hard"}, '"softmax" or "linear"'),
        ({"scale_square": Fraction(0)}, "a number > 0"),
        ({"embedding": np.array([[1.0, 2, np.nan], [1, 2, 3], [1, 2, 3]])}, r"at \[0, 2\]"),
        ({"readout": np.array([[np.inf, 1, 2]])}, "read-out holds a number that is not finite"),
    ],
)
def test_a_layer_that_does_not_fit(changes: dict[str, Any], words: str) -> None:
    given_: dict[str, Any] = {
        "embedding": np.ones((3, 3)),
        "names": ("#", "s", "l"),
        "readout": np.ones((1, 3)),
    }
    with pytest.raises(InputError, match=words):
        TrainedLayer(**given_ | changes)
