"""One cell of a sweep: its bracket as a row, and its certificate as a file."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from countbounds import __version__
from countbounds.certificate import as_text
from countbounds.errors import CountboundsError
from countbounds.output import replace
from countbounds.sweeping.grid import Cell

Row = dict[str, Any]

# The columns of a result, and the type that each has where it has a value.
COLUMNS: dict[str, type] = {
    "variant": str,
    "length": int,
    "dim": int,
    "digits": int,
    "counting": str,
    "lower": str,
    "upper": str,
    "regime": str,
    "published": str,
    "rate": str,
    "ratio_to_rate": str,
    "sharp_constant": str,
    "exact": bool,
    "certificate": str,
    "error": str,
}

# python-flint's precision belongs to the process: a Dask worker may run several threads.
_ONE_AT_A_TIME = threading.Lock()


class Task(NamedTuple):
    """Cells that one process computes in a row.

    Attributes:
        cells: the cells.
        digits: as for `b_min`.
        certify: whether certificates are wanted.
        folder: where the process itself stores them; None if it hands them back.
        version: of the package that asks.
    """

    cells: tuple[Cell, ...]
    digits: int
    certify: bool
    folder: str | None
    version: str


class Finished(NamedTuple):
    """A cell's row, and its certificate where that is still to be stored."""

    row: Row
    certificate: str | None


def compute(task: Task) -> list[Finished]:
    """Compute the cells of a task; one that fails is a row with an error.

    Raises:
        CountboundsError: if this process runs another version of the package.
    """
    if task.version != __version__:
        raise CountboundsError(
            f"a worker runs countbounds {__version__}, the sweep {task.version}; "
            "install the same version on both sides"
        )
    with _ONE_AT_A_TIME, _any_number_of_digits():
        return [_compute(cell, task) for cell in task.cells]


def _compute(cell: Cell, task: Task) -> Finished:
    from countbounds.bounds import b_min
    from countbounds.tables import BoundRow

    try:
        result = b_min(*cell, task.digits)
        row = _row(cell, task.digits, BoundRow(result).as_dict())
        if not task.certify or result.certificate is None:
            return Finished(row, None)
        row["certificate"] = file_name(cell, task.digits)
        finished = Finished(row, as_text(result.certificate))
        return finished if task.folder is None else stored(finished, task.folder)
    except Exception as error:
        return Finished(failed(cell, task.digits, error), None)


def stored(finished: Finished, folder: str) -> Finished:
    """Write a certificate where there is one, and let the kernel verify what was written.

    A failure is a row with an error, as in `compute`.
    """
    row, certificate = finished
    if certificate is None:
        return finished
    try:
        replace(certificate.encode(), os.path.join(folder, row["certificate"]), redone=True)
        verify_stored(row, folder)
    except Exception as error:
        return Finished(failed(cell_of(row), row["digits"], error), None)
    return Finished(row, None)


def verify_stored(row: Row, folder: str) -> None:
    """Let the kernel verify the certificate of a row from its file, if it has one.

    Raises:
        RejectedError: if it is refused.
        OSError: if it cannot be read.
    """
    from countbounds.kernel import verify_file

    if row["certificate"] is not None:
        verify_file(os.path.join(folder, row["certificate"]))


def failed(cell: Cell, digits: int, error: Exception) -> Row:
    """The row of a cell that failed, with the reason on one line."""
    kind = "" if isinstance(error, CountboundsError) else f"{type(error).__name__}: "
    sentence = " ".join(f"{kind}{error}".split())[:500]
    return _row(cell, digits, {"error": sentence})


def _row(cell: Cell, digits: int, found: Row) -> Row:
    known = {**found, **cell._asdict(), "digits": digits}
    return {name: known.get(name) for name in COLUMNS}


def is_row(value: object) -> bool:
    """Whether something read from a file is a row."""
    return (
        isinstance(value, dict)
        and list(value) == list(COLUMNS)
        and all(
            type(value[name]) is kind or (value[name] is None and name not in Cell._fields)
            for name, kind in COLUMNS.items()
        )
    )


def cell_of(row: Row) -> Cell:
    """The cell that a row is about."""
    return Cell(*(row[name] for name in Cell._fields))


def file_name(cell: Cell, digits: int) -> str:
    """The name of a cell's certificate."""
    return f"{cell.variant}-L{cell.length}-d{cell.dim}-digits{digits}.json"


def tasks(
    cells: Sequence[Cell], size: int, digits: int, *, certify: bool, folder: str | None
) -> Iterator[Task]:
    """The cells in portions of at most this size."""
    for start in range(0, len(cells), size):
        portion = tuple(cells[start : start + size])
        yield Task(portion, digits, certify, folder, __version__)


@contextmanager
def _any_number_of_digits() -> Iterator[None]:
    """Lift the interpreter's limit on the digits of an int, which a worker still has."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)
