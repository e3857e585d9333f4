"""Sweeps against a plain loop over `b_min`, and against one command for each cell.

All are whole processes from a cold start, so that starting workers, the journal and the result are
part of what is measured.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.timing import finish, process_seconds, single_run
from countbounds.sweeping.grid import Grid

COMMAND = str(Path(sys.executable).parent / "countbounds")
DIMS = "3,16,64"
LOOP = """
from countbounds import b_min
for name in {0.variants}:
    for length in {0.lengths}:
        for dim in {0.dims}:
            b_min(name, length, dim)
"""


def sweep_command(lengths: str, out: str, jobs: int) -> list[str]:
    """The sweep of all variants at these lengths."""
    words = ["--variants", "all", "--lengths", lengths, "--dims", DIMS, "--jobs", str(jobs)]
    return [COMMAND, "sweep", *words, "--out", out]


def against_loop() -> Iterator[dict[str, str]]:
    """Rows: a loop in one process, and the same cells with one process and with two."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "bmin.jsonl")
        for count, runs in ((5, 3), (20, 2), (80, 1)):
            lengths = f"10..1e12:{count}"
            grid = Grid.parse("all", lengths, DIMS)
            loop, one, two = process_seconds(
                [
                    [sys.executable, "-c", LOOP.format(grid)],
                    *(sweep_command(lengths, out, jobs) for jobs in (1, 2)),
                ],
                runs,
                warm=runs > 1,
            )
            yield {
                "cells": f"{len(grid):,}",
                "loop_ms": f"{loop * 1e3:,.0f}",
                "jobs_1_ms": f"{one * 1e3:,.0f}",
                "jobs_2_ms": f"{two * 1e3:,.0f}",
                "jobs_2,_each_cell_ms": f"{two * 1e3 / len(grid):.1f}",
                "loop_/_jobs_1": f"{loop / one:.2f}",
                "jobs_1_/_jobs_2": f"{one / two:.2f}",
            }


def each_by_itself(grid: Grid) -> None:
    """One command after another."""
    for name, length, dim in grid.cells():
        finish([COMMAND, "bmin", name, "-L", str(length), "-d", str(dim)])


def against_commands() -> Iterator[dict[str, str]]:
    """Rows: one `countbounds bmin` for each cell, and one sweep in one process."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "bmin.jsonl")
        for lengths in ("1000", "10,1000,1e6"):
            grid = Grid.parse("all", lengths, DIMS)
            commands = single_run(partial(each_by_itself, grid))
            (swept,) = process_seconds([sweep_command(lengths, out, 1)], runs=3)
            yield {
                "cells": f"{len(grid):,}",
                "commands_ms": f"{commands * 1e3:,.0f}",
                "sweep_ms": f"{swept * 1e3:,.0f}",
                "ratio": f"{commands / swept:.1f}",
            }
