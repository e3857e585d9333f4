"""The command where PyTorch is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from countbounds.cli import main


@pytest.fixture(autouse=True)
def _no_torch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.chdir(tmp_path)


def test_the_extra_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["train", "softmax", "-L", "5", "-d", "4"]) == 2
    shown, said = capsys.readouterr()
    assert shown == ""
    assert said == (
        "countbounds: Training needs PyTorch; install the extra, "
        "pip install 'countbounds[torch]'.\n"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["softmax", "-L", "0", "-d", "4"], "length L of a training"),
        (["softmax", "-L", "5", "-d", "4", "--seeds", "x"], "The seeds are"),
        (["softmax", "-L", "5", "-d", "4", "--optimizer", "sgd"], "invalid choice"),
        (["softmax", "-L", "5", "-d", "4", "--steps", "many"], "number of steps"),
        (["softmax", "-d", "4"], "-L/--length"),
    ],
)
def test_wrong_calls_are_told_without_it(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *words]) == 2
    assert said in capsys.readouterr().err
