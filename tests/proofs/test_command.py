"""`countbounds prove`: what it prints, saves and returns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from countbounds import prove
from countbounds.errors import InputError
from countbounds.proving import running
from countbounds.proving.library import library, run
from countbounds.proving.proof import Statement, Theorem
from tests.test_cli import run as command

x = sp.Symbol("x")


def test_rows(capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, said = command(capsys, "prove", "letters-are-free", "--jobs", "1", "--json")
    assert (status, said) == (0, "")
    content = json.loads(shown)
    assert content["schema"] == 1
    (row,) = content["rows"]
    assert (row["theorem"], row["verdict"], row["steps"]) == ("letters-are-free", "PROVED", 4)
    assert float(row["seconds"]) >= 0


def test_what_a_theorem_uses_is_run_too(capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, _ = command(capsys, "prove", "least-weight-of-curves", "--jobs", "2")
    assert status == 0
    assert shown.count("PROVED") == 2
    assert "least-weight-and-value" in shown


def test_steps_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, _ = command(capsys, "prove", "letters-are-free", "--verbose", "--jobs", "1")
    assert status == 0
    assert "given delta: (delta <= 1) & (delta > 0)" in shown
    assert "qed: " in shown
    assert "[z3]" in shown


def test_lists(capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, _ = command(capsys, "prove", "--list", "--json")
    assert status == 0
    assert [row["theorem"] for row in json.loads(shown)["rows"]] == list(library())
    status, shown, _ = command(capsys, "prove", "--axioms", "--json")
    assert status == 0
    rows = json.loads(shown)["rows"]
    assert {row["kind"] for row in rows} == {"rule", "axiom"}
    assert all(row["says"] for row in rows)


def test_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "record.json"
    words = ("prove", "cauchy-schwarz", "--jobs", "1", "--record", str(path))
    assert command(capsys, *words)[0] == 0
    content = json.loads(path.read_text("utf-8"))
    assert set(content["versions"]) == {"countbounds", "sympy", "python-flint", "z3-solver"}
    (row,) = content["rows"]
    assert row["statement"]["conclusion"] == "<u,v>**2 <= <u,u>*<v,v>"
    assert row["proof"][-1]["rule"] == "qed"
    assert len(row["sha256"]) == 64


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("no-such-theorem",), "--list"),
        (("letters-are-free", "--jobs", "0"), "at least 1"),
        (("letters-are-free", "--record", "no/such/folder/file"), "does not exist"),
    ],
)
def test_misuse(words: tuple[str, ...], hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, said = command(capsys, "prove", *words)
    assert (status, shown) == (2, "")
    assert hint in said


def test_what_is_not_proved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    false = Theorem("false", Statement("It is not so", "nowhere", x > 0), lambda p: p.qed())
    on_it = Theorem(
        "on it", Statement("Nor is this", "nowhere", x + 1 > 0), lambda p: p.qed(p.use("false", {}))
    )
    known: dict[str, Any] = {"false": false, "on it": on_it}
    for module in ("library", "running"):
        monkeypatch.setattr(f"countbounds.proving.{module}.library", lambda: known)
    monkeypatch.setattr(running, "run_named", lambda name: run(known[name], known))
    status, shown, _ = command(capsys, "prove", "on it", "--jobs", "1")
    assert status == 1
    assert shown.count("NOT PROVED") == 2
    assert "it uses false, which is not proved" in shown
    assert "counterexample" in shown


def test_in_python() -> None:
    assert prove(["cauchy-schwarz"], jobs=1)["cauchy-schwarz"].verdict == "PROVED"
    with pytest.raises(InputError, match="no theorem"):
        prove(["fermat"])
