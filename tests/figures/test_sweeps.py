"""The figure bounds --from the result of a sweep."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from countbounds.cli import main
from countbounds.errors import InputError
from countbounds.figures.registry import data_of, draw
from countbounds.figures.style import line_of
from countbounds.figures.sweeps import data_from, draw_from
from countbounds.sweeping.grid import Grid
from countbounds.sweeping.results import read_results, write_results
from countbounds.sweeping.sweep import sweep
from countbounds.variants import NAMES

LENGTHS: Final = [5, 10, 100, 1000]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All variants at three dimensions, of which d = 2 does not exist."""
    out = tmp_path_factory.mktemp("result") / "out.jsonl"
    sweep(Grid.parse("all", "1000,5,10,100", "16,2,3", 6), out, jobs=1)
    return out


def changed(result: Path, out: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> str:
    """A result with other values in the rows that did not fail."""
    rows = read_results(str(result))
    write_results([row if row["error"] else row | change(row) for row in rows], str(out))
    return str(out)


def lines(axes: Any, name: str) -> Any:
    """The line of a variant in a panel."""
    (found,) = [line for line in axes.get_lines() if line.get_label() == name]
    return found


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_a_sweep_is_drawn_without_the_cells_that_failed(
    suffix: str, result: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = changed(result, tmp_path / f"out{suffix}", lambda row: {})
    picture, data = tmp_path / "bounds.png", tmp_path / "data.csv"
    words = ["--from", source, "--out", str(picture), "--data", str(data)]
    assert main(["figure", "bounds", *words]) == 3
    shown, said = capsys.readouterr()
    assert (shown, said.count("\n")) == ("", 1)
    assert "28 of these cells failed, the first: The dimension d is" in said
    assert picture.stat().st_size > 5000
    with data.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * len(LENGTHS) * len(NAMES)
    assert {row["dim"] for row in rows if row["panel"] == "yes"} == {"3", "16"}
    exact = {(row["variant"], row["length"], row["dim"]): row for row in read_results(source)}
    for row in rows:
        cell = exact[row["variant"], int(row["length"]), int(row["dim"])]
        assert row["upper"] == (cell["upper"] or "-")


def test_each_variant_has_its_line_and_ends_at_the_cap(result: Path) -> None:
    figure = draw_from(data_from(str(result)))
    assert [axes.get_title() for axes in figure.axes] == ["d = 3", "d = 16"]
    for axes, last in zip(figure.axes, (10, 100), strict=True):
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        for name in NAMES:
            line = lines(axes, name)
            assert line.get_color() == line_of(name)["color"]
            capped = [length for length in LENGTHS if length <= last]
            assert list(line.get_xdata()) == (capped if name == "softmax-pre-ln" else LENGTHS)
        mark = lines(axes, "the sweep's last length within the cap")
        assert list(mark.get_xdata()) == [last]
        assert mark.get_color() == line_of("softmax-pre-ln")["color"]


def test_dashes_are_told_apart_in_the_legend(result: Path) -> None:
    (legend,) = draw_from(data_from(str(result))).legends
    assert legend.handlelength > 4


def test_an_open_bracket_is_a_band(result: Path, tmp_path: Path) -> None:
    def opened(row: dict[str, Any]) -> dict[str, Any]:
        wide = row["variant"] == "softmax" and row["length"] == 100
        return {"lower": "1"} if wide else {}

    figure = draw_from(data_from(changed(result, tmp_path / "open.csv", opened)))
    for axes in figure.axes:
        (band,) = axes.collections
        low, high = band.get_datalim(axes.transData).intervaly
        assert low == 1
        assert high == max(lines(axes, "softmax").get_ydata())
    assert not [axes for axes in draw_from(data_from(str(result))).axes if axes.collections]


def test_one_cell_is_seen(tmp_path: Path) -> None:
    out = str(tmp_path / "one.csv")
    sweep(Grid.parse("softmax-pre-ln-learned", "10", "3"), out, jobs=1)
    (axes,) = draw("bounds", data_of("bounds", lambda line: None, out), out).axes
    assert lines(axes, "softmax-pre-ln-learned").get_marker() == "."
    (bar,) = axes.collections
    assert bar.get_linewidth() > 2


def test_nothing_but_lengths_beyond_the_cap(tmp_path: Path) -> None:
    out, picture = (str(tmp_path / name) for name in ("cap.csv", "cap.png"))
    sweep(Grid.parse("softmax-pre-ln", "1e6,1e9", "3"), out, jobs=1)
    assert main(["figure", "bounds", "--from", out, "--out", picture]) == 0
    (axes,) = draw_from(data_from(out)).axes
    assert axes.get_title() == "d = 3\nsoftmax-pre-ln: every length is beyond the cap"


@pytest.mark.parametrize("bound", ["1e301", "2e9999", "1" * 400])
def test_bounds_too_large_for_a_picture_are_said(bound: str, result: Path, tmp_path: Path) -> None:
    source = changed(
        result,
        tmp_path / "huge.csv",
        lambda row: {"upper": bound} if row["length"] == 1000 and row["upper"] != "inf" else {},
    )
    picture = str(tmp_path / "huge.png")
    assert main(["figure", "bounds", "--from", source, "--out", picture]) == 3
    axes, _ = draw_from(data_from(source)).axes
    assert axes.get_title().startswith("d = 3\nlinear: not drawn above 10^300\n")
    assert list(lines(axes, "softmax").get_xdata()) == LENGTHS[:-1]


def test_of_many_dimensions_four_are_drawn(tmp_path: Path) -> None:
    out = str(tmp_path / "many.csv")
    sweep(Grid.parse("softmax", "10,1e12", "3..64:10", 3), out, jobs=1)
    figure = draw_from(data_from(out))
    titles = [axes.get_title() for axes in figure.axes]
    assert (titles[0], titles[-1], len(titles)) == ("d = 3", "d = 64", 4)
    assert "4 of 10 dimensions" in figure.get_suptitle()
    chosen = data_from(out, [64, 3])
    assert {row["dim"] for row in chosen} == {3, 64}
    assert [axes.get_title() for axes in draw_from(chosen).axes] == ["d = 3", "d = 64"]
    assert "dimensions" not in draw_from(chosen).get_suptitle()
    dims = sorted({row["dim"] for row in read_results(out)})
    with pytest.raises(InputError, match="at most 4 times"):
        data_from(out, dims[:5])


def test_dimensions_that_are_not_there(result: Path) -> None:
    with pytest.raises(InputError, match=r"no rows at d = 7; choose among 2, 3, 16\.$"):
        data_from(str(result), [3, 7])
    with pytest.raises(InputError, match=r"all 28 cells of .* failed, the first: The dimension"):
        data_from(str(result), [2])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"variant": "other"}, "is not the result of a sweep"),
        ({"length": 0}, "is not the result of a sweep"),
        ({"lower": "0"}, "is not the result of a sweep"),
        ({"lower": "-1"}, "is not the result of a sweep"),
        ({"lower": "1e-400"}, "is not the result of a sweep"),
        ({"lower": "1e300"}, "is not the result of a sweep"),
        ({"lower": "inf"}, "is not the result of a sweep"),
        ({"lower": "nan"}, "is not the result of a sweep"),
        ({"upper": None}, "is not the result of a sweep"),
    ],
)
def test_other_files_are_refused(
    change: dict[str, Any], message: str, result: Path, tmp_path: Path
) -> None:
    source = changed(
        result, tmp_path / "bad.jsonl", lambda row: change if row["variant"] == "linear" else {}
    )
    with pytest.raises(InputError, match=message):
        data_from(source)


def test_the_sweep_is_not_overwritten(
    result: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = tmp_path / "link.csv"
    link.symlink_to(result)
    before = result.read_bytes()
    assert main(["figure", "bounds", "--from", str(result), "--data", str(link)]) == 2
    assert "--data would overwrite" in capsys.readouterr().err
    assert result.read_bytes() == before
