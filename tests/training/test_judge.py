"""Checkpoints are judged as what they are: the model of the theory, with these vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from countbounds import l_max, worst_error
from countbounds.training.checkpoint import as_bytes, read
from countbounds.training.judge import judge
from countbounds.training.recipe import Recipe
from countbounds.variants import NAMES, variant


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
def test_a_checkpoint_is_judged_as_the_model_of_the_theory(
    name: str, seed: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    rows = ["boundary", "space", "letter", "readout"]
    rows += ["gain", "bias"] if variant(name).layer.learned else []
    path = tmp_path / "x.safetensors"
    vectors = {row: rng.standard_normal(5) for row in rows}
    path.write_bytes(as_bytes(Recipe.of(name, 9, 5), seed, 1, vectors))
    found, expected = judge(path, 9), worst_error(read(path).model, 9)
    assert found.verdict == expected.verdict
    assert found.worst_input == expected.input
    assert found.worst_error is not None
    assert found.worst_error.lower is not None
    assert found.worst_error.upper is not None
    assert expected.error.lower is not None
    assert expected.error.upper is not None
    assert found.worst_error.lower <= expected.error.upper
    assert expected.error.lower <= found.worst_error.upper
    assert found.optimum is not None
    assert found.optimum.variant == name
    assert found.optimum.length == l_max(name, found.optimum.bound, 5).length
