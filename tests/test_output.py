"""Where results go: a file is whole or not there."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from countbounds.cli import main
from countbounds.errors import InputError
from countbounds.output import require_writable, write

TEXT = "first\n\u03b1 \u2264 second\n"


def test_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "result.txt"
    write(TEXT, str(path))
    assert path.read_text("utf-8") == TEXT
    assert os.listdir(tmp_path) == ["result.txt"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_a_file_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    require_writable("result.txt")
    write(TEXT, "result.txt")
    assert (tmp_path / "result.txt").read_text("utf-8") == TEXT


def test_an_old_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "result.txt"
    path.write_text("old and much longer than what comes after it" * 100)
    path.chmod(0o640)
    write(TEXT, str(path))
    assert path.read_text("utf-8") == TEXT
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["result.txt"]


def failing(error: BaseException) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), InputError),
        (PermissionError(errno.EACCES, "Permission denied"), InputError),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (RuntimeError("a fault"), RuntimeError),
    ],
    ids=["full", "forbidden", "interrupted", "fault"],
)
@pytest.mark.parametrize(
    ("step", "old"),
    [("fsync", None), ("fsync", "old"), ("chmod", "old"), ("replace", None), ("replace", "old")],
)
def test_a_failure_leaves_nothing_behind(
    step: str,
    error: BaseException,
    raised: type[BaseException],
    old: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "result.txt"
    if old is not None:
        path.write_text(old)
    with monkeypatch.context() as patched:
        patched.setattr(os, step, failing(error))
        with pytest.raises(raised):
            write(TEXT, str(path))
    assert os.listdir(tmp_path) == ([] if old is None else ["result.txt"])
    assert old is None or path.read_text() == old


def test_a_failure_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "result.txt"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write("good so far \ud800", str(path))
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["result.txt"]


def test_the_reason_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", failing(OSError(errno.ENOSPC, "No space left on device")))
        with pytest.raises(InputError, match=r"txt cannot be written: No space left on device"):
            write(TEXT, str(tmp_path / "result.txt"))


# --- checked before the work ----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "name is empty"),
        (".", "is a folder"),
        ("folder", "is a folder"),
        ("folder/", "is a folder"),
        ("missing/", "folder"),
        ("missing/result.txt", "does not exist"),
        ("file/result.txt", "does not exist"),
        ("missing/deep/../result.txt", "does not exist"),
    ],
)
def test_a_path_that_cannot_be_a_file(
    name: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text")
    with pytest.raises(InputError, match=says):
        require_writable(name)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def allowed_by_mode(path: str, mode: int) -> bool:
    """What os.access says to anybody but the administrator."""
    return bool(os.stat(path).st_mode & 0o222) if mode == os.W_OK else True


@pytest.fixture
def no_administrator(monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        monkeypatch.setattr(os, "access", allowed_by_mode)


@pytest.mark.usefixtures("no_administrator")
def test_a_read_only_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "result.txt"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(InputError, match="not writable"):
        require_writable(str(path))
    assert main(["cap", "-d", "16", "--out", str(path)]) == 2
    shown, said = capsys.readouterr()
    assert shown == ""
    assert said.count("\n") == 1
    assert path.read_text() == "old"


@pytest.mark.usefixtures("no_administrator")
@pytest.mark.parametrize("old", [True, False])
def test_a_read_only_folder_is_refused(old: bool, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    if old:
        (folder / "result.txt").write_text("old")
    folder.chmod(0o555)
    try:
        # A file is replaced as a whole: that takes the right to make one beside it.
        with pytest.raises(InputError, match="not writable"):
            require_writable(str(folder / "result.txt"))
    finally:
        folder.chmod(0o755)


def test_what_is_writable_passes(tmp_path: Path) -> None:
    path = tmp_path / "result.txt"
    require_writable(str(path))
    assert not path.exists()
    path.write_text("old")
    require_writable(str(path))
    assert path.read_text() == "old"


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that takes no files")
def test_a_folder_that_takes_no_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cap", "-d", "16", "--out", "/proc/self/result.txt"]) == 2
    shown, said = capsys.readouterr()
    assert shown == ""
    assert said.count("\n") == 1


# --- links, pipes, devices ------------------------------------------------------------


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "result.txt"
    link = tmp_path / "link"
    link.symlink_to(target)
    for text in ("one", "two"):
        write(text, str(link))
        assert link.is_symlink()
        assert target.read_text() == text
    assert os.listdir(tmp_path / "there") == ["result.txt"]


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text("utf-8")), daemon=True)
    reader.start()
    require_writable(str(pipe))
    write(TEXT, str(pipe))
    reader.join(10)
    assert read == [TEXT]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_is_written_to() -> None:
    master, slave = os.openpty()
    try:
        device = os.ttyname(slave)
        require_writable(device)
        write("L_cap(16) = 110\n", device)
        assert os.read(master, 100).decode().splitlines() == ["L_cap(16) = 110"]
        assert stat.S_ISCHR(os.stat(device).st_mode)
    finally:
        os.close(slave)
        os.close(master)


# --- standard output ------------------------------------------------------------------


def test_standard_output_is_flushed(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        write(TEXT, None)
    assert raw.getvalue().decode("utf-8") == TEXT


def test_a_full_standard_output_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", Full())
        status = main(["cap", "-d", "16"])
    said = capsys.readouterr().err
    assert status == 2
    assert said.count("\n") == 1
    assert "No space left on device" in said


def test_without_standard_output_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", None)
        assert main(["cap", "-d", "16"]) == 0
        assert main(["--version"]) == 0
    assert capsys.readouterr().err == ""
