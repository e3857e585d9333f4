from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from countbounds.auditing.config import check_config, read_config
from countbounds.auditing.layer import TrainedLayer
from countbounds.auditing.naming import Interpretation, interpret, load
from countbounds.auditing.tensors import Array, TensorFile, read_tensors
from countbounds.errors import InputError
from tests.auditing.forward import forward

CHECKPOINTS = Path(__file__).parent.parent / "data" / "checkpoints"
TRAINED = sorted(
    path for path in CHECKPOINTS.iterdir() if path.suffix in (".safetensors", ".npz", ".pt")
)
READABLE = [
    pytest.param(path, id=path.name, marks=[pytest.mark.torch] * (path.suffix == ".pt"))
    for path in TRAINED
]
D = 4


def config_of(path: Path) -> Path | None:
    """The config file beside a checkpoint."""
    for suffix in (".toml", ".config.json"):
        if path.with_suffix(suffix).exists():
            return path.with_suffix(suffix)
    return None


def ramp(*shape: int) -> Array:
    return np.arange(1.0, math.prod(shape) + 1).reshape(shape)


def stored_as(dtype: str, tensors: dict[str, Array]) -> TensorFile:
    """A file; in a tensor's name, two underscores stand for a dot."""
    named = {name.replace("__", "."): array for name, array in tensors.items()}
    return TensorFile(named, dict.fromkeys(named, dtype))


def run_by_pytorch(path: Path) -> tuple[TrainedLayer, dict[str, Any]]:
    """The layer of a checkpoint, and inputs with what PyTorch made of them."""
    if path.suffix == ".pt":
        pytest.importorskip("torch")
    expected: dict[str, Any] = json.loads(path.with_suffix(".expected.json").read_text())
    return load(path, config_of(path)).layer, expected


def stored(**tensors: Array) -> TensorFile:
    return stored_as("float32", tensors)


def plain(**more: Array) -> TensorFile:
    return stored(embedding__weight=ramp(3, D), readout__weight=ramp(1, D), **more)


def said(interpretation: Interpretation, label: str) -> str:
    return next(line for line in interpretation.lines if line.startswith(label))


@pytest.mark.parametrize("path", READABLE)
def test_a_checkpoint_is_read_as_pytorch_runs_it(path: Path) -> None:
    layer, expected = run_by_pytorch(path)
    assert len(expected["inputs"]) >= 5
    for counts, outputs in zip(expected["inputs"], expected["outputs"], strict=True):
        found = forward(layer, tuple(counts))
        assert found.shape == (len(outputs),)
        np.testing.assert_allclose(found, outputs, rtol=1e-12, atol=1e-12)


def test_the_checkpoints_cover_the_options() -> None:
    layers = [load(p, config_of(p)).layer for p in TRAINED if p.suffix != ".pt"]
    norms = {
        (side, norm.kind, norm.weight is None, norm.bias is None)
        for layer in layers
        for side, norm in (("before", layer.before), ("after", layer.after))
        if norm is not None
    }
    assert norms >= {
        ("before", "layer", False, False),
        ("before", "rms", False, True),
        ("after", "layer", False, False),
        ("after", "layer", False, True),
        ("after", "layer", True, True),
        ("after", "rms", True, True),
    }
    assert {layer.attention for layer in layers} == {"softmax", "linear"}
    assert {layer.residual for layer in layers} == {False, True}
    assert {layer.classifies for layer in layers} == {False, True}
    assert {layer.fillers for layer in layers} >= {1, 2}
    assert any(layer.query.size(8) < 8 for layer in layers)
    dtypes = {d for p in TRAINED if p.suffix != ".pt" for d in read_tensors(p).dtypes.values()}
    assert dtypes == {"float16", "bfloat16", "float32", "float64"}


@pytest.mark.parametrize("length", [10, 100])
def test_a_layer_trained_well_counts(length: int) -> None:
    layer = load(CHECKPOINTS / f"counts-to-{length}.safetensors").layer
    for n in range(length + 1):
        for m in range(0, length + 1 - n, 1 + length // 20):
            assert abs(forward(layer, (n, m))[0] - n) < 0.4


def test_a_layer_that_nearly_counts_fails_somewhere() -> None:
    layer = load(CHECKPOINTS / "nearly-100.safetensors").layer
    sample = json.loads((CHECKPOINTS / "nearly-100.sample.json").read_text())
    assert 0.985 <= sample["accuracy"] < 1
    for n, m in sample["failing"]:
        assert n + m <= sample["length"]
        assert abs(forward(layer, (n, m))[0] - n) > 0.5


def test_what_is_assumed_is_said() -> None:
    found = interpret(plain())
    assert found.layer.scale_square == Fraction(1, D)
    assert found.layer.names == ("#", "counted", "filler 2")
    assert said(found, "embedding") == "embedding     embedding.weight (3 x 4, float32)"
    for label in ("boundary", "counted", "filler", "query", "attention", "scores", "residual"):
        assert said(found, label).endswith("(assumed)")
    assert "a norm without weights needs a config" in said(found, "norm before")
    assert said(found, "read-out") == "read-out      regression, rounded (assumed)"


def test_what_is_given_is_not_called_assumed() -> None:
    config = {
        "tokens": {"boundary": 1, "counted": 0, "fillers": [2], "names": ["a", "b", "c"]},
        "tensors": dict.fromkeys(("query", "key", "value", "output"), "identity"),
        "layer": {"attention": "linear", "scale": "1/8", "residual": True, "heads": 1},
        "before": {"kind": "layer", "epsilon": "1e-5"},
        "after": {"kind": "rms", "epsilon": 0},
        "readout": {"kind": "regression"},
    }
    found = interpret(plain(), config)
    assert not [line for line in found.lines if "assumed" in line]
    layer = found.layer
    assert layer.names == ("b", "a", "c")
    np.testing.assert_array_equal(layer.embedding, ramp(3, D)[[1, 0, 2]])
    assert layer.scale_square == Fraction(1, 64)
    assert layer.before is not None
    assert layer.after is not None
    assert layer.before.epsilon == Fraction(1, 100_000)
    assert layer.after.epsilon == 0


@pytest.mark.parametrize("prefix", ["", "model.", "0.", "transformer.h.0.attn."])
def test_packed_projections_under_any_prefix(prefix: str) -> None:
    file = plain()
    packed, bias = ramp(3 * D, D), ramp(3 * D)
    more = {"in_proj_weight": packed, "in_proj_bias": bias, "out_proj.weight": ramp(D, D)}
    file.tensors.update({prefix + name: array for name, array in more.items()})
    layer = interpret(file).layer
    for i, affine in enumerate((layer.query, layer.key, layer.value)):
        assert affine.weight is not None
        assert affine.bias is not None
        np.testing.assert_array_equal(affine.weight, packed[i * D : (i + 1) * D])
        np.testing.assert_array_equal(affine.bias, bias[i * D : (i + 1) * D])


@pytest.mark.parametrize(
    "names",
    [
        ("q_proj.weight", "k_proj.weight", "v_proj.weight", "o_proj.weight"),
        ("query.weight", "key.weight", "value.weight", "output.weight"),
        ("attn.W_Q.weight", "attn.W_K.weight", "attn.W_V.weight", "attn.W_O.weight"),
        ("q_proj_weight", "k_proj_weight", "v_proj_weight", "out_proj.weight"),
    ],
)
def test_separate_projections(names: tuple[str, ...]) -> None:
    file = plain()
    shapes = ((2, D), (2, D), (5, D), (D, 5))
    file.tensors.update({name: ramp(*s) for name, s in zip(names, shapes, strict=True)})
    biases = {
        n.replace("weight", "bias"): s for n, s in zip(names, shapes, strict=True) if "." in n
    }
    file.tensors.update({name: ramp(shape[0]) for name, shape in biases.items()})
    layer = interpret(file).layer
    for affine, shape in zip(
        (layer.query, layer.key, layer.value, layer.output), shapes, strict=True
    ):
        assert affine.weight is not None
        assert affine.weight.shape == shape
    assert layer.output.bias is not None
    assert layer.scale_square == Fraction(1, 2)


@pytest.mark.parametrize("readout", ["head", "fc", "linear", "classifier", "out", "a.readout"])
def test_the_number_of_rows_says_what_the_readout_is(readout: str) -> None:
    for rows, classifies in ((1, False), (6, True)):
        file = stored(wte__weight=ramp(3, D))
        more = {f"{readout}.weight": ramp(rows, D), f"{readout}.bias": ramp(rows)}
        file.tensors.update(more)
        layer = interpret(file).layer
        assert layer.classifies == classifies
        assert layer.readout_bias is not None


def test_a_vector_is_a_readout() -> None:
    layer = interpret(stored(embedding=ramp(2, D), w=ramp(D))).layer
    assert layer.readout.shape == (1, D)
    assert layer.fillers == 0


@pytest.mark.parametrize(
    ("name", "side"),
    [
        *((name, "before") for name in ("norm1", "ln_1", "attn_norm", "pre_norm")),
        *((name, "after") for name in ("norm2", "ln_f", "final_norm", "post_norm")),
    ],
)
def test_norms_by_name(name: str, side: str) -> None:
    layer = interpret(plain(**{f"{name}__weight": ramp(D), f"{name}__bias": ramp(D)})).layer
    norm = {"before": layer.before, "after": layer.after}
    found = norm.pop(side)
    assert found is not None
    assert found.kind == "layer"
    assert found.epsilon == Fraction(1, 100_000)
    assert list(norm.values()) == [None]


def test_a_bare_norm_stands_where_the_config_says() -> None:
    file = plain(norm__weight=ramp(D), norm__bias=ramp(D))
    layer = interpret(file, {"after": {}}).layer
    assert layer.before is None
    assert layer.after is not None
    assert layer.after.weight is not None


@pytest.mark.parametrize(("dtype", "power"), [("float32", 23), ("float64", 52)])
def test_the_epsilon_of_rms_norm(dtype: str, power: int) -> None:
    file = plain(norm2__weight=ramp(D), norm2__bias=ramp(D))
    file.dtypes["norm2.weight"] = dtype
    layer = interpret(file, {"after": {"kind": "rms"}}).layer
    assert layer.after is not None
    assert layer.after.epsilon == Fraction(1, 2**power)


def test_tokens_with_tensors_of_their_own() -> None:
    file = stored(h=ramp(D), s=ramp(D) + 1, f=ramp(2, D), g=-ramp(D), w=ramp(D))
    config = {"tensors": {"boundary": "h", "counted": "s", "fillers": ["g", "f"]}}
    layer = interpret(file, config).layer
    wanted = np.stack([ramp(D), ramp(D) + 1, -ramp(D), *ramp(2, D)])
    np.testing.assert_array_equal(layer.embedding, wanted)
    assert layer.names == ("#", "counted", "filler 2", "filler 3", "filler 4")


def test_the_config_in_the_metadata_and_another() -> None:
    text = '{"layer": {"residual": true, "scale": 0.1}}'
    file = TensorFile(plain().tensors, metadata={"countbounds": text})
    found = interpret(file)
    assert found.layer.residual
    assert found.layer.scale_square == Fraction(1, 100)
    assert "metadata" in said(found, "config")
    assert not interpret(file, {}).layer.residual


def test_what_is_ignored_is_said() -> None:
    file = plain(pos__weight=ramp(9, D), mask=ramp(2))
    found = interpret(file, {"ignore": ["pos.*", "mask"]})
    assert said(found, "ignored") == "ignored       pos.weight, mask"


def test_an_unusable_tensor_may_be_ignored_and_not_used() -> None:
    file = plain()
    file.unusable["mask"] = "The tensor 'mask' has the dtype bool."
    interpret(file, {"ignore": ["mask"]})
    with pytest.raises(InputError, match=r"ignore = \[\"mask\"\]"):
        interpret(file)
    with pytest.raises(InputError, match="dtype bool"):
        interpret(file, {"tensors": {"query_bias": "mask"}})


AFFINE = {"norm__weight": ramp(D), "norm__bias": ramp(D)}


@pytest.mark.parametrize(
    ("file", "config", "message"),
    [
        (stored(w=ramp(D)), {}, r"usual name of the embedding.* embedding = \"NAME\""),
        (stored(wte=ramp(2, D)), {}, r"usual name of the read-out.* readout = \"NAME\""),
        (TensorFile({}), {}, "holds nothing"),
        (plain(pos=ramp(3)), {}, r"holds pos, of no known role.*ignore = \[\"pos\"\]"),
        (plain(bias_k=ramp(1, 1, D)), {}, "bias_k adds a token"),
        (plain(W_Q=ramp(D, D)), {}, "W_Q"),
        (plain(q__weight=ramp(D, D)), {}, r"no key projection.*key = \"NAME\".*\"identity\""),
        (plain(head__weight=ramp(1, D)), {}, "readout.weight or head.weight"),
        (plain(**AFFINE), {}, r"before = \{ kind = \"layer\", weight = \"norm.weight\", bias"),
        (plain(norm1__weight=ramp(D)), {}, r"RMSNorm or a LayerNorm.*kind = \"rms\""),
        (plain(norm1__weight=ramp(3), norm1__bias=ramp(3)), {}, r"\(4,\).*\(3,\).*\[before\] w"),
        (plain(in_proj_weight=ramp(D, D)), {}, r"\(12, 4\).*\(4, 4\).*in_proj_weight = \"NAME\""),
        (plain(in_proj_weight=ramp(12, D), q__weight=ramp(D, D)), {}, "q.weight is one of them"),
        (plain(in_proj_bias=ramp(3)), {}, r"\(12,\)"),
        (plain(o__weight=ramp(D, 3)), {}, r"output projection needs the shape \(outputs, 4\)"),
        (stored(emb=ramp(3), w=ramp(D)), {}, r"embedding needs the shape \(tokens, d\)"),
        (stored(emb=ramp(3, 0), w=ramp(0)), {}, "empty"),
        (stored(emb=ramp(1, D), w=ramp(D)), {}, "asks for row 1"),
        (stored(emb=ramp(3, D), w=ramp(D) * np.nan), {}, "not finite"),
        (plain(), {"tensors": {"query": "nope"}}, "no tensor 'nope' for the query"),
        (plain(), {"tensors": {"readout": "embedding.weight"}}, "No tensor.*embedding"),
        (plain(), {"tensors": {"key": "readout.weight"}, "ignore": ["read*"]}, "and ignores it"),
        (plain(), {"tokens": {"boundary": 3}}, "asks for row 3"),
        (plain(), {"tokens": {"boundary": 1}}, "different rows"),
        (plain(), {"tokens": {"names": ["a"]}}, "1 names, and there are 3 tokens"),
        (plain(), {"after": {"kind": "rms"}, "layer": {"transposed": ["query"]}}, "no matrix"),
        (
            stored_as("float16", {"embedding": ramp(3, D), "w": ramp(D)}),
            {"after": {"kind": "rms"}},
            r"float16.*\[after\] epsilon = 1e-6",
        ),
        (
            plain(q__weight=ramp(D, 2), k__weight=ramp(2, D), v__weight=ramp(D, D)),
            {},
            r"transposed = \[\"query\"\]",
        ),
        (
            plain(in_proj_weight=ramp(12, D)),
            {"layer": {"transposed": ["key"]}},
            "packed in in_proj_weight",
        ),
        (stored(emb=ramp(3, D), w=ramp(2, D)), {}, "read-out"),
        (stored(emb=ramp(3, D), fc__weight=ramp(D, 3)), {}, r"transposed = \[\"readout\"\]"),
        (stored(emb=ramp(3, D), w=ramp(D + 1)), {}, r"needs the shape \(4,\), and w has"),
        (
            stored(h=ramp(D), s=ramp(3), w=ramp(D)),
            {"tensors": {"boundary": "h", "counted": "s"}},
            r"counted token needs the shape \(4,\)",
        ),
        (
            plain(in_proj_bias=ramp(12), q_proj__bias=ramp(D), q_proj__weight=ramp(D, D)),
            {"tensors": {"key": "identity", "value": "identity"}},
            "query bias is both in",
        ),
        (plain(), {"readout": {"kind": "regression"}, "tensors": {"readout": "x"}}, "'x'"),
    ],
)
def test_what_is_not_understood(file: TensorFile, config: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        interpret(file, config)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"colour": 1}, "known are tokens, tensors, layer, before, after, readout, ignore"),
        ({"layer": {"causal": True}}, r"\[layer\]; known are attention, scale, residual"),
        ({"layer": 3}, "layer is a table"),
        ({"layer": {"ignore": ["x"]}}, "above every table"),
        ({"layer": {"heads": 2}}, "only a layer with 1 head"),
        ({"layer": {"heads": True}}, "only a layer with 1 head"),
        ({"layer": {"residual": 1}}, "true or false"),
        ({"layer": {"attention": "hard"}}, '"softmax" or "linear"'),
        ({"layer": {"scale": "sqrt"}}, '"1/sqrt'),
        ({"layer": {"scale": 0}}, "a number > 0"),
        ({"layer": {"scale": [1]}}, "a number > 0"),
        ({"layer": {"transposed": ["embedding"]}}, "known are query"),
        ({"before": {"epsilon": "-1e-5"}}, ">= 0"),
        ({"before": {"epsilon": "nan"}}, "not a number"),
        ({"before": {"epsilon": "1e999999"}}, "exponent"),
        ({"before": {"epsilon": None}}, "is a number, not None"),
        ({"before": {"weight": 3}}, "a tensor's name"),
        ({"after": {"kind": "batch"}}, '"layer" or "rms"'),
        ({"readout": {"kind": "x"}}, '"regression" or "classification"'),
        ({"ignore": "x"}, "a list"),
        ({"ignore": [3]}, "a tensor's name or a pattern"),
        ({"tokens": {"boundary": -1}}, "counted from 0"),
        ({"tokens": {"boundary": True}}, "counted from 0"),
        ({"tokens": {"fillers": 3}}, "a list"),
        ({"tokens": {"names": ["a", "a"]}}, "the same"),
        ({"tensors": {"query": ""}}, "a tensor's name"),
        ({"tensors": {"boundary": "x"}}, 'counted = "NAME"'),
        ({"tensors": {"fillers": ["x"]}}, "without boundary"),
        ({"tensors": {"embedding": "e", "counted": "x"}}, "leave the other out"),
        (
            {"tensors": {"boundary": "x", "counted": "y"}, "tokens": {"counted": 3}},
            "leave counted out",
        ),
    ],
)
def test_a_wrong_config(config: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check_config(config)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_decimals_are_exact(tmp_path: Path) -> None:
    toml, other = tmp_path / "a.toml", tmp_path / "a.json"
    toml.write_text("[before]\nepsilon = 1_0.1e-5\n[layer]\nscale = 3\n")
    other.write_text('{"before": {"epsilon": 10.1e-5}, "layer": {"scale": "3"}}')
    for path in (toml, other):
        settings = check_config(read_config(path))
        assert settings.before is not None
        assert settings.before.epsilon == Fraction(101, 1_000_000)
        assert settings.scale == 3


def _broken_configs() -> Iterator[tuple[str, bytes, str]]:
    yield "a.yaml", b"x", "suffix .toml or .json"
    yield "a.toml", b"", "empty"
    yield "a.toml", b"x = ", "not valid TOML"
    yield "a.toml", b"\xff", "not valid TOML"
    yield "a.toml", b"x = " + b"[" * 100_000, "not valid TOML"
    yield "a.json", b"[1]", "a JSON object"
    yield "a.json", b"{", "not valid JSON"
    yield "a.json", b"\xff\xfe", "not valid JSON"
    yield "a.json", b'{"a": 1, "a": 2}', "said twice"
    yield "a.json", b"[" * 100_000, "not valid JSON"
    yield "a.json", b" " * (1 << 21), "at most 1048576"


@pytest.mark.parametrize(("name", "data", "message"), list(_broken_configs()))
def test_a_broken_config_file(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=message) as caught:
        read_config(path)
    assert "\n" not in str(caught.value)
