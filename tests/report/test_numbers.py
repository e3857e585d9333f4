"""The numbers of the explorer, computed by its JavaScript, against those of Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest

from countbounds.bounds import b_min
from countbounds.checking import check, exact_bracket
from countbounds.model import Model
from countbounds.report.build import EXPLORED
from countbounds.rings import HighPrecision
from countbounds.variants import variant
from tests.report.browser import in_browser, in_node, leave

SCRIPT: Final = files("countbounds.report").joinpath("report.js").read_text(encoding="utf-8")
CELLS: Final = [
    (name, length, dim)
    for name in EXPLORED
    for length in (*range(1, 15), 37, 100, 251, 1000, 10**5, 10**6)
    for dim in (3, 16, 257, 4096)
]
FAR: Final = [
    *((name, 10**9, 16) for name in EXPLORED),
    ("softmax-post-ln", 10**6 + 1, 3),
    ("softmax-post-ln-learned", 2 * 10**6, 10**6),
    ("softmax-post-ln-learned", 10**9, 10**6),
]
# Small and large weights, bounds that the score limits, and all verdicts.
CHECKED: Final = [
    (name, length, dim, bound)
    for name in EXPLORED
    for length, dim, bound in (
        (1, 3, "0.5"),
        (2, 16, "1.49"),
        (5, 16, "1"),
        (10, 16, "6.5"),
        (10, 4096, "20"),
        (50, 10**6, "60"),
        (100, 16, "50.4"),
        (100, 16, "55"),
        (100, 16, "60"),
        (1000, 16, "500"),
        (1000, 16, "1e4"),
        (10**5, 16, "1e3"),
        (10**6, 64, "7e5"),
    )
]
ANSWERS: Final = {"counts": "counts", "fails": "possible", "impossible": "impossible"}

Evaluate = Callable[[str, list[Any]], list[Any]]


@pytest.fixture(params=["node", pytest.param("chromium", marks=pytest.mark.browser)])
def evaluate(request: pytest.FixtureRequest, tmp_path: Path) -> Evaluate:
    """Calls of one function of the script, for each list of arguments."""

    def run(function: str, calls: list[Any]) -> list[Any]:
        value = f"{json.dumps(calls)}.map((given) => countbounds.{function}(...given))"
        if request.param == "node":
            script = f"{SCRIPT}\nconsole.log(JSON.stringify({value}));\n"
            found: list[Any] = in_node(script, tmp_path / function)
            return found
        page = f"<!DOCTYPE html><body><script>{SCRIPT}</script>{leave(value)}</body>"
        seen: list[Any] = in_browser(page, tmp_path / function)
        return seen

    return run


def test_the_smallest_bound(evaluate: Evaluate) -> None:
    for cell, found in zip(CELLS, evaluate("smallest", [list(c) for c in CELLS]), strict=True):
        known = b_min(*cell, digits=12)
        assert known.lower is not None
        assert found["lower"] == found["upper"], cell
        assert found["lower"] == pytest.approx(float(known.lower), rel=1e-9, abs=0), cell


def test_brackets_beyond_the_longest_that_is_searched(evaluate: Evaluate) -> None:
    for cell, found in zip(FAR, evaluate("smallest", [list(c) for c in FAR]), strict=True):
        known = b_min(*cell, digits=12)
        assert known.lower is not None
        assert known.upper is not None
        slack = 1 if found["lower"] < found["upper"] else 1 + 1e-9
        assert found["lower"] <= float(known.upper) * slack, cell
        assert found["upper"] * slack >= float(known.lower), cell
        assert found["upper"] < 1.01 * found["lower"], cell


def test_the_guarantee(evaluate: Evaluate) -> None:
    for cell, found in zip(CELLS, evaluate("guaranteed", [list(c) for c in CELLS]), strict=True):
        name, length, dim = cell
        known = exact_bracket(variant(name).guaranteed_bound(length, dim))
        assert known.upper is not None
        assert found == pytest.approx(float(known.upper), rel=1e-12, abs=0), cell


def test_verdicts_and_worst_errors(evaluate: Evaluate) -> None:
    calls = [[name, length, dim, float(bound)] for name, length, dim, bound in CHECKED]
    seen = set()
    for case, found in zip(CHECKED, evaluate("verdict", calls), strict=True):
        known = check(*case)
        assert known.worst_error is not None
        assert known.worst_error.upper is not None
        assert found["answer"] == ANSWERS[known.verdict], case
        exact = float(known.worst_error.upper)
        assert found["worst"]["error"] == pytest.approx(exact, rel=1e-9, abs=1e-9), case
        seen.add((case[0], found["answer"]))
    assert len(seen) == 3 * len(EXPLORED)


def test_a_tie_is_left_to_the_command(evaluate: Evaluate) -> None:
    # y(2, 0) = 3/2 exactly
    (found,) = evaluate("verdict", [["softmax", 2, 16, 1.5]])
    assert found["answer"] == "close"
    assert check("softmax", 2, 16, "1.5").verdict == "fails"


def test_the_curve(evaluate: Evaluate) -> None:
    calls, known = [], []
    ring = HighPrecision(40)
    for name in EXPLORED:
        for length, dim, bound in ((20, 16, "1.25"), (20, 16, "15"), (40, 4096, "20")):
            model = Model(variant(name).layer, variant(name).build(length, dim, Fraction(bound)))
            for n, m in ((0, 0), (0, length), (1, 0), (7, 5), (length, 0)):
                calls.append([name, dim, float(bound), n, m])
                known.append(float(model.forward(n, m, ring) - n))
    assert evaluate("error", calls) == pytest.approx(known, rel=1e-9, abs=1e-9)
