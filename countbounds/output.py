"""Where results go: standard output, or a file that is either whole or not there."""

from __future__ import annotations

import os
import sys

from countbounds.errors import InputError


def require_writable(path: str) -> None:
    """Check before the work that the file can be written after it.

    Raises:
        InputError: if the name is empty, its folder is missing or not writable, or the
            path is a folder.
    """
    if not path:
        raise InputError("The output file's name is empty; name a file.")
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path) or path.endswith(("/", os.sep)):
        raise InputError(f"The output file {path} is a folder; name a file.")
    if not os.path.isdir(folder):
        raise InputError(f"The output file's folder {folder} does not exist; create it first.")
    regular = not os.path.exists(path) or os.path.isfile(path)
    needed = [folder] if regular else []
    if os.path.exists(path):
        needed.append(path)
    if not all(os.access(name, os.W_OK) for name in needed):
        raise InputError(f"The output file {path} is not writable; name another.")


def same_file(path: str, other: str) -> bool:
    """Whether two names stand for one file, which need not exist."""
    return os.path.realpath(path) == os.path.realpath(other)


def write(text: str | bytes, path: str | None) -> None:
    """Print the text, or write it (or bytes, to a file only) in one step.

    A link is followed; something that is no regular file (a pipe, a device) is written to.

    Raises:
        InputError: if it cannot be written; nothing half-written is left behind.
    """
    if path is None:
        _print(text if isinstance(text, str) else repr(text))
        return
    data = text.encode() if isinstance(text, str) else text
    target = os.path.realpath(path)
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as file:
                file.write(data)
        else:
            _replace(data, target)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"The output file {path} cannot be written: {reason}.") from error


def _print(text: str) -> None:
    if sys.stdout is None:
        return
    try:
        try:
            sys.stdout.write(text)
        except UnicodeEncodeError:  # the terminal's encoding has no such characters
            encoding = sys.stdout.encoding
            sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has left; keep the interpreter from flushing into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise InputError(f"Standard output cannot be written: {error.strerror}.") from error


def _replace(data: bytes, target: str) -> None:
    """Write a temporary file beside the target, then rename it."""
    import tempfile

    folder, name = os.path.split(target)
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=f".{name[:100]}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        if os.path.exists(target):
            mode = os.stat(target).st_mode & 0o777
        else:
            mask = os.umask(0)
            os.umask(mask)
            mode = 0o666 & ~mask
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
