"""Where results go: standard output, or a file that is either whole or not there."""

from __future__ import annotations

import os
import sys
import tempfile

from countbounds.errors import InputError


def require_writable(path: str) -> None:
    """Check before the work that the file can be written after it.

    Raises:
        InputError: if its folder is missing or not writable, or the path is a folder.
    """
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise InputError(f"The output file {path} is a folder; name a file.")
    if not os.path.isdir(folder):
        raise InputError(f"The output file's folder {folder} does not exist; create it first.")
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
        raise InputError(f"The output file {path} is not writable; name another.")


def write(text: str, path: str | None) -> None:
    """Print the text, or write it to a file in one step.

    Raises:
        InputError: if the file cannot be written; nothing half-written is left behind.
    """
    if path is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        descriptor, temporary = tempfile.mkstemp(
            dir=os.path.dirname(path) or ".", prefix=f".{os.path.basename(path)}."
        )
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"The output file {path} cannot be written: {reason}.") from error
