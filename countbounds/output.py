"""Where results go: standard output, or a file that is either whole or not there."""

from __future__ import annotations

import os
import sys

from countbounds.errors import InputError

PARTIAL = ".partial"


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
            replace(data, target)
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


def partial_of(path: str) -> str:
    """The file beside it in which `replace` collects what a killed process may have to redo."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}{PARTIAL}")


def replace(data: bytes, path: str, *, redone: bool = False) -> None:
    """Write a file in one step: a temporary one beside it, then a rename.

    Args:
        data: the content.
        path: the file; a link is followed.
        redone: whether a killed process will be started again, and no two at a time: the
            temporary file then has one name (`partial_of`), so that one that was left behind is
            written over, and gone, when the work is done again.

    Raises:
        OSError: if it cannot be written; nothing half-written is left behind.
    """
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    fresh = os.path.join(folder, f".{name[:100]}.{os.urandom(8).hex()}")
    temporary = partial_of(target) if redone else fresh
    try:
        with open(temporary, "wb" if redone else "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
