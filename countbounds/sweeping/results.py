"""The result of a sweep as a file: JSON lines, CSV or Parquet, by its suffix."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from countbounds.decimals import parse_exact
from countbounds.errors import InputError
from countbounds.extras import load
from countbounds.output import replace, require_writable
from countbounds.sweeping.cells import COLUMNS, Row, is_row
from countbounds.sweeping.journal import KIND, as_line
from countbounds.variants import NAMES

BEYOND = "inf"
"""Both ends of the bracket where no bound is enough."""
_SMALLEST = Fraction(1, 10**300)  # far below the bound of any cell


def require_format(path: str) -> None:
    """Check before the work that the result can be written in the format of its name.

    Raises:
        InputError: if the suffix is unknown, the file cannot be written or is no regular one,
            or Parquet is not installed.
    """
    if _suffix(path) == ".parquet":
        _pyarrow()
    require_writable(path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"The result {path} is no regular file; name another.")


def write_results(rows: Sequence[Row], path: str) -> None:
    """Write the rows in one step.

    Raises:
        InputError: if that fails; nothing half-written is left behind.
    """
    write, _ = _FORMATS[_suffix(path)]
    try:
        replace(write(rows), path, redone=True)
    except OSError as error:
        raise InputError(f"The result {path} cannot be written: {error.strerror}.") from error


def read_results(path: str) -> list[Row]:
    """The rows of a sweep's result, in the order of its grid.

    Args:
        path: a .jsonl, .csv or .parquet file that a sweep has written.

    Returns:
        for each cell a dict with the keys of `COLUMNS`; `lower` and `upper` are exact numbers as
        text, "inf" beyond the cap, and None where the cell failed (see `error`).

    Raises:
        InputError: if the file cannot be read or is not the result of a sweep.
    """
    _, read = _FORMATS[_suffix(path)]
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise InputError(f"The file {path} cannot be read: {error.strerror}.") from error
    try:
        rows = read(data)
    except InputError:
        raise
    except _PendingError as error:
        raise InputError(
            f"The file {path} is the journal of an unfinished sweep; run that sweep to its end "
            "and read its result."
        ) from error
    except (ValueError, TypeError, KeyError, RuntimeError, OSError, csv.Error) as error:
        raise InputError(f"The file {path} is not the result of a sweep.") from error
    if not rows or not all(is_row(row) and _is_result(row) for row in rows):
        raise InputError(f"The file {path} is not the result of a sweep.")
    return rows


def ends_of(row: Row) -> tuple[Fraction, Fraction]:
    """The ends of a finite bracket.

    Raises:
        InputError: if they are no numbers.
    """
    return parse_exact(row["lower"], "lower end"), parse_exact(row["upper"], "upper end")


def _is_result(row: Row) -> bool:
    """Whether a row has an error, or a bracket of a bound."""
    if row["variant"] not in NAMES:
        return False
    ends = row["lower"], row["upper"]
    if row["error"] is not None or BEYOND in ends:
        return row["error"] is not None or ends == (BEYOND, BEYOND)
    try:
        lower, upper = (None, None) if None in ends else ends_of(row)
    except InputError:
        return False
    if lower is None or upper is None or row["length"] < 1:
        return False
    return _SMALLEST < lower <= upper


def bmin_rows(rows: Sequence[Row]) -> list[Row]:
    """The rows with the keys that `table bmin` has for what it computes itself."""
    own = ("digits", "certificate", "error")
    return [{key: value for key, value in row.items() if key not in own} for row in rows]


class _PendingError(Exception):
    """The file is a journal."""


def _suffix(path: str) -> str:
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in _FORMATS:
        raise InputError(
            f"The result of a sweep is a .jsonl, .csv or .parquet file, not {path}; name one."
        )
    return suffix


def _write_lines(rows: Sequence[Row]) -> bytes:
    return "".join(map(as_line, rows)).encode()


def _read_lines(data: bytes) -> list[Row]:
    rows = [json.loads(line) for line in data.splitlines()]
    if rows and isinstance(rows[0], dict) and rows[0].get("journal") == KIND:
        raise _PendingError
    return rows


def _write_csv(rows: Sequence[Row]) -> bytes:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(row[name]) for name in COLUMNS] for row in rows)
    return buffer.getvalue().encode()


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _read_csv(data: bytes) -> list[Row]:
    readers: dict[type, Callable[[str], Any]] = {
        bool: lambda text: {"true": True, "false": False}[text],
        int: int,
        str: str,
    }
    heading, *lines = csv.reader(io.StringIO(data.decode(), newline=""))
    if heading != list(COLUMNS):
        raise ValueError("other columns")
    return [
        {
            name: readers[kind](text) if text else None
            for (name, kind), text in zip(COLUMNS.items(), line, strict=True)
        }
        for line in lines
    ]


def _pyarrow() -> Any:
    """The module `pyarrow`, with its Parquet part.

    Raises:
        InputError: if it is not installed.
    """
    wanted = {"what": "A Parquet file", "package": "pyarrow", "extra": "parquet"}
    load("pyarrow.parquet", **wanted)
    return load("pyarrow", **wanted)


def _write_parquet(rows: Sequence[Row]) -> bytes:
    pyarrow = _pyarrow()
    kinds = {str: pyarrow.string(), int: pyarrow.int64(), bool: pyarrow.bool_()}
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows), schema), sink)
    return bytes(sink.getvalue().to_pybytes())


def _read_parquet(data: bytes) -> list[Row]:
    pyarrow = _pyarrow()
    rows: list[Row] = pyarrow.parquet.read_table(pyarrow.BufferReader(data)).to_pylist()
    return rows


_Format = tuple[Callable[[Sequence[Row]], bytes], Callable[[bytes], list[Row]]]
_FORMATS: dict[str, _Format] = {
    ".jsonl": (_write_lines, _read_lines),
    ".csv": (_write_csv, _read_csv),
    ".parquet": (_write_parquet, _read_parquet),
}
