"""The command: files, rows, and what an interruption leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from countbounds.auditing.report import Audit
from countbounds.cli import main
from countbounds.training import running
from countbounds.training.checkpoint import read
from countbounds.training.judge import judge
from countbounds.training.recipe import Recipe
from countbounds.training.running import train

torch: Any = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

SMALL: Final = ("train", "softmax-post-ln", "-L", "10", "-d", "8", "-B", "10")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_rows_in_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*SMALL, "--seeds", "2", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["schema"] == 1
    folder = "softmax-post-ln-L10-d8-B10-lbfgs"
    for seed, row in enumerate(content["rows"]):
        assert row["seed"] == seed
        assert row["verdict"] == "counts"
        assert 10 <= row["counts_up_to"] <= row["optimal_length_at_these_norms"]
        assert set(row) == {
            *("seed", "verdict", "worst_error", "worst_input", "counts_up_to"),
            *("counts_up_to_lower", "counts_up_to_upper", "norms", "max_norm"),
            *("optimal_length_at_these_norms", "optimum", "steps", "seconds", "checkpoint"),
        }
        assert row["checkpoint"] == f"{folder}/seed-{seed}.safetensors"
        assert read(row["checkpoint"]).steps == row["steps"]
    assert set(files(tmp_path / folder)) == {
        "training.json",
        *(f"seed-{seed}.{kind}" for seed in (0, 1) for kind in ("csv", "safetensors")),
    }


def test_two_runs_give_the_same_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert main([*SMALL, "--seeds", "2", "--out", str(tmp_path / name)]) == 0
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_finished_seeds_are_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*SMALL, "--out", str(tmp_path)]
    assert main([*words, "--seeds", "1"]) == 0
    (tmp_path / "seed-0.state").write_bytes(b"left behind")
    before = capsys.readouterr().out
    assert main([*words, "--seeds", "0,3"]) == 0
    assert "seed-3.safetensors" in files(tmp_path)
    monkeypatch.setattr(running, "Training", None)
    assert main([*words, "--seeds", "1"]) == 0
    after = capsys.readouterr().out
    assert "seed-0.state" not in files(tmp_path)
    assert before.split()[0] == "seed"
    assert "0.0" in after


@pytest.mark.parametrize(
    ("options", "status", "verdict"),
    [(("-B", "1"), 1, "fails"), (("-B", "20"), 0, "counts")],
)
def test_status(
    options: tuple[str, ...],
    status: int,
    verdict: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["train", "softmax", "-L", "10", "-d", "8", *options, "--steps", "400"]
    assert main([*words, "--seeds", "1", "--out", str(tmp_path)]) == status
    assert verdict in capsys.readouterr().out


def test_an_undecided_seed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def undecided(path: Path, length: int) -> Audit:
        return replace(judge(path, length), verdict="undecided")

    monkeypatch.setattr(running, "judge", undecided)
    words = ["train", "linear", "-L", "10", "-d", "8", "--steps", "1", "--seeds", "1"]
    assert main([*words, "--out", str(tmp_path)]) == 3
    assert "undecided" in capsys.readouterr().out


def test_a_folder_of_other_arguments_or_files_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    assert main([*SMALL, "--out", str(tmp_path)]) == 2
    assert "holds other files" in capsys.readouterr().err
    folder = tmp_path / "run"
    assert main([*SMALL, "--seeds", "1", "--out", str(folder)]) == 0
    before = files(folder)
    assert main([*SMALL, "--steps", "5", "--out", str(folder)]) == 2
    assert "other arguments" in capsys.readouterr().err
    assert files(folder) == before
    assert main([*SMALL, "--out", str(tmp_path / "thesis.tex")]) == 2
    assert "cannot be used" in capsys.readouterr().err
    assert main([*SMALL, "--out", ""]) == 2


def test_a_damaged_file_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*SMALL, "--seeds", "1", "--out", str(tmp_path)]
    assert main(words) == 0
    path = tmp_path / "seed-0.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[:50])
    assert main(words) == 2
    assert "no checkpoint of a training" in capsys.readouterr().err
    path.unlink()
    (tmp_path / "seed-0.state").write_bytes(b"x")
    assert main(words) == 2
    assert "damaged" in capsys.readouterr().err
    (tmp_path / "seed-0.state").unlink()
    (tmp_path / ".seed-0.safetensors.partial").write_bytes(b"cut off")
    assert main(words) == 0
    assert path.read_bytes() == content


def test_progress_is_for_terminals_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[str] = []
    train(Recipe.of("softmax", 5, 8, 10), (0,), str(tmp_path / "a"), lines.append)
    assert any("steps" in line for line in lines)
    main(["train", "softmax", "-L", "5", "-d", "8", "-B", "10", "--out", str(tmp_path / "b")])
    assert capsys.readouterr().err == ""


# --- interruption ---------------------------------------------------------------------

# Some seconds of work, of which the state is saved every few milliseconds.
LONG: Final = ("softmax-post-ln", 60, 8, 20)
OPTIONS: Final[dict[str, Any]] = {"optimizer": "adam", "batch": 64, "steps": 1500}
PROGRAM: Final = f"""
import signal, sys
from countbounds import cli
from countbounds.training import running
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
running._SAVED_EVERY = 0.02
sys.exit(cli.main([
    "train", "{LONG[0]}", "-L", "{LONG[1]}", "-d", "{LONG[2]}", "-B", "{LONG[3]}",
    "--optimizer", "adam", "--batch", "64", "--steps", "1500", "--seeds", "1", "--out", sys.argv[1],
]))
"""


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("uninterrupted")
    train(Recipe.of(*LONG, **OPTIONS), (0,), str(folder))
    return files(folder)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_training_resumes_and_ends_the_same(
    number: signal.Signals, uninterrupted: dict[str, bytes], tmp_path: Path
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        state = tmp_path / "seed-0.state"
        until = time.monotonic() + 60
        while not state.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        os.kill(process.pid, number)
        _, said = process.communicate()
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert said == "countbounds: Interrupted; the same command goes on from there.\n"
    else:
        assert process.returncode == -number
    assert state.exists()
    assert "seed-0.safetensors" not in files(tmp_path)
    train(Recipe.of(*LONG, **OPTIONS), (0,), str(tmp_path))
    assert files(tmp_path) == uninterrupted
