"""Sweeps in processes of their own, for the tests that kill them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

LIMIT: Final = 120.0  # seconds after which something hangs


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    """`countbounds sweep` in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "countbounds", "sweep", *words],
        cwd=folder,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finished(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Status, standard output and standard error of a process that comes to its end."""
    try:
        shown, said = process.communicate(timeout=LIMIT)
    except BaseException:
        kill(process)
        raise
    return process.returncode, shown, said


def kill(process: subprocess.Popen[str]) -> None:
    """SIGKILL for a process and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=LIMIT)


def whole_lines(journal: Path) -> int:
    """How many cells a journal holds."""
    return max(0, journal.read_bytes().count(b"\n") - 1) if journal.exists() else 0


def wait_for_a_cell(journal: Path, process: subprocess.Popen[str], before: int = 0) -> None:
    """Wait until a journal holds more cells than before, or its sweep has ended."""
    deadline = time.monotonic() + LIMIT
    while whole_lines(journal) <= before and process.poll() is None:
        assert time.monotonic() < deadline, "no cell is finished"
        time.sleep(0.002)
