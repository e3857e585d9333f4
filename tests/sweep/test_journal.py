"""The journal: what it holds, and what becomes of one that is cut, damaged or another's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds import __version__
from countbounds.errors import InputError
from countbounds.sweeping import journal as module
from countbounds.sweeping.cells import Row, cell_of
from countbounds.sweeping.grid import Grid
from countbounds.sweeping.journal import Journal
from countbounds.sweeping.results import read_results
from countbounds.sweeping.sweep import sweep

GRID: Final = Grid.parse("linear,softmax", "10,1000", "3,16", 6)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    out = tmp_path_factory.mktemp("rows") / "out.jsonl"
    sweep(GRID, out, jobs=1)
    return read_results(str(out))


def write(path: Path, rows: list[Row], grid: Grid = GRID, certify: str | None = None) -> bytes:
    with Journal(str(path), grid, certify) as journal:
        for row in rows:
            journal.append([row])
    return path.read_bytes()


def test_a_journal_is_a_header_and_rows(tmp_path: Path, rows: list[Row]) -> None:
    header, *lines = write(tmp_path / "j", rows).decode().splitlines()
    assert json.loads(header) == {
        "journal": "countbounds sweep",
        "schema": 1,
        "version": __version__,
        "variants": ["linear", "softmax"],
        "lengths": [10, 1000],
        "dims": [3, 16],
        "digits": 6,
        "certify": None,
    }
    assert [json.loads(line) for line in lines] == rows


@given(data=st.data())
def test_a_journal_cut_at_any_byte_goes_on(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory, rows: list[Row]
) -> None:
    path = tmp_path_factory.mktemp("cut") / "j"
    content = write(path, rows)
    cut = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:cut])
    whole = content[:cut].count(b"\n")
    with Journal(str(path), GRID, None) as journal:
        assert list(journal.rows.values()) == rows[: max(0, whole - 1)]
        left = [row for row in rows if cell_of(row) not in journal.rows]
        journal.append(left)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("grid", "certify", "says"),
    [
        (Grid.parse("linear", "10,1000", "3,16", 6), None, "its variants differ"),
        (Grid.parse("linear,softmax", "10", "3,16", 6), None, r"lengths differ \(10, 1000, not 10"),
        (Grid.parse("linear,softmax", "10,1000", "16", 6), None, "its dims differ"),
        (Grid.parse("linear,softmax", "10,1000", "3,16"), None, r"digits differs \(6, not 12\)"),
        (GRID, "folder", r"its certify differs \(none, not folder\)"),
    ],
)
def test_a_journal_of_another_sweep_is_left_alone(
    grid: Grid, certify: str | None, says: str, tmp_path: Path, rows: list[Row]
) -> None:
    path = tmp_path / "j"
    content = write(path, rows[:2])
    with pytest.raises(InputError, match=f"{says}.*Remove the journal or name another --out"):
        Journal(str(path), grid, certify)
    assert path.read_bytes() == content


def test_a_journal_of_another_version_is_left_alone(
    tmp_path: Path, rows: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "j", rows[:2])
    monkeypatch.setattr(module, "__version__", "99")
    with pytest.raises(InputError, match="its version differs"):
        Journal(str(tmp_path / "j"), GRID, None)


@pytest.mark.parametrize("content", [b"my notes", b"my notes\n", b"[1]\n", b'{"journal": 1}\n'])
def test_what_is_no_journal_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is no journal"):
        Journal(str(path), GRID, None)
    assert path.read_bytes() == content


def damaged(line: bytes) -> Iterator[bytes]:
    yield b"\n"
    yield line[:30] + b"\n"
    yield line.replace(b'"linear"', b'"softmax-post-ln"')
    yield line.replace(b'"dim":3', b'"dim":"3"')


@pytest.mark.parametrize("kind", range(4))
def test_a_line_that_is_damaged_is_named(kind: int, tmp_path: Path, rows: list[Row]) -> None:
    path = tmp_path / "j"
    lines = write(path, rows).splitlines(keepends=True)
    lines[1] = list(damaged(lines[1]))[kind]
    path.write_bytes(b"".join(lines))
    with pytest.raises(InputError, match=r"Line 2 of the journal .* is damaged; remove"):
        Journal(str(path), GRID, None)


def test_one_sweep_at_a_time(tmp_path: Path, rows: list[Row]) -> None:
    with Journal(str(tmp_path / "j"), GRID, None) as journal:
        journal.append(rows[:1])
        with pytest.raises(InputError, match="Another sweep is writing"):
            Journal(str(tmp_path / "j"), GRID, None)
    Journal(str(tmp_path / "j"), GRID, None).close()


def test_an_empty_journal_is_not_left(tmp_path: Path) -> None:
    with Journal(str(tmp_path / "j"), GRID, None):
        assert (tmp_path / "j").exists()
    assert not (tmp_path / "j").exists()


def test_a_result_is_not_taken_from_a_journal(tmp_path: Path, rows: list[Row]) -> None:
    path = tmp_path / "out.jsonl.journal.jsonl"
    write(path, rows[:2])
    with pytest.raises(InputError, match="journal of an unfinished sweep"):
        read_results(str(path))
