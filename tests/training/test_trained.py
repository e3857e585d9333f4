"""The stored results of trainings, decided anew without PyTorch."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from countbounds import l_max, worst_error
from countbounds.auditing.report import Audit
from countbounds.training.checkpoint import Checkpoint, read
from countbounds.training.judge import judge
from countbounds.training.recipe import Recipe

FOLDER: Final = Path(__file__).parent.parent / "data" / "trained"
PATHS: Final = sorted(FOLDER.glob("*/*.safetensors"))
PAGE: Final = FOLDER.parent.parent.parent / "docs" / "training.md"
COMMAND: Final = re.compile(r"`countbounds train (\S+) -L (\d+) -d (\d+) -B (\d+)`")

# The attained column of the paper's Table 3, for d = 16.
ATTAINED: Final = {
    "softmax": {10: 10, 30: 50, 100: 100, 300: 500, 1000: 1000},
    "softmax-post-ln": {10: 20, 30: 50, 100: 100, 300: 200, 1000: 500},
    "softmax-post-ln-learned": {10: 100, 30: 500, 100: 2000, 300: 5000, 1000: 10000},
}


@cache
def judged(path: Path) -> tuple[Checkpoint, Audit]:
    checkpoint = read(path)
    return checkpoint, judge(path, checkpoint.length)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|\n").split("|")]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_trained_layer_keeps_its_cap_and_never_beats_the_optimum(path: Path) -> None:
    checkpoint, audit = judged(path)
    assert checkpoint.bound is not None
    assert audit.counts_up_to is not None
    assert audit.optimum is not None
    assert audit.optimum.length is not None
    for vector in checkpoint.parameters.vectors().values():
        assert vector.dot(vector).value <= audit.optimum.bound**2 <= checkpoint.bound**2
    within = l_max(checkpoint.variant, checkpoint.bound, checkpoint.dim).length
    assert within is not None
    assert audit.counts_up_to <= audit.optimum.length <= within


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_audit_of_a_trained_layer_agrees_with_the_check_of_its_model(path: Path) -> None:
    checkpoint, audit = judged(path)
    report = worst_error(checkpoint.model, checkpoint.length)
    assert (audit.verdict, audit.worst_input) == (report.verdict, report.input)
    reached = audit.counts_up_to
    assert reached is not None
    assert reached == 0 or worst_error(checkpoint.model, reached).verdict == "counts"
    assert worst_error(checkpoint.model, reached + 1).verdict == "fails"


@pytest.mark.parametrize(
    ("variant", "bound"), [(name, bound) for name, row in ATTAINED.items() for bound in row]
)
def test_every_attained_entry_is_reached_under_its_cap(variant: str, bound: int) -> None:
    length = ATTAINED[variant][bound]
    folder = FOLDER / Recipe.of(variant, length, 16, bound).folder()
    found = [judged(path) for path in sorted(folder.glob("*.safetensors"))]
    for checkpoint, _ in found:
        assert (checkpoint.variant, checkpoint.length) == (variant, length)
        assert (checkpoint.dim, checkpoint.bound) == (16, Fraction(bound))
    assert max(audit.counts_up_to or 0 for _, audit in found) >= length


def test_where_a_longer_one_of_the_grid_is_possible() -> None:
    grid = [factor * 10**power for power in range(7) for factor in (1, 2, 5)]
    possible = {}
    for variant, row in ATTAINED.items():
        for bound, length in row.items():
            longest = l_max(variant, bound, 16).length
            assert longest is not None
            largest = max(point for point in grid if point <= longest)
            if largest != length:
                possible[variant, bound] = largest
    assert possible == {
        ("softmax-post-ln-learned", 300): 10_000,
        ("softmax-post-ln-learned", 1000): 50_000,
    }


def test_the_list_of_results_says_what_they_are() -> None:
    rows = [
        cells(line)
        for line in (FOLDER / "README.md").read_text("utf-8").splitlines()
        if "`" in line
    ]
    rows = [row for row in rows if COMMAND.fullmatch(row[0])]
    assert len(rows) == len(PATHS)
    for command, seed, verdict, error, counts, longest, steps in rows:
        match = COMMAND.fullmatch(command)
        assert match is not None
        recipe = Recipe.of(match[1], int(match[2]), int(match[3]), match[4])
        checkpoint, audit = judged(FOLDER / recipe.folder() / f"seed-{seed}.safetensors")
        assert checkpoint.seed == int(seed)
        assert checkpoint.steps == int(steps)
        assert audit.verdict == verdict
        assert audit.counts_up_to == int(counts)
        assert audit.optimum is not None
        assert audit.optimum.length == int(longest)
        assert audit.worst_error is not None
        upper = audit.worst_error.upper
        assert upper is not None
        assert abs(upper - Fraction(error)) <= Fraction(1, 10**4)
        stored = json.loads((FOLDER / recipe.folder() / "training.json").read_text("utf-8"))
        assert stored == {"schema": 1, **recipe.as_dict()}


def test_the_page_says_what_was_reached() -> None:
    rows = [
        cells(line)
        for line in PAGE.read_text("utf-8").splitlines()
        if line.startswith("| `softmax")
    ]
    assert len(rows) == 15
    for name, bound, attained, seeds, counts, longest in rows:
        variant = name.strip("`")
        length = ATTAINED[variant][int(bound)]
        folder = FOLDER / Recipe.of(variant, length, 16, bound).folder()
        found = [judged(path)[1] for path in sorted(folder.glob("*.safetensors"))]
        good = sum(audit.verdict == "counts" for audit in found)
        assert int(attained) == length
        assert seeds == f"{good} of {len(found)}"
        assert int(counts) == max(audit.counts_up_to or 0 for audit in found)
        assert int(longest) == l_max(variant, bound, 16).length


def curve(path: Path) -> list[dict[str, Any]]:
    heading, *lines = path.read_text("utf-8").splitlines()
    keys = heading.split(",")
    return [dict(zip(keys, map(float, line.split(",")), strict=True)) for line in lines]


def test_curves_are_short_and_end_where_the_training_did() -> None:
    assert {path.with_suffix(".csv") for path in PATHS} == set(FOLDER.glob("*/*.csv"))
    for path in PATHS:
        rows = curve(path.with_suffix(".csv"))
        assert 2 <= len(rows) <= 101
        assert [row["step"] for row in rows] == sorted(row["step"] for row in rows)
        assert rows[0]["step"] == 0
        assert rows[-1]["step"] == judged(path)[0].steps
