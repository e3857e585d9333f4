"""What the kernel accepts and refuses: every field of every kind of certificate."""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import countbounds.kernel
from countbounds.kernel import RejectedError, verify
from tests.kernel.samples import texts

NAMES = sorted(texts())


@pytest.mark.parametrize("name", NAMES)
def test_every_certificate_is_verified(name: str) -> None:
    content = json.loads(texts()[name])
    claim = verify(texts()[name])
    assert claim.startswith(f"{content['variant']}, d = {content['dim']}: ")


def paths(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside a JSON document."""
    if path:
        yield path
    items: Any = ()
    if isinstance(content, dict):
        items = content.items()
    elif isinstance(content, list):
        items = enumerate(content)
    for key, value in items:
        yield from paths(value, (*path, key))


def replaced(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(content))
    place = copy
    for key in path[:-1]:
        place = place[key]
    if value is Ellipsis:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return copy


def at(content: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        content = content[key]
    return content


def spoiled(content: Any, path: tuple[Any, ...]) -> Any:
    """A value that makes the field wrong, whatever the rest is."""
    value = at(content, path)
    kind = content["claim"]["kind"]
    named: dict[Any, Any] = {
        "dim": 2,
        "refuted": "1/1000000",
        "upper": "1/1000000",
        "lower": "1000000",
        "bound": "1/1000000" if kind in ("possible", "cap", "unbounded") else "1000000",
        "length": value + 1 if kind == "longest" and isinstance(value, int) else 0,
        "ratio": "-1000001/3",
        "at": "-1000001/3",
    }
    if path[-1] in named and not isinstance(value, (dict, list)):
        return named[path[-1]]
    if path[-2:-1] == ("between",):
        return "1/7"
    if isinstance(value, str) and isinstance(path[-1], int):
        return str(Fraction(value) + 10**9)  # an entry: no norm allows it
    if isinstance(value, int):
        return not value if isinstance(value, bool) else value + 10**6
    return {} if value is None else "something else" if isinstance(value, str) else None


@pytest.mark.parametrize("name", NAMES)
def test_each_field_when_spoiled_is_refused(name: str) -> None:
    content = json.loads(texts()[name])
    for path in paths(content):
        mutated = json.dumps(replaced(content, path, spoiled(content, path)))
        with pytest.raises(RejectedError):
            verify(mutated)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_filled_in_and_nothing_ignored(name: str) -> None:
    content = json.loads(texts()[name])
    for path in paths(content):
        with pytest.raises(RejectedError):
            verify(json.dumps(replaced(content, path, ...)))
        if isinstance(at(content, path), dict):
            with pytest.raises(RejectedError):
                verify(json.dumps(replaced(content, (*path, "note"), "x")))
    with pytest.raises(RejectedError):
        verify(json.dumps({**content, "note": "x"}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "NaN",
        "1e400",
        '{"format": "countbounds certificate"}',
        "[" * 100_000,
        '{"a":' * 50_000,
        "9" * 5_000,
        '"' + "9" * 5_000_000 + '"',
        "\ufeff{}",
    ],
    ids=range(12),
)
def test_what_is_no_certificate(text: str) -> None:
    with pytest.raises(RejectedError):
        verify(text)


def test_a_repeated_field_is_refused() -> None:
    text = texts()["possible"]
    with pytest.raises(RejectedError, match="twice"):
        verify(text[:-1] + ', "dim": 16}')


@pytest.mark.parametrize(
    "written",
    [
        "2/4",
        "+1",
        " 1",
        "1.0",
        "1e3",
        "01",
        "-0",
        "1/1",
        "1/-2",
        "0/3",
        "٣",
        "1_0",
        "inf",
        "nan",
        "",
    ],
)
def test_numbers_have_one_form(written: str) -> None:
    content = json.loads(texts()["possible"])
    with pytest.raises(RejectedError):
        verify(json.dumps(replaced(content, ("claim", "bound"), written)))


@pytest.mark.parametrize("value", [True, 1.0, "1", None, 2])
def test_the_version_is_one(value: Any) -> None:
    content = json.loads(texts()["possible"])
    with pytest.raises(RejectedError):
        verify(json.dumps(replaced(content, ("version",), value)))


def test_a_claim_for_another_variant_is_refused() -> None:
    content = json.loads(texts()["bracket softmax 9 4"])
    for variant in ("linear", "softmax-post-ln", "softmax-pre-ln", "softmax-pre-ln-learned", "gru"):
        with pytest.raises(RejectedError):
            verify(json.dumps({**content, "variant": variant}))


def test_a_stronger_claim_is_refused() -> None:
    for name in NAMES:
        content = json.loads(texts()[name])
        claim = content["claim"]
        if claim["kind"] == "bracket":
            lower, upper = Fraction(claim["lower"]), Fraction(claim["upper"])
            for field, value in (("lower", upper * 1001 / 1000), ("upper", lower * 999 / 1000)):
                with pytest.raises(RejectedError):
                    verify(json.dumps(replaced(content, ("claim", field), str(value))))


def test_the_kernel_is_alone_and_small() -> None:
    """Standard library only, and at most 565 lines of code without docstrings and comments."""
    total = 0
    for path in sorted(Path(countbounds.kernel.__file__).parent.glob("*.py")):
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                top = name.split(".")[0]
                assert top in sys.stdlib_module_names or name.startswith("countbounds.kernel"), name
        total += code_lines(source, tree)
    assert 300 < total <= 565


def code_lines(source: str, tree: ast.Module) -> int:
    docstrings: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
            node
        ):
            first = node.body[0]
            docstrings |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    skipped = (
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    )
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in skipped:
            lines |= set(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def test_the_kernel_runs_alone(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(texts()["impossible"], encoding="utf-8")
    bad.write_text(texts()["impossible"][:-3], encoding="utf-8")
    program = [sys.executable, "-S", "-m", "countbounds.kernel"]
    root = Path(countbounds.kernel.__file__).parents[2]

    def run(*files: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*program, *files], cwd=root, capture_output=True, text=True, check=False
        )

    done = run(str(good))
    assert done.returncode == 0
    assert done.stdout.startswith("VERIFIED softmax, d = 16: no parameters of norm <= ")
    done = run(str(good), str(bad))
    assert done.returncode == 1
    assert done.stdout.splitlines()[1].startswith("REJECTED ")
    assert run(str(tmp_path / "none.json")).returncode == 2
    assert run().returncode == 2
