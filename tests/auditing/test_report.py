"""Audits from file to verdict, in Python and on the command line."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from countbounds import Affine, TrainedLayer, TrainedNorm, audit, b_min, l_max
from countbounds.auditing.optimum import matching, norms, why_not
from countbounds.auditing.words import describe_audit, input_in_words, read_as
from countbounds.cli import main
from countbounds.decimals import Bracket
from countbounds.errors import InputError
from countbounds.variants import all_variants
from tests.auditing.generated import head, names
from tests.auditing.test_naming import CHECKPOINTS

NEARLY = CHECKPOINTS / "nearly-100.safetensors"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["audit", *words])
    out, err = capsys.readouterr()
    return status, out, err


def tilted(length: int, slope: float = 1.0) -> TrainedLayer:
    """Linear attention with y = slope n."""
    return TrainedLayer(
        embedding=np.array([[1.0, 0, 0], [1, 1, 0], [0, 0, 1]]),
        names=("#", "space", "q"),
        readout=np.array([[0.0, slope, 0]]),
        attention="linear",
    )


def test_almost_perfect_on_a_sample_is_not_enough() -> None:
    """99 % right on a sample of 10,000 inputs; the audit names one that is not."""
    sample = json.loads((CHECKPOINTS / "nearly-100.sample.json").read_text())
    assert 0.985 <= sample["accuracy"] < 1
    result = audit(NEARLY, sample["length"])
    assert result.verdict == "fails"
    assert result.worst_error is not None
    assert result.worst_error.lower is not None
    assert result.worst_error.lower > Fraction(1, 2)
    assert result.worst_input == (100, 0)
    assert read_as(result) == "100 'counted' are read as 99"
    least = min(n + m for n, m in sample["failing"])
    assert result.counts_up_to is not None
    assert result.counts_up_to < least
    assert audit(NEARLY, result.counts_up_to).verdict == "counts"
    assert audit(NEARLY, result.counts_up_to + 1).verdict == "fails"


@pytest.mark.parametrize("length", [10, 100])
def test_trained_layers_that_count(length: int) -> None:
    result = audit(CHECKPOINTS / f"counts-to-{length}.safetensors", length)
    assert result.verdict == "counts"
    assert result.counts_up_to is not None
    assert result.counts_up_to >= length


def test_in_words() -> None:
    result = audit(tilted(0, 0.995), 150)
    assert result.worst_input == (150, 0)
    assert result.counts_up_to == 99
    text = describe_audit(result)
    assert "the layer fails to count to L = 150" in text
    assert "150 'space' are read as 149" in text
    assert "it has" not in text
    assert input_in_words(("#", "a", "b", "c"), (1, 0, 0)) == "1 'a'"
    assert input_in_words(("#", "a", "b", "c"), (1, 2, 3000)) == "1 'a', 2 'b' and 3,000 'c'"
    assert input_in_words(("#", "a"), (0,)) == "the boundary '#' alone"


def test_names_are_quoted() -> None:
    layer = replace(tilted(0, 0.995), names=("#", "\n", "it's"))
    assert read_as(audit(layer, 150)) == r"150 '\n' are read as 149"


def test_a_layer_that_counts_for_ever() -> None:
    result = audit(tilted(0), 5)
    assert (result.verdict, result.counts_up_to, result.reach.lower) == ("counts", None, 10**18)
    assert "1,000,000,000,000,000,000 at least" in describe_audit(result)


def test_an_output_that_is_undefined() -> None:
    layer = TrainedLayer(
        np.array([[1.0, 0], [0, 1], [-1, 0]]),
        names(3),
        np.ones((1, 2)),
        query=Affine(np.zeros((1, 2))),
        key=Affine(np.zeros((1, 2))),
        after=TrainedNorm("rms"),
    )
    result = audit(layer, 3)
    assert result.worst_error == Bracket(None, None)
    assert result.worst_input == (0, 1)
    assert "undefined" in str(read_as(result))
    assert result.as_dict()["worst_error"] == {"lower": "inf", "upper": "inf"}


def test_classes() -> None:
    layer = head(np.random.default_rng(3), 8, 1)
    classes = len(layer.readout)
    result = audit(layer, 5)
    assert result.smallest_gap is not None
    assert result.worst_error is None
    missing = audit(layer, classes + 5)
    assert (missing.verdict, missing.smallest_gap) == ("fails", None)
    assert "no class for this count" in str(read_as(missing))
    assert missing.reach.length is not None
    assert missing.reach.length <= classes - 1
    same = replace(layer, readout=layer.readout[:1].repeat(classes, axis=0), readout_bias=None)
    tied = audit(same, 5)
    assert tied.verdict == "fails"
    assert "ties with the right one" in str(read_as(tied))


def test_one_class_alone() -> None:
    layer = replace(tilted(0), readout=np.ones((1, 3)), classifies=True)
    result = audit(layer, 3)
    assert (result.verdict, result.counts_up_to) == ("fails", 0)


# --- the theory ---------------------------------------------------------------------------


def theoretical(variant: Any, bound: float = 40.0) -> TrainedLayer:
    """Some layer of a variant, its largest norm a little below a bound."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(6, 16))
    rows *= (bound * 0.999 / np.linalg.norm(rows, axis=1))[:, None]
    known = variant.layer
    gain, bias = (rows[4], rows[5]) if known.learned else (None, None)
    norm = TrainedNorm("layer", Fraction(0), gain, bias)
    return TrainedLayer(
        rows[:3],
        names(3),
        rows[3:4],
        attention=known.attention,
        scale_square=Fraction(1, 16),
        before=norm if known.placement == "pre" else None,
        after=norm if known.placement == "post" else None,
    )


@pytest.mark.parametrize("variant", all_variants(), ids=lambda variant: variant.name)
def test_the_optimum_at_the_norms(variant: Any) -> None:
    layer = theoretical(variant)
    assert why_not(layer) == []
    assert matching(layer) == variant.name
    result = audit(layer, 3)
    best = result.optimum
    assert best is not None
    largest = max(value.upper for value in norms(layer).values() if value.upper is not None)
    assert abs(best.bound - largest) < Fraction(1, 10**20)
    expected = l_max(variant.name, best.bound, 16)
    assert (best.length, best.unbounded) == (expected.length, expected.unbounded)
    assert result.as_dict()["optimal_length_at_these_norms"] == expected.as_dict()["length"]
    if result.reach.lower:
        smallest = b_min(variant.name, result.reach.lower, 16)
        assert best.smallest_bound == Bracket(smallest.lower, smallest.upper)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"query": Affine(np.ones((16, 16)))}, "projections (query)"),
        ({"scale_square": Fraction(1)}, "<q, k>/sqrt(d)"),
        ({"residual": True}, "residual"),
        ({"readout_bias": np.array([0.5])}, "bias"),
        ({"after": TrainedNorm("rms")}, "RMSNorm"),
        (
            {"after": TrainedNorm("layer", Fraction(1, 10**5))},
            "after attention has epsilon = 0.00001",
        ),
        ({"after": TrainedNorm(weight=np.ones(16))}, "only one of gain and bias"),
        ({"before": TrainedNorm(), "after": TrainedNorm()}, "before and after"),
        ({"attention": "linear", "after": TrainedNorm()}, "no row of Table 1"),
        ({"readout": np.ones((5, 16)), "classifies": True}, "classification head"),
    ],
)
def test_where_the_theory_has_nothing_to_say(changes: dict[str, Any], reason: str) -> None:
    layer = replace(theoretical(all_variants()[2]), **changes)
    result = audit(layer, 3)
    assert result.optimum is None
    assert result.reason is not None
    assert reason in result.reason
    assert result.as_dict()["optimal_length_at_these_norms"] is None
    assert result.as_dict()["reason"] == result.reason


def test_identity_projections_are_no_projections() -> None:
    layer = theoretical(all_variants()[2])
    explicit = replace(layer, query=Affine(np.eye(16), np.zeros(16)), readout_bias=np.zeros(1))
    assert why_not(explicit) == []


def test_norms_are_enclosed() -> None:
    layer = tilted(0)
    found = norms(layer)
    assert found["embedding of '#'"] == Bracket.exactly(1)
    space = found["embedding of 'space'"]
    assert space.lower is not None
    assert space.upper is not None
    assert space.lower**2 <= 2 <= space.upper**2
    assert float(space.lower) == pytest.approx(math.sqrt(2))


# --- the command --------------------------------------------------------------------------


def test_command_prints_what_it_understood_first(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, str(NEARLY), "-L", "100")
    assert (status, err) == (1, "")
    assert out.index("what is in the file") < out.index("the layer fails to count")
    status, out, _ = run(capsys, str(NEARLY), "-L", "91", "--json")
    assert status == 0
    found = json.loads(out)
    wanted = "verdict worst_error worst_input counts_up_to norms optimal_length_at_these_norms"
    assert set(wanted.split()) <= set(found)
    assert found["schema"] == 1
    assert found["counts_up_to"] == 91
    assert found["worst_input"] == {"n": 91, "m": 0, "fillers": {"filler 2": 0}}


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_plot(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / f"error.{ending}"
    status, _, err = run(capsys, str(NEARLY), "-L", "100", "--plot", str(picture))
    assert (status, err) == (1, "")
    assert picture.stat().st_size > 2000
    assert [path.name for path in tmp_path.iterdir()] == [picture.name]


def test_plot_of_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "gap.svg"
    checkpoint = str(CHECKPOINTS / "classes.safetensors")
    assert run(capsys, checkpoint, "-L", "5", "--plot", str(picture))[0] == 1
    assert picture.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.safetensors", "-L", "5"], "missing.safetensors"),
        ([str(NEARLY), "-L", "0"], "from 1 to 10^18"),
        ([str(NEARLY), "-L", "1e19"], "from 1 to 10^18"),
        ([str(NEARLY), "-L", "5", "--plot", "error.bmp"], ".pdf, .png or .svg"),
        ([str(NEARLY), "-L", "5", "--plot", "no/where.png"], "does not exist"),
        ([str(NEARLY), "-L", "5", "--config", "none.toml"], "none.toml"),
        ([str(NEARLY), "-L", "5", "--plot", "a.svg", "--out", "a.svg"], "name the same file"),
    ],
)
def test_a_wrong_call_is_one_line(
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_infinite_weights_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "layer.safetensors")
    rows = np.array([[1, 2, 3], [1, np.inf, 3]], np.float32)
    save_file({"embedding.weight": rows, "readout.weight": np.ones((1, 3), np.float32)}, path)
    status, _, err = run(capsys, path, "-L", "5")
    assert status == 2
    assert "not finite (at [1, 1])" in err


def test_wrong_lengths_in_python() -> None:
    for length in (0, 10**18 + 1, 2.5, True):
        with pytest.raises(InputError, match=r"from 1 to 10\^18"):
            audit(tilted(0), length)  # type: ignore[arg-type]


# --- layers that were once misjudged, or took too long -------------------------------------


def test_scores_too_large_for_the_first_precision_decide_nothing() -> None:
    rows = np.array([[1, 0], [-1e50, 1.0]])
    layer = TrainedLayer(rows, ("#", "s"), np.eye(2), classifies=True)
    result = audit(layer, 1)
    assert (result.verdict, result.worst_input, result.counts_up_to) == ("fails", (1,), 0)
    assert result.smallest_gap is not None
    assert result.smallest_gap.upper is not None
    assert result.smallest_gap.upper == pytest.approx(-1)


def test_a_tiny_gap_is_no_tie() -> None:
    tiny = 2.0**-149
    layer = TrainedLayer(
        embedding=np.array([[1, 1, 1, 1], [0, 0, 2, -1.0]]),
        names=("#", "s"),
        readout=np.array([[1, tiny, -1, 1], [1, 0, 1, -1]]),
        readout_bias=np.array([tiny, 0]),
        classifies=True,
        attention="linear",
        after=TrainedNorm("rms"),
    )
    result = audit(layer, 1)
    assert result.verdict == "counts"
    assert result.smallest_gap is not None
    assert result.smallest_gap.lower is not None
    assert result.smallest_gap.lower == pytest.approx(2 * tiny)
    tie = replace(layer, readout_bias=np.array([-tiny, 0]))
    assert audit(tie, 1).verdict == "fails"


def test_weights_of_very_different_size() -> None:
    layer = TrainedLayer(
        embedding=np.array([[1, 0], [800, 1.0], [0, 3], [2, 1]]),
        names=tuple("#sab"),
        readout=np.array([[0, 1.0], [1, 0]]),
        readout_bias=np.array([0, 1.0]),
        classifies=True,
        after=TrainedNorm("rms", Fraction(1, 1000)),
    )
    assert audit(layer, 1).verdict == "fails"


@pytest.mark.parametrize(("fillers", "d", "length"), [(2, 3, 10**9), (3, 3, 10**18), (26, 32, 100)])
def test_a_failing_layer_is_no_work(fillers: int, d: int, length: int) -> None:
    rng = np.random.default_rng(4)
    layer = TrainedLayer(
        rng.normal(size=(2 + fillers, d)),
        tuple(f"t{i}" for i in range(2 + fillers)),
        rng.normal(size=(1, d)),
        scale_square=Fraction(1, d),
        after=TrainedNorm(),
    )
    result = audit(layer, length)
    assert result.verdict == "fails"
    assert result.worst_error is not None
    assert result.worst_error.upper is not None


@pytest.mark.parametrize("what", ["--out", "--plot"])
def test_what_is_read_is_not_overwritten(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "layer.safetensors"
    path.write_bytes(NEARLY.read_bytes())
    config = tmp_path / "layer.toml"
    config.write_text("[layer]\nheads = 1\n")
    for target in (path, config):
        words = [str(path), "-L", "5", "--config", str(config), what, str(target)]
        status, _, err = run(capsys, *words)
        assert status == 2
        assert "overwrite" in err or ".pdf, .png" in err
    assert path.read_bytes() == NEARLY.read_bytes()


def test_one_head_is_said_to_be_assumed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "heads         1 (assumed: the file does not say)" in run(capsys, str(NEARLY), "-L5")[1]
