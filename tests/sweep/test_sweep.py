"""Sweeps as a whole: the same file whatever computed it, and what is wrong in a sentence."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

import countbounds.bounds
from countbounds.bounds import b_min
from countbounds.cli import main
from countbounds.errors import CountboundsError, InputError, Unfinished
from countbounds.kernel import verify
from countbounds.sweeping import cells as cells_module
from countbounds.sweeping.cells import COLUMNS, compute, tasks
from countbounds.sweeping.grid import Cell, Grid
from countbounds.sweeping.results import read_results
from countbounds.sweeping.sweep import _duration, sweep
from countbounds.tables import BoundRow
from countbounds.variants import NAMES

GRID: Final = ("all", "3,10,1000", "16,3")
SMALL: Final = Grid.parse("softmax", "10", "16")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Status, standard output and standard error of one command, in this process."""
    status = main(words)
    shown, said = capsys.readouterr()
    return status, shown, said


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("result") / "out.jsonl"
    sweep(Grid.parse(*GRID), out, jobs=1)
    return out


def test_rows_are_those_of_b_min_in_the_order_of_the_grid(result: Path) -> None:
    rows = read_results(str(result))
    cells = [(name, length, dim) for name in NAMES for length in (3, 10, 1000) for dim in (16, 3)]
    assert [(row["variant"], row["length"], row["dim"]) for row in rows] == cells
    for row, cell in zip(rows, cells, strict=True):
        assert list(row) == list(COLUMNS)
        expected = BoundRow(b_min(*cell)).as_dict()
        assert row == {**expected, "digits": 12, "certificate": None, "error": None}
    beyond = next(row for row in rows if row["regime"] == "beyond the cap")
    assert beyond["variant"] == "softmax-pre-ln"
    assert beyond["lower"] == beyond["upper"] == "inf"


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_the_file_is_the_same_on_one_process_and_on_two(
    suffix: str, tmp_path: Path, result: Path
) -> None:
    grid = Grid.parse(*GRID)
    found = [tmp_path / f"{jobs}{suffix}" for jobs in (1, 2)]
    for jobs, out in enumerate(found, 1):
        sweep(grid, out, jobs=jobs)
    assert found[0].read_bytes() == found[1].read_bytes()
    assert read_results(str(found[0])) == read_results(str(result))
    assert sorted(tmp_path.iterdir()) == found


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_a_cell_that_fails_is_a_row(
    jobs: int, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / f"out{suffix}")
    words = ("--variants", "softmax", "--lengths", "0,1..60:40", "--dims", "2,16")
    status, shown, said = run(capsys, "sweep", *words, "--out", out, "--jobs", str(jobs))
    assert (status, shown) == (3, f"{out}: 82 cells\n")
    reason = "The length L is an integer from 1 to 10^18, not 0."
    assert said == (
        f"countbounds: 42 of 82 cells failed, the first softmax at L = 0, d = 2: {reason}\n"
    )
    rows = read_results(out)
    assert rows[0] == {
        **dict.fromkeys(COLUMNS),
        "variant": "softmax",
        "length": 0,
        "dim": 2,
        "digits": 12,
        "error": reason,
    }
    assert [row["error"] is None for row in rows] == 2 * [False] + 40 * [False, True]
    assert [path.name for path in tmp_path.iterdir()] == [f"out{suffix}"]
    status, shown, said = run(capsys, "table", "bmin", "--from", out, "-L", "1")
    assert status == 3
    assert len(shown.splitlines()) == 4
    assert said == (
        "countbounds: 1 of these cells failed, the first: "
        "The dimension d is an integer from 3 to 10^6, not 2.\n"
    )


def test_any_exception_of_a_cell_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(variant: str, length: int, dim: int, digits: int) -> Any:
        if length == 20:
            raise ZeroDivisionError("by\nzero")
        return b_min(variant, length, dim, digits)

    monkeypatch.setattr(countbounds.bounds, "b_min", fails)
    found = sweep(Grid.parse("softmax", "10,20,30", "16"), tmp_path / "out.csv", jobs=1)
    assert [row["error"] for row in found.failed] == ["ZeroDivisionError: by zero"]
    rows = read_results(found.out)
    assert [row["error"] is None for row in rows] == [True, False, True]


def test_certificates_are_written_and_verified(tmp_path: Path, result: Path) -> None:
    folder = tmp_path / "certificates"
    found = sweep(Grid.parse(*GRID), tmp_path / "out.jsonl", jobs=2, certify=folder)
    rows = read_results(found.out)
    assert len({row["certificate"] for row in rows}) == len(rows) == found.cells
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        row["certificate"] for row in rows
    )
    for row in rows:
        claim = verify((folder / row["certificate"]).read_text("utf-8"))
        assert claim.startswith(f"{row['variant']}, d = {row['dim']}: ")
    assert [{**row, "certificate": None} for row in rows] == read_results(str(result))


def test_a_certificate_that_is_not_what_was_written_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(data: bytes, path: str, *, redone: bool) -> None:
        assert redone
        Path(path).write_bytes(data[: len(data) // 2])

    monkeypatch.setattr(cells_module, "replace", half)
    found = sweep(SMALL, tmp_path / "out.jsonl", jobs=1, certify=tmp_path / "c")
    assert [row["error"] for row in found.failed] == [
        "RejectedError: the text is not JSON, or is nested too deeply"
    ]
    assert found.failed[0]["lower"] is None


def test_a_certificate_that_is_gone_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid, out, folder = Grid.parse("softmax", "10,20", "16"), tmp_path / "o.csv", tmp_path / "c"

    def kept(self: object) -> None:
        pass

    monkeypatch.setattr("countbounds.sweeping.journal.Journal.remove", kept)
    sweep(grid, out, jobs=1, certify=folder)
    (folder / "softmax-L10-d16-digits12.json").unlink()
    assert sweep(grid, out, jobs=1, certify=folder).resumed == 1
    assert len(list(folder.iterdir())) == 2


def test_a_certificate_that_was_changed_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid, out, folder = Grid.parse("softmax", "10,20", "16"), tmp_path / "o.csv", tmp_path / "c"
    monkeypatch.setattr("countbounds.sweeping.journal.Journal.remove", lambda self: None)
    sweep(grid, out, jobs=1, certify=folder)
    changed = folder / "softmax-L20-d16-digits12.json"
    good = changed.read_bytes()
    changed.write_text("{}", encoding="utf-8")
    told: list[str] = []
    assert sweep(grid, out, jobs=1, certify=folder, progress=told.append).resumed == 1
    assert changed.read_bytes() == good
    assert "2 of 2 certificates verified again" in told


def test_other_digits_leave_certificates_alone(tmp_path: Path) -> None:
    for digits in (12, 3):
        grid = Grid.parse("softmax", "10", "16", digits)
        sweep(grid, tmp_path / f"{digits}.csv", jobs=1, certify=tmp_path / "c")
    assert len(list((tmp_path / "c").iterdir())) == 2
    for digits in (12, 3):
        (row,) = read_results(str(tmp_path / f"{digits}.csv"))
        text = (tmp_path / "c" / row["certificate"]).read_text("utf-8")
        assert json.loads(text)["claim"]["lower"] == str(Fraction(row["lower"]))


def test_two_sweeps_do_not_share_a_folder_of_certificates(tmp_path: Path) -> None:
    from countbounds.sweeping.sweep import _held

    with (
        _held(str(tmp_path / "c")),
        pytest.raises(InputError, match="Another sweep is writing certificates"),
    ):
        sweep(SMALL, tmp_path / "o.csv", jobs=1, certify=tmp_path / "c")
    assert [path.name for path in tmp_path.iterdir()] == ["c"]
    assert sweep(SMALL, tmp_path / "o.csv", jobs=1, certify=tmp_path / "c").resumed == 0


def test_a_journal_that_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "o.csv.journal.jsonl")
    with pytest.raises(InputError, match="is no regular file"):
        sweep(SMALL, tmp_path / "o.csv", jobs=1)


@pytest.mark.parametrize("ranges", [("1..1e18:1000000", "3..6:4"), ("1..1e6:1e6", "3..1e6:9e5")])
def test_a_grid_that_is_too_large_is_refused_at_once(ranges: tuple[str, str]) -> None:
    def slow(*given: object) -> list[int]:
        raise AssertionError("the list was made")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("countbounds.sweeping.grid.geometric", slow)
        with pytest.raises(InputError, match="cells; a sweep has at most 1,000,000"):
            Grid.parse("softmax", *ranges)


def test_a_result_in_parquet_needs_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "o.parquet"
    sweep(SMALL, out, jobs=1)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InputError, match=r"pip install 'countbounds\[parquet\]'"):
        read_results(str(out))


def test_a_sweep_that_ends_early_has_a_status_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lost(tasks: object) -> Any:
        raise Unfinished("The scheduler is lost; the same command goes on.")

    monkeypatch.setattr("countbounds.sweeping.sweep._local", lambda jobs, portions: lost)
    words = ["sweep", "--variants", "linear", "--lengths", "10", "--dims", "16", "--out"]
    assert main([*words, str(tmp_path / "o.csv")]) == 3
    assert capsys.readouterr().err == (
        "countbounds: The scheduler is lost; the same command goes on.\n"
    )


def test_many_digits_in_a_process_with_a_limit(tmp_path: Path) -> None:
    """A worker has the interpreter's limit on the digits of an int; the command lifts it."""
    assert sys.get_int_max_str_digits() > 0
    outs = [tmp_path / f"{jobs}.jsonl" for jobs in (1, 2)]
    for jobs, out in enumerate(outs, 1):
        found = sweep(Grid.parse("linear,softmax", "1e6", "16", 1000), out, jobs=jobs)
        assert not found.failed
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_a_worker_of_another_version_refuses() -> None:
    (task,) = tasks([Cell("softmax", 10, 16)], 1, 12, certify=False, folder=None)
    assert len(compute(task)) == 1
    with pytest.raises(CountboundsError, match="install the same version on both sides"):
        compute(task._replace(version="99"))


def test_progress_says_how_far_it_is(tmp_path: Path) -> None:
    lines: list[str] = []
    sweep(Grid.parse("linear", "10,20", "16"), tmp_path / "o.csv", jobs=1, progress=lines.append)
    assert lines[-1] == "2 of 2 cells, 0 s left"
    assert [_duration(x) for x in (5.2, 65, 3601)] == ["5 s", "1 min 5 s", "1 h 0 min"]


# --- tables from sweeps ---------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "csv", "json", "markdown", "latex"])
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_a_table_is_the_same_from_a_sweep(
    form: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / f"out{suffix}")
    words = ("--variants", "linear,softmax-pre-ln", "--lengths", "10,100", "--dims", "3,16")
    assert run(capsys, "sweep", *words, "--out", out, "--jobs", "1")[0] == 0
    grid = [f"--variant={name}" for name in ("linear", "softmax-pre-ln")]
    grid += ["-L", "100", "-d", "3", "-d", "16", "--format", form]
    assert run(capsys, "table", "bmin", "--from", out, *grid) == run(capsys, "table", "bmin", *grid)


def test_what_is_no_result(
    tmp_path: Path, result: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "other.jsonl").write_text('{"variant": "softmax"}\n')
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "other.parquet").write_text("a,b\n1,2\n")
    (tmp_path / "cut.jsonl").write_bytes(result.read_bytes()[:-10])
    for path in sorted(tmp_path.iterdir()):
        status, shown, said = run(capsys, "table", "bmin", "--from", str(path))
        assert (status, shown) == (2, "")
        assert said == f"countbounds: The file {path} is not the result of a sweep.\n"
    for words, says in [
        (("bmin", "--from", str(tmp_path / "none.csv")), "cannot be read: No such file"),
        (("bmin", "--from", str(tmp_path)), "is a .jsonl, .csv or .parquet file"),
        (("bmin", "--from", str(result), "-L", "7"), "no such rows"),
        (("bmin", "--from", str(result), "--digits", "7"), "leave out --digits"),
        (("1", "--from", str(result)), "Table 1 has no option --from"),
        (("bmin", "--from", str(result), "--out", str(result)), "would overwrite"),
    ]:
        status, shown, said = run(capsys, "table", *words)
        assert (status, shown) == (2, "")
        assert says in said
        assert said.count("\n") == 1


# --- wrong calls ----------------------------------------------------------------------

WORDS: Final = {"--variants": "softmax", "--lengths": "10", "--dims": "16", "--out": "o.jsonl"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"--variants": "sofmax"}, "sofmax"),
        ({"--lengths": "1..x:3"}, "The length L of a sweep is an integer"),
        ({"--dims": ""}, "empty entry"),
        ({"--digits": "0"}, "number of digits"),
        ({"--digits": "x"}, "number of digits"),
        ({"--out": "o.json"}, "is a .jsonl, .csv or .parquet file, not o.json"),
        ({"--out": ""}, "name is empty"),
        ({"--out": "none/o.csv"}, "does not exist"),
        ({"--out": "folder"}, "is a folder"),
        ({"--jobs": "0"}, "number of jobs is at least 1"),
        ({"--jobs": "-1"}, "number of jobs is at least 1"),
        ({"--jobs": "2", "--dask": "tcp://127.0.0.1:1"}, "give one"),
        ({"--dask": "nowhere"}, "There is no Dask scheduler at nowhere; start one"),
        ({"--certify": "file"}, "The folder file cannot be made"),
        ({"--out": "foreign.jsonl"}, "foreign.jsonl.journal.jsonl is no journal"),
    ],
)
def test_a_wrong_call_is_one_line(
    changes: dict[str, str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("here")
    (tmp_path / "foreign.jsonl.journal.jsonl").write_text("here\n")
    before = sorted(tmp_path.iterdir())
    words = [f"{flag}={value}" for flag, value in (WORDS | changes).items()]
    status, shown, said = run(capsys, "sweep", *words)
    assert (status, shown) == (2, "")
    assert says in said
    assert said.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_not_installed_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("distributed", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=r"pip install 'countbounds\[dask\]'"):
        sweep(SMALL, tmp_path / "o.csv", dask="tcp://127.0.0.1:1")
    with pytest.raises(InputError, match=r"pip install 'countbounds\[parquet\]'"):
        sweep(SMALL, tmp_path / "o.parquet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("broken", ["replace", "as_line"])
def test_nothing_half_written_is_left(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full while the result is written: the journal keeps all."""
    from countbounds.sweeping import results

    def fails(*given: object, **named: object) -> Any:
        raise OSError(28, "No space left on device")

    out = tmp_path / "o.jsonl"
    out.write_text("from before")
    monkeypatch.setattr(results, broken, fails)
    with pytest.raises(InputError, match=r"o\.jsonl cannot be written: No space left on device"):
        sweep(SMALL, out, jobs=1)
    monkeypatch.undo()
    assert out.read_text() == "from before"
    assert len(list(tmp_path.iterdir())) == 2
    assert sweep(SMALL, out, jobs=1).resumed == 1
    assert list(tmp_path.iterdir()) == [out]


def test_a_full_disk_under_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from countbounds.sweeping import journal

    write_all: Callable[[int, bytes], None] = journal.write_all

    def fails(descriptor: int, data: bytes) -> None:
        if b'"length":30' in data:
            write_all(descriptor, data[:40])
            raise OSError(28, "No space left on device")
        write_all(descriptor, data)

    grid, out = Grid.parse("linear", "10,20,30,40,50", "16"), tmp_path / "o.csv"
    monkeypatch.setattr(journal, "write_all", fails)
    with pytest.raises(InputError, match=r"cannot be written: No space left.*goes on from there"):
        sweep(grid, out, jobs=1)
    monkeypatch.undo()
    found = sweep(grid, out, jobs=1)
    assert not found.failed
    assert [row["length"] for row in read_results(str(out))] == [10, 20, 30, 40, 50]


def test_the_summary_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "o.jsonl")
    words = ("--variants", "softmax", "--lengths", "10", "--dims", "16,2", "--out", out)
    status, shown, _ = run(capsys, "sweep", *words, "--json")
    assert status == 3
    content = json.loads(shown)
    assert list(content) == ["schema", "out", "cells", "resumed", "failed"]
    assert (content["cells"], content["resumed"]) == (2, 0)
    assert content["failed"] == [read_results(out)[1]]


def test_a_link_is_followed_and_permissions_are_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    real.write_text("")
    real.chmod(0o640)
    link.symlink_to(real)
    sweep(SMALL, link, jobs=1)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert len(read_results(str(real))) == 1
    shutil.rmtree(tmp_path)
