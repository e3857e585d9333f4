"""Sweeps by a Dask scheduler and workers that are processes on this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest

from countbounds.errors import InputError
from countbounds.kernel import verify
from countbounds.sweeping import runners
from countbounds.sweeping.grid import Grid
from countbounds.sweeping.results import read_results
from countbounds.sweeping.sweep import sweep
from tests.sweep.running import LIMIT, finished, started, wait_for_a_cell, whole_lines

pytest.importorskip("distributed")

# A client that is closed leaves such things to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

GRID: Final = ("all", "10..1e6:20", "2,3,16")
WORDS: Final = ("--variants", GRID[0], "--lengths", GRID[1], "--dims", GRID[2])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def process(kind: str, *words: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`dask scheduler` or `dask worker`, ended with the block."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *words]
    with (folder / f"{kind}.log").open("ab") as log:
        child = subprocess.Popen(
            command, cwd=folder, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield child
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.wait(LIMIT)


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler, and the processes of its two workers."""
    address = f"tcp://127.0.0.1:{free_port()}"
    with ExitStack() as stack:
        stack.enter_context(
            process("scheduler", "--host", "127.0.0.1", "--port", address[16:], folder=folder)
        )
        workers = [
            stack.enter_context(
                process("worker", address, "--nthreads", "2", "--no-nanny", folder=folder)
            )
            for _ in range(2)
        ]
        wait_for(address, 2)
        yield address, workers


def wait_for(address: str, count: int) -> None:
    client_of: Any = import_module("distributed").Client

    deadline = time.monotonic() + LIMIT
    while True:
        try:
            with socket.create_connection(("127.0.0.1", int(address[16:])), timeout=1):
                break
        except OSError:
            assert time.monotonic() < deadline, "the scheduler does not start"
            time.sleep(0.1)
    with client_of(address, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=LIMIT)


@pytest.fixture(scope="module")
def by_one_process(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    out = tmp_path_factory.mktemp("one") / "out.jsonl"
    sweep(Grid.parse(*GRID), out, jobs=1)
    return out.read_bytes()


@pytest.mark.slow
def test_a_sweep_by_dask_is_the_same_and_a_worker_may_die(
    tmp_path: Path, by_one_process: bytes
) -> None:
    journal = tmp_path / "killed.jsonl.journal.jsonl"
    with cluster(tmp_path) as (address, workers):
        words = (*WORDS, "--dask", address)
        status, _, said = finished(started(tmp_path, *words, "--out", "out.jsonl"))
        assert (status, said.count("\n")) == (3, 1)
        assert "140 of 420 cells failed" in said
        assert (tmp_path / "out.jsonl").read_bytes() == by_one_process

        running = started(tmp_path, *words, "--out", "killed.jsonl")
        wait_for_a_cell(journal, running)
        assert running.poll() is None
        os.killpg(workers[0].pid, signal.SIGKILL)
        assert finished(running)[0] == 3
        assert (tmp_path / "killed.jsonl").read_bytes() == by_one_process
        assert workers[1].poll() is None


@pytest.mark.slow
def test_certificates_that_dask_makes_are_stored_here(tmp_path: Path) -> None:
    with cluster(tmp_path) as (address, _):
        grid = Grid.parse("softmax,softmax-pre-ln", "10,1e3", "3,16")
        found = sweep(grid, tmp_path / "o.csv", dask=address, certify=tmp_path / "c")
    assert not found.failed
    for row in read_results(found.out):
        verify((tmp_path / "c" / row["certificate"]).read_text("utf-8"))
    assert len(list((tmp_path / "c").iterdir())) == found.cells == 8


@pytest.mark.slow
def test_a_scheduler_that_is_lost_costs_nothing(tmp_path: Path, by_one_process: bytes) -> None:
    journal = tmp_path / "out.jsonl.journal.jsonl"
    with cluster(tmp_path) as (address, workers):
        running = started(tmp_path, *WORDS, "--dask", address, "--out", "out.jsonl")
        wait_for_a_cell(journal, running)
        kept = whole_lines(journal)
        for worker in workers:  # then nothing more is finished
            os.killpg(worker.pid, signal.SIGSTOP)
    status, shown, said = finished(running)
    assert (status, shown) == (3, "")
    assert "the same command goes on from there" in said
    assert said.count("\n") == 1
    again = sweep(Grid.parse(*GRID), tmp_path / "out.jsonl", jobs=1)
    assert again.resumed >= kept > 0
    assert (tmp_path / "out.jsonl").read_bytes() == by_one_process


@pytest.mark.slow
def test_a_server_that_is_no_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runners, "_SECONDS_TO_CONNECT", 1)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        status, _, said = finished(
            started(tmp_path, *WORDS, "--dask", address, "--out", "out.jsonl")
        )
        assert status == 2
        assert said.startswith(f"countbounds: There is no Dask scheduler at {address}; start one")
        with pytest.raises(InputError, match="There is no Dask scheduler"):
            sweep(Grid.parse(*GRID), tmp_path / "o.csv", dask=address)
    assert not list(tmp_path.iterdir())
