"""A row of the command's table, and of its JSON."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from countbounds.auditing.reach import Reach
from countbounds.training.checkpoint import as_bytes
from countbounds.training.judge import judge
from countbounds.training.recipe import Recipe
from countbounds.training.running import COLUMNS, Trained


@pytest.fixture
def row(tmp_path: Path) -> Trained:
    """A layer that counts nothing."""
    path = tmp_path / "x.safetensors"
    rows = ("boundary", "space", "letter", "readout")
    vectors = {name: np.array([0.0, 0.125, 0.0]) for name in rows}
    path.write_bytes(as_bytes(Recipe.of("softmax", 4, 3, 1), 2, 7, vectors))
    return Trained(2, 7, 1.25, path, judge(path, 4))


def test_a_layer_that_counts_nothing(row: Trained) -> None:
    cells = row.as_cells()
    assert list(cells) == list(COLUMNS)
    assert cells | {"checkpoint": None} == {
        "seed": 2,
        "verdict": "fails",
        "worst_error": "3.98438",
        "worst_input": "(4, 0)",
        "counts_up_to": 0,
        "max_norm": "0.125",
        "longest": 0,
        "steps": 7,
        "seconds": "1.2",
        "checkpoint": None,
    }
    found = row.as_dict()
    assert found["counts_up_to"] == found["optimal_length_at_these_norms"] == 0
    assert found["max_norm"] == {"lower": "0.125", "upper": "0.125"}
    assert found["seconds"] == 1.25


@pytest.mark.parametrize(
    ("optimum", "shown"),
    [
        ({"length": None, "unbounded": True}, "unbounded"),
        ({"length": None, "length_lower": 5, "length_upper": 7}, "5 to 7"),
    ],
)
def test_what_is_shown_of_the_optimum(row: Trained, optimum: dict[str, Any], shown: str) -> None:
    assert row.audit.optimum is not None
    audit = replace(row.audit, optimum=replace(row.audit.optimum, **optimum))
    assert replace(row, audit=audit).as_cells()["longest"] == shown


def test_what_stays_open_is_shown_as_such(row: Trained) -> None:
    audit = replace(row.audit, reach=Reach(3, None), optimum=None, worst_input=None)
    cells = replace(row, audit=audit).as_cells()
    assert (cells["counts_up_to"], cells["longest"], cells["worst_input"]) == (">= 3", None, None)
