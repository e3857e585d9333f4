"""Figures: drawn, saved in one step, with the data behind them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from countbounds.cli import main
from countbounds.figures import bounds, classification
from countbounds.figures.registry import FIGURES, data_of, draw
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
    monkeypatch.setattr(classification, "LENGTHS", (2, 5, 10))
    rows = data_of("costs", quiet)
    assert len(rows) == 3 * len(NAMES)
    assert all(0 < row["gap"] < row["gap_of_any"] for row in rows)
    figure = draw("costs", rows)
    assert [axes.get_xlabel() for axes in figure.axes] == ["L", "L"]


def test_storage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classification, "STORED", (5, 120))
    rows = data_of("storage", quiet)
    assert len(rows) == 2 * 2 * len(NAMES)
    beyond = [row for row in rows if row["bits"] is None]
    assert [(row["variant"], row["length"]) for row in beyond] == [("softmax-pre-ln", 120)]
    for row in rows:
        if row["readout"] == "regression" and row["bits"]:
            assert row["bits"] == 16 * row["bits_per_scalar"]
    assert len(draw("storage", rows).axes) == 2


def quiet(line: str) -> None:
    """Say nothing."""


def test_representations() -> None:
    rows = data_of("representations", quiet)
    assert {row["variant"] for row in rows} == set(NAMES)
    assert len(draw("representations", rows).axes) == 8


def test_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "LENGTHS", (10, 100))
    rows = data_of("bounds", quiet)
    published = [row for row in rows if row["panel"] == "B over L" and row["published"]]
    assert all(row["B"] < row["published"] for row in published)
    attained = [row for row in rows if row["attained"]]
    assert len(attained) == 15
    assert all(row["attained"] <= row["L"] for row in attained)
    assert len(draw("bounds", rows).axes) == 2


def test_errors_reach_a_half_and_no_more() -> None:
    rows = data_of("errors", quiet)
    for name in dict.fromkeys(row["variant"] for row in rows):
        own = [
            abs(row[key])
            for row in rows
            for key in ("no_letters", "all_letters")
            if row["variant"] == name
        ]
        assert max(own) < 0.5 + 1e-9
        assert max(own) > 0.499
    draw("errors", rows)


def test_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "DIMS", (3, 16))
    rows = data_of("cap", quiet)
    assert [row["length_cap"] for row in rows] == [12, 110]
    draw("cap", rows)


def test_training(tmp_path: Path) -> None:
    folder = Path(__file__).parent.parent / "data" / "trained" / "softmax-L10-d16-B10-lbfgs"
    picture = tmp_path / "training.svg"
    assert main(["figure", "training", "--from", str(folder), "--out", str(picture)]) == 0
    assert {row["seed"] for row in data_of("training", quiet, str(folder))} == {"0", "1", "2"}


def test_a_curve_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    curve = tmp_path / "seed-0.csv"
    curve.write_text("step,loss,worst_error\n1,2,3\n", encoding="utf-8")
    words = ["figure", "training", "--from", str(tmp_path), "--data"]
    assert main([*words, str(curve)]) == 2
    assert "would overwrite" in capsys.readouterr().err
    for _ in range(2):
        assert main([*words, str(tmp_path / "all.csv")]) == 0


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
    assert [row["figure"] for row in rows if row["from"]] == ["bounds", "training"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing", "--out", "a.svg"], "figures are representations"),
        (["training", "--out", "a.svg"], "drawn --from a folder that train wrote; name one"),
        (["training"], "drawn --from a folder that train wrote; name one"),
        (["training", "--from", ".", "--out", "a.svg"], "holds no curves"),
        (["training", "--from", ".", "-d", "3", "--out", "a.svg"], "leave out -d"),
        (["cap", "--from", ".", "--out", "a.svg"], "computed, not drawn --from anything"),
        (["cap", "--from", "."], "computed, not drawn --from anything"),
        (["cap", "-d", "3", "--out", "a.svg"], "leave out -d"),
        (["bounds", "-d", "3", "--out", "a.svg"], "-d chooses among the rows --from the result"),
        (["bounds", "--from", ".", "--out", "a.svg"], ".jsonl, .csv or .parquet"),
        (["bounds", "--from", "a.csv", "--out", "a.svg"], "cannot be read: No such file"),
        (["bounds", "--from", "a.csv", "--out", "a.csv"], "--out would overwrite a.csv"),
        (["--list", "gaps"], "--list takes no figure"),
        (["--list", "--data", "a.csv"], "--list takes no figure"),
        (["--data", "a.csv"], "Name the figure"),
        (["--from", "a.csv"], "Name the figure"),
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
