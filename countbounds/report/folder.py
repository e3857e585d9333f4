"""A folder that is either whole or not there."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from countbounds.errors import InputError

PAGE, CERTIFICATES = "index.html", "certificates"
MARKER = '<meta name="generator" content="countbounds report">'
_HEAD = 2000


def require_folder(path: str) -> Path:
    """Where the folder goes, if it may be made there or replaced.

    Raises:
        InputError: if its parent is missing or not writable, or something is in the way that
            `report` did not make.
    """
    if not path:
        raise InputError("The report's folder has no name; name one.")
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise InputError(f"The folder {target.parent} does not exist; create it first.")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"The folder {target.parent} is not writable; name another.")
    if not target.exists():
        return target
    if not target.is_dir():
        raise InputError(f"The path {path} is a file; name a folder that is new or empty.")
    if target == Path(os.path.realpath(os.curdir)):
        raise InputError("The report cannot replace the current folder; name one inside it.")
    if any(target.iterdir()) and not _made_by_report(target):
        raise InputError(
            f"The folder {path} holds files that no report wrote; name one that is new or empty."
        )
    return target


def _made_by_report(folder: Path) -> bool:
    """Whether a report, and nothing else, is in the folder."""
    page, certificates = folder / PAGE, folder / CERTIFICATES
    if {entry.name for entry in folder.iterdir()} - {PAGE, CERTIFICATES} or not page.is_file():
        return False
    if certificates.exists() and (
        not certificates.is_dir()
        or any(entry.suffix != ".json" or entry.is_dir() for entry in certificates.iterdir())
    ):
        return False
    with page.open(encoding="utf-8", errors="replace") as file:
        return MARKER in file.read(_HEAD)


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to write into, which takes the target's place at the end.

    If an exception leaves the block, the target is as it was and nothing is left behind.

    Raises:
        InputError: if it cannot be written.
    """
    place: str | None = None
    try:
        place = tempfile.mkdtemp(prefix=f".{target.name[:100]}.", dir=target.parent)
        fresh = Path(place, "new")
        fresh.mkdir()
        yield fresh
        _exchange(fresh, target, Path(place, "old"))
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"The report cannot be written to {target}: {reason}.") from error
    finally:
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)


def _exchange(fresh: Path, target: Path, aside: Path) -> None:
    """Put the new folder where the old one is, or leave the old one there."""
    if not target.exists():
        fresh.rename(target)
        return
    target.rename(aside)
    try:
        fresh.rename(target)
    except BaseException:
        aside.rename(target)
        raise
