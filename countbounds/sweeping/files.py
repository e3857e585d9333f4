"""Files that are either whole or not there, even after SIGKILL at any moment."""

from __future__ import annotations

import os
import stat


def replace(data: bytes, path: str) -> None:
    """Write a file in one step.

    The temporary file beside it always has the same name, so that one that a killed process
    left is written over, and gone, when the work is done again.

    Args:
        data: the content.
        path: the file; a link is followed.

    Raises:
        OSError: if it cannot be written; nothing half-written is left behind.
    """
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    partial = os.path.join(folder, f".{name}.partial")
    try:
        with open(partial, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            os.chmod(partial, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(partial, target)
    except BaseException:
        if os.path.exists(partial):
            os.unlink(partial)
        raise


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes to a descriptor, which may take them in parts."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
