"""SIGKILL at any moment costs no finished cell, and leaves nothing that cannot be read."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Final

import pytest

from countbounds.sweeping.grid import Grid
from countbounds.sweeping.results import read_results
from countbounds.sweeping.sweep import sweep
from tests.sweep.running import (
    LIMIT,
    finished,
    kill,
    started,
    wait_for_a_cell,
    whole_lines,
)
from tests.tiers import by_tier

GRID: Final = ("all", "10..1e6:12", "3,16,64")
WORDS: Final = ("--variants", GRID[0], "--lengths", GRID[1], "--dims", GRID[2])


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    out = tmp_path_factory.mktemp("whole") / "out.jsonl"
    sweep(Grid.parse(*GRID), out, jobs=1)
    return out.read_bytes()


def killed_again_and_again(folder: Path, expected: bytes, kills: int, jobs: int, seed: int) -> None:
    """Kill a sweep after random times, then let it finish, and compare."""
    out, journal = folder / "out.jsonl", folder / "out.jsonl.journal.jsonl"
    words = (*WORDS, "--out", out.name, "--jobs", str(jobs))
    random_ = random.Random(seed)
    for _ in range(kills):
        before = whole_lines(journal)
        process = started(folder, *words)
        if random_.random() < 0.3:  # even before there is a journal
            time.sleep(random_.uniform(0, 0.5))
        else:
            wait_for_a_cell(journal, process, before)
            time.sleep(random_.expovariate(1 / random_.choice((0.02, 0.5))))
        kill(process)
        assert whole_lines(journal) >= before or out.exists()
        if process.returncode == 0:
            assert out.read_bytes() == expected
            out.unlink()
    kept = whole_lines(journal)
    status, shown, said = finished(started(folder, *words))
    assert (status, said) == (0, "")
    assert shown == f"out.jsonl: 252 cells{f', {kept} of them from before' if kept else ''}\n"
    assert out.read_bytes() == expected
    assert [path.name for path in folder.iterdir()] == [out.name]


def test_a_killed_sweep_goes_on(tmp_path: Path, uninterrupted: bytes) -> None:
    killed_again_and_again(tmp_path, uninterrupted, kills=3, jobs=1, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_sweep_killed_at_many_moments_goes_on(
    jobs: int, tmp_path: Path, uninterrupted: bytes
) -> None:
    for seed in range(by_tier(5, sample=1)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        killed_again_and_again(folder, uninterrupted, kills=5, jobs=jobs, seed=seed)


def test_a_journal_may_be_killed_at_the_very_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is there, the journal still is, and beside it a file that is half written."""
    from countbounds.sweeping import journal

    grid, out = Grid.parse("linear", "10,20", "16"), tmp_path / "out.csv"
    monkeypatch.setattr(journal.Journal, "remove", lambda self: None)
    sweep(grid, out, jobs=1)
    monkeypatch.undo()
    content = out.read_bytes()
    (tmp_path / ".out.csv.partial").write_bytes(content[:50])
    assert sweep(grid, out, jobs=1).resumed == 2
    assert out.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_says_that_the_same_command_goes_on(jobs: int, tmp_path: Path) -> None:
    journal = tmp_path / "out.jsonl.journal.jsonl"
    words = ("--variants", "all", "--lengths", "10..1e12:60", "--dims", "3,16,64")
    process = started(tmp_path, *words, "--out", "out.jsonl", "--jobs", str(jobs))
    try:
        wait_for_a_cell(journal, process)
        # As a terminal does: to all processes of the group.
        os.killpg(process.pid, signal.SIGINT)
        shown, said = process.communicate(timeout=LIMIT)
    finally:
        kill(process)
    expected = "countbounds: Interrupted; the same command goes on from there.\n"
    assert (process.returncode, shown, said) == (130, "", expected)
    assert [path.name for path in tmp_path.iterdir()] == [journal.name]
    assert whole_lines(journal) > 0


@pytest.mark.parametrize("seconds", [0.4, 0.7])
def test_ctrl_c_while_processes_start_is_one_line(seconds: float, tmp_path: Path) -> None:
    words = ("--variants", "all", "--lengths", "10..1e12:60", "--dims", "3,16,64")
    process = started(tmp_path, *words, "--out", "out.jsonl", "--jobs", "6")
    try:
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=LIMIT)
    finally:
        kill(process)
    assert process.returncode in (130, -signal.SIGINT)  # the latter before Python has begun
    assert said.count("\n") <= 1


def test_no_process_outlives_a_killed_sweep(tmp_path: Path) -> None:
    words = ("--variants", "all", "--lengths", "10..1e12:60", "--dims", "3,16,64")
    process = started(tmp_path, *words, "--out", "out.jsonl", "--jobs", "2")
    try:
        wait_for_a_cell(tmp_path / "out.jsonl.journal.jsonl", process)
        os.kill(process.pid, signal.SIGKILL)
        # Only when all have closed it does standard error end.
        process.communicate(timeout=20)
    finally:
        kill(process)
    assert process.returncode == -signal.SIGKILL


def test_a_process_of_the_sweep_that_is_killed_is_replaced(
    tmp_path: Path, uninterrupted: bytes
) -> None:
    """As the system does when memory is short."""
    victims: list[int] = []
    out = tmp_path / "out.jsonl"

    def kill_one(line: str) -> None:
        if not victims:
            victims.extend(children())
            os.kill(victims[0], signal.SIGKILL)

    found = sweep(Grid.parse(*GRID), out, jobs=2, progress=kill_one)
    assert victims
    assert not found.failed
    assert out.read_bytes() == uninterrupted
    assert len(read_results(str(out))) == found.cells


def children() -> list[int]:
    """The processes on which joblib computes."""
    from joblib.externals.loky import reusable_executor

    return sorted(reusable_executor._executor._processes)
