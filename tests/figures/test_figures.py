"""Figures: drawn, saved in one step, with the data behind them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from countbounds.cli import main
from countbounds.figures import costs
from countbounds.figures.costs import FIGURES, LENGTHS
from countbounds.figures.style import line_of
from countbounds.variants import NAMES


def test_each_variant_has_a_line_of_its_own() -> None:
    styles = [line_of(name) for name in NAMES]
    assert len({style["color"] for style in styles}) == len(NAMES)
    assert len({str(style["linestyle"]) for style in styles}) == len(NAMES)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_gaps(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, data = tmp_path / f"gaps.{ending}", tmp_path / "gaps.csv"
    assert main(["figure", "gaps", "--out", str(picture), "--data", str(data)]) == 0
    assert capsys.readouterr() == ("", "")
    assert picture.stat().st_size > 5000
    with data.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 101 * len(NAMES)
    assert all(float(row["gap"]) > 0 for row in rows)
    assert {path.name for path in tmp_path.iterdir()} == {picture.name, data.name}


def test_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "LENGTHS", LENGTHS[:3])
    rows = costs.costs(lambda line: None)
    assert len(rows) == 3 * len(NAMES)
    assert all(0 < row["gap"] < row["gap_of_any"] for row in rows)
    figure = costs.draw_costs(rows)
    assert [axes.get_xlabel() for axes in figure.axes] == ["L", "L"]


def test_the_same_picture_twice(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("one.pdf", "two.pdf")]
    for path in paths:
        assert main(["figure", "gaps", "--out", str(path)]) == 0
    first, second = (path.read_bytes() for path in paths)
    assert first == second


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["figure", "--list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["figure"] for row in rows] == list(FIGURES)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing", "--out", "a.svg"], "figures are costs, gaps"),
        (["gaps"], "--out"),
        (["gaps", "--out", "a.bmp"], ".pdf, .png or .svg"),
        (["gaps", "--out", "a.svg", "--data", "a.svg"], "name the same file"),
    ],
)
def test_wrong_calls(
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["figure", *words]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
