"""A whole sweep: from the grid to the file, by way of the journal."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from countbounds.errors import InputError
from countbounds.kernel import RejectedError
from countbounds.sweeping.cells import Row, cell_of, stored, tasks, verify_stored
from countbounds.sweeping.grid import Cell, Grid
from countbounds.sweeping.journal import Journal, journal_of, lock
from countbounds.sweeping.results import require_format, write_results

# Enough cells in a portion that handing it over costs little (a cell takes some
# milliseconds at 12 digits), few enough that little is lost with an unfinished one.
_PORTION = 16
_FEW_DIGITS = 60


@dataclass(frozen=True)
class Swept:
    """What came of a sweep.

    Attributes:
        out: the file with the rows.
        cells: how many there are.
        resumed: how many of them an earlier run had finished.
        failed: the rows of the cells that failed.
    """

    out: str
    cells: int
    resumed: int
    failed: tuple[Row, ...]

    def as_dict(self) -> dict[str, Any]:
        """The summary, as the command line prints it in JSON."""
        return {**vars(self), "failed": list(self.failed)}


def sweep(
    grid: Grid,
    out: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    dask: str | None = None,
    certify: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> Swept:
    """Bracket B_min in every cell of a grid, and write the rows to a file at the end.

    A journal beside the file holds what is finished. After an interruption, even by SIGKILL,
    the same call goes on from there; the file is the same whatever computed it.

    Args:
        grid: the cells, and the number of digits.
        out: a .jsonl, .csv or .parquet file.
        jobs: processes, at least 1; by default one for each core. With 1, this process.
        dask: address of a Dask scheduler whose workers compute in place of processes here.
        certify: a folder for every cell's certificate, each verified as it was written.
        progress: called with a line about how far it got.

    Returns:
        how many cells there are, and which failed.

    Raises:
        InputError: if an argument is wrong, a file cannot be written, the journal belongs to
            another sweep or another process has it, or the Dask scheduler is not reached.
        Unfinished: if the processes are killed again and again, or the scheduler is lost.
        KeyboardInterrupt: on Ctrl-C; the same call goes on.
    """
    path = os.fspath(out)
    folder = None if certify is None else os.fspath(certify)
    require_format(path)
    if jobs is not None and dask is not None:
        raise InputError("Processes here (--jobs) and Dask (--dask) exclude each other; give one.")
    if jobs is not None and jobs < 1:
        raise InputError("The number of jobs is at least 1.")
    run_by_dask = _runner_of_dask(dask)
    with Journal(journal_of(path), grid, folder) as journal, _held(folder):
        rows = journal.rows if folder is None else _verified(journal.rows, folder, progress)
        resumed = len(rows)
        left = [cell for cell in grid.cells() if cell not in rows]
        # In a random order the cells done so far tell how long the rest will take.
        random.Random(0).shuffle(left)
        size = _PORTION if grid.digits <= _FEW_DIGITS else 1
        portions = list(
            tasks(
                left,
                size,
                grid.digits,
                certify=folder is not None,
                folder=folder if run_by_dask is None else None,
            )
        )
        run = run_by_dask or _local(jobs, len(portions))
        began = time.monotonic()
        for finished in run(portions) if portions else ():
            # A certificate that came from another machine is stored before its row is.
            new = [one if folder is None else stored(one, folder) for one in finished]
            journal.append(one.row for one in new)
            rows |= {cell_of(one.row): one.row for one in new}
            done = len(rows) - resumed
            spent = time.monotonic() - began
            progress(
                f"{len(rows):,} of {len(grid):,} cells, "
                f"{_duration(spent / done * (len(left) - done))} left"
            )
        ordered = [rows[cell] for cell in grid.cells()]
        write_results(ordered, path)
        journal.remove()
    failed = tuple(row for row in ordered if row["error"] is not None)
    return Swept(path, len(ordered), resumed, failed)


def _runner_of_dask(address: str | None) -> Any:
    if address is None:
        return None
    from countbounds.sweeping.runners import dask

    return dask(address)


def _local(jobs: int | None, portions: int) -> Any:
    """The runner on this machine; more processes than portions would stand idle."""
    from countbounds.sweeping.runners import cores, here, processes

    if portions > 1 and jobs is None:
        jobs = cores()
    used = min(jobs or 1, portions)
    return processes(used) if used > 1 else here


@contextmanager
def _held(folder: str | None) -> Iterator[None]:
    """The folder of certificates, made where it is missing, and kept from other sweeps."""
    if folder is None:
        yield
        return
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    if not os.access(folder, os.W_OK):
        raise InputError(f"The folder {folder} is not writable; name another.")
    if os.name == "nt":  # where a folder cannot be opened
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        advice = "wait for it or name another --certify."
        lock(descriptor, f"Another sweep is writing certificates to {folder}; {advice}")
        yield
    finally:
        os.close(descriptor)


def _verified(
    rows: dict[Cell, Row], folder: str, progress: Callable[[str], None]
) -> dict[Cell, Row]:
    """The rows whose certificates are there and are still verified; the others are done again."""
    found = {}
    for number, (cell, row) in enumerate(rows.items(), 1):
        progress(f"{number:,} of {len(rows):,} certificates verified again")
        with suppress(RejectedError, OSError, UnicodeDecodeError):
            verify_stored(row, folder)
            found[cell] = row
    return found


def _duration(seconds: float) -> str:
    """A time for reading: 40 s, 3 min 5 s, 2 h 10 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
