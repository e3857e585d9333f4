"""The journal of a sweep: every finished cell, on disk as soon as it is finished.

The first line is a header, each further line one row; docs/sweeps.md describes both. A line
counts once its newline is written, so that a process killed at any moment costs at most the
line that it was writing.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from countbounds import __version__
from countbounds.errors import InputError
from countbounds.sweeping.cells import Row, cell_of, is_row
from countbounds.sweeping.grid import Cell, Grid

KIND = "countbounds sweep"
SCHEMA = 1
_SYNCED_EVERY = 0.2  # seconds
_BINARY: int = getattr(os, "O_BINARY", 0)


def journal_of(out: str) -> str:
    """The name of the journal beside an output file."""
    return f"{out}.journal.jsonl"


def header_of(grid: Grid, certify: str | None) -> dict[str, Any]:
    """What a journal begins with: a sweep goes on only from a journal of the same."""
    return {
        "journal": KIND,
        "schema": SCHEMA,
        "version": __version__,
        **grid.as_dict(),
        "certify": certify,
    }


def as_line(content: dict[str, Any]) -> str:
    """One line of JSON."""
    return json.dumps(content, separators=(",", ":")) + "\n"


def lock(descriptor: int, advice: str) -> None:
    """Keep other processes out of a file or a folder until this one ends, however it does.

    Raises:
        InputError: with this advice, if another one has it.
    """
    try:
        import fcntl
    except ImportError:  # not on this system
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError(advice) from error


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes to a descriptor, which may take them in parts."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


class Journal:
    """A journal that is open for one sweep; a second sweep is kept out.

    Args:
        path: the file; it is created where there is none.
        grid: the grid of the sweep.
        certify: the folder of its certificates, as it was given.

    Attributes:
        path: the file.
        rows: the rows that were finished before.

    Raises:
        InputError: if it cannot be used, belongs to another sweep or is damaged.
    """

    def __init__(self, path: str, grid: Grid, certify: str | None) -> None:
        self.path = path
        self.rows: dict[Cell, Row] = {}
        self._appended = False
        self._synced = time.monotonic()
        header = header_of(grid, certify)
        try:
            # Other than a rename, this leaves a file alone that another sweep has just begun.
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _BINARY, 0o666)
        except OSError as error:
            raise InputError(f"The journal {path} cannot be used: {error.strerror}.") from error
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise InputError(f"The journal {path} is no regular file; name another --out.")
            advice = f"Another sweep is writing {path}; wait for it or name another --out."
            lock(self._file, advice)
            with open(path, "rb") as file:
                data = file.read()
            whole = data[: data.rfind(b"\n") + 1]
            begin = as_line(header).encode()
            if not whole and not begin.startswith(data):
                raise InputError(f"The file {path} is no journal; remove it or name another --out.")
            self._read(whole, header, set(grid.cells()))
            os.ftruncate(self._file, len(whole))
            if not whole:
                self._write(begin)
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *raised: object) -> None:
        if not (self.rows or self._appended):  # nothing that a later run could go on from
            self.remove()
        self.close()

    def append(self, rows: Iterable[Row]) -> None:
        """Write rows; they survive the end of this process at once, that of the machine soon.

        Raises:
            InputError: if they cannot be written.
        """
        self._appended = True
        self._write("".join(map(as_line, rows)).encode())

    def close(self) -> None:
        """Close the file, with everything on disk."""
        if self._file >= 0:
            descriptor, self._file = self._file, -1
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def remove(self) -> None:
        """Delete the journal: its sweep is complete."""
        if os.name == "nt":  # where an open file cannot be deleted
            self.close()
        with suppress(FileNotFoundError):
            os.unlink(self.path)

    def _write(self, data: bytes) -> None:
        try:
            write_all(self._file, data)
            now = time.monotonic()
            if now - self._synced >= _SYNCED_EVERY:
                os.fsync(self._file)
                self._synced = now
        except OSError as error:
            raise InputError(
                f"The journal {self.path} cannot be written: {error.strerror}. "
                "The same command goes on from there."
            ) from error

    def _read(self, whole: bytes, expected: dict[str, Any], cells: set[Cell]) -> None:
        """Take over the rows of the lines that are whole."""
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                content: Any = json.loads(line)
            except ValueError:
                content = None
            if number == 1:
                self._compare(content, expected)
            elif is_row(content) and cell_of(content) in cells:
                self.rows[cell_of(content)] = content
            else:
                raise InputError(
                    f"Line {number} of the journal {self.path} is damaged; "
                    "remove the journal to start anew."
                )

    def _compare(self, header: Any, expected: dict[str, Any]) -> None:
        """Check that the journal is that of the same sweep.

        Raises:
            InputError: otherwise, with what differs.
        """
        if not isinstance(header, dict) or header.get("journal") != KIND:
            raise InputError(
                f"The file {self.path} is no journal; remove it or name another --out."
            )
        for name, value in expected.items():
            found = header.get(name)
            if found != value:
                shown = f" ({_shown(found)}, not {_shown(value)})"
                raise InputError(
                    f"The journal {self.path} belongs to another sweep: its {name} "
                    f"{'differ' if isinstance(value, list) else 'differs'}{shown}. "
                    "Remove the journal or name another --out."
                )


def _shown(value: Any) -> str:
    """A header's value in a message: the start of a long list."""
    if value is None:
        return "none"
    if not isinstance(value, list):
        return str(value)[:80]
    listed = ", ".join(str(part) for part in value[:3])
    return f"{listed}{', ...' if len(value) > 3 else ''}"[:80]
