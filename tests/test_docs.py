"""Every example of the documentation, run, and compared with what the document shows.

A console block runs in a folder of its own that holds nothing but the example checkpoints it
names, an interactive Python block in a fresh
namespace. A block marked `console slow` or `python slow` belongs to the slow tier. With
UPDATE_DOCS=1 (`make docs-update`) the real output is written into the documents instead.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from _pytest.mark import ParameterSet

from countbounds.cli import main
from tests.markdown_blocks import (
    PROMPT,
    Block,
    difference,
    matches,
    read_blocks,
    read_steps,
    rewrite,
)

ROOT: Final = Path(__file__).parent.parent
CHECKPOINTS: Final = ROOT / "tests" / "data" / "checkpoints"
UPDATE: Final = os.environ.get("UPDATE_DOCS", "") not in ("", "0")

# Set-up that a reader does once and the suite never does.
NOT_RUN: Final = frozenset({"cd", "git", "make", "pip", "pipx", "python3", "source", "uv"})
SHELL: Final = frozenset({"cat", "countbounds", "echo", "python"})
SHELL_SYNTAX: Final = re.compile(r"[|&;<>$`*?(){}~#\n]")


# What `make docs` runs, and what it makes.
NOT_HERE: Final = (ROOT / "docs" / "notebook.md", ROOT / "docs" / "_build")


def documents() -> list[Path]:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in pages if page.exists() and not any(map(page.is_relative_to, NOT_HERE))]


def blocks(language: str) -> list[ParameterSet]:
    return [
        pytest.param(
            block,
            id=f"{block.path.relative_to(ROOT)}:{block.line}",
            marks=[pytest.mark.slow] if "slow" in block.info else [],
        )
        for page in documents()
        for block in read_blocks(page)
        if block.language == language
    ]


@pytest.fixture(autouse=True)
def _a_reader_with_a_plain_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if UPDATE and "PYTEST_XDIST_WORKER" in os.environ:
        pytest.fail("UPDATE_DOCS=1 rewrites whole files: run make docs-update, in one process")
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "LINES", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("PYTHONUTF8", "1")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("block", blocks("console"))
def test_console(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    problems: list[str] = []
    status = 0
    steps = read_steps(block)
    for example in CHECKPOINTS.iterdir():
        if any(example.name in step.command.split() for step in steps):
            shutil.copy(example, example.name)
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        if step.command == "echo $?":
            actual = [str(status)]
            status = 0
        elif is_run(step.command):
            status, actual = run(step.command, monkeypatch)
            noted = after is not None and after.command == "echo $?"
            if status != 0 and not noted:
                problems.append(f"{step.command}\nexits with {status}: note it, with $ echo $?")
        else:
            actual = list(step.output)
        same = matches(step.output, actual)
        lines += [*step.source, *(step.output if same else actual)]
        if not same and not UPDATE:
            problems.append(f"{PROMPT}{step.command}\n{difference(step.output, actual)}")
    if UPDATE:
        rewrite(block, lines)
    if problems:
        pytest.fail(f"{block}\n" + "\n\n".join(problems), pytrace=False)


def is_run(command: str) -> bool:
    program = first_word(command)
    if program not in NOT_RUN | SHELL:
        raise ValueError(f"a document runs {program!r}, which the suite does not know")
    return program in SHELL and "-m pip" not in command and "-m venv" not in command


def first_word(command: str) -> str:
    words = [word for word in command.split() if "=" not in word]
    return words[0] if words else ""


def run(command: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[str]]:
    words = command.split(maxsplit=1)
    if words[0] == "countbounds" and not SHELL_SYNTAX.search(command):
        return run_here(shlex.split(command), monkeypatch)
    return run_outside(["/bin/sh", "-c", command])


def run_here(argv: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[str]]:
    """Call the entry point as its script does: starting a process each time is far slower."""
    monkeypatch.setattr(sys, "argv", list(argv))
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(terminal), contextlib.redirect_stderr(terminal):
        try:
            code: object = main()
        except SystemExit as stop:
            code = stop.code
        if isinstance(code, str):
            print(code)
        terminal.flush()
    buffer = terminal.buffer
    assert isinstance(buffer, io.BytesIO)
    status = code if isinstance(code, int) else int(code is not None)
    return status, buffer.getvalue().decode("utf-8").splitlines()


def run_outside(argv: Sequence[str]) -> tuple[int, list[str]]:
    done = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["no-such-command"]])
def test_a_run_in_this_process_prints_what_a_user_sees(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    argv = ["countbounds", *arguments]
    assert run_here(argv, monkeypatch) == run_outside(argv)


class Recorder(doctest.DocTestRunner):
    """Remembers what each example that failed did print."""

    def __init__(self) -> None:
        super().__init__(optionflags=doctest.ELLIPSIS, verbose=False)
        self.got: dict[int, str] = {}

    def report_failure(
        self, out: object, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        self.got[example.lineno] = got
        super().report_failure(out, test, example, got)  # type: ignore[arg-type]


@pytest.mark.parametrize("block", blocks("python"))
def test_python(block: Block) -> None:
    text = "\n".join(block.lines) + "\n"
    test = doctest.DocTestParser().get_doctest(
        text, {}, str(block), block.path.name, block.line - 1
    )
    report: list[str] = []
    recorder = Recorder()
    failed = recorder.run(test, out=report.append).failed
    if UPDATE and failed == len(recorder.got):
        rewrite(block, corrected(block, test, recorder.got))
    elif failed:
        pytest.fail("".join(report), pytrace=False)


def corrected(block: Block, test: doctest.DocTest, got: dict[int, str]) -> list[str]:
    lines = list(block.lines)
    for example in reversed(test.examples):
        if example.lineno in got:
            start = example.lineno + example.source.count("\n")
            shown = [line or "<BLANKLINE>" for line in got[example.lineno].splitlines()]
            lines[start : start + example.want.count("\n")] = shown
    return lines
