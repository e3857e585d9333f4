"""The documentation as a site; what the command line says about itself, and its completion."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import pytest

import countbounds
from countbounds.cli import _parser, main
from countbounds.figures.registry import FIGURES
from countbounds.variants import NAMES

ROOT: Final = Path(__file__).parent.parent
DOCS: Final = ROOT / "docs"


# --- the site -------------------------------------------------------------------------


class Page(HTMLParser):
    """What a page links to, what it loads, and what of it can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.names: set[str] = set()
        self.styles = ""
        self.inside = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Sort the addresses of a tag: links in the text are followed, all others loaded."""
        self.inside = tag
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.names.add(value)
            elif name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in ("href", "src", "srcset", "data", "poster", "action", "xlink:href"):
                self.loads.append(value or "")
            elif name == "style":
                self.styles += f"{value}\n"

    def handle_data(self, data: str) -> None:
        """Keep what stands in style sheets within the page."""
        if self.inside == "style":
            self.styles += f"{data}\n"


def is_elsewhere(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def target(page: Path, address: str) -> tuple[Path, str]:
    """The file that a relative address of a page stands for, and the place in it."""
    parts = urlsplit(address)
    name = unquote(parts.path)
    return ((page.parent / name).resolve() if name else page), unquote(parts.fragment)


def reached(pages: dict[Path, Page], start: Path) -> set[Path]:
    """All pages to which one comes by following links."""
    found = {start}
    waiting = [start]
    while waiting:
        page = waiting.pop()
        for link in pages[page].links:
            goal = target(page, link)[0]
            if not is_elsewhere(link) and goal in pages and goal not in found:
                found.add(goal)
                waiting.append(goal)
    return found


def dead(pages: dict[Path, Page]) -> list[str]:
    """Links and resources within the site that are not there."""
    found = []
    for path, page in pages.items():
        for address in [*page.links, *page.loads]:
            if not address or is_elsewhere(address) or urlsplit(address).scheme:
                continue
            goal, place = target(path, address)
            there = goal in pages and (not place or place in pages[goal].names)
            if not there and not (goal.is_file() and goal not in pages):
                found.append(f"{path.name}: {address}")
    return found


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_reads_offline(tmp_path: Path) -> None:
    site = tmp_path.resolve() / "html"
    options = ["-E", "-q", "-n", "-W", "--keep-going", "-d", str(tmp_path / "doctrees")]
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(DOCS), str(site)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert (built.stdout, built.stderr) == ("", "")
    pages = {path: Page(path) for path in site.rglob("*.html")}

    sources = {path.relative_to(DOCS) for path in DOCS.rglob("*.md")}
    written = {site / path.with_suffix(".html") for path in sources if path.parts[0] != "_build"}
    assert len(written) > 100
    assert written <= reached(pages, site / "index.html")
    assert not dead(pages)

    loads = {address for page in pages.values() for address in page.loads}
    assert any(address.endswith(".css") for address in {urlsplit(load).path for load in loads})
    assert not {address for address in loads if is_elsewhere(address)}
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    for style in [*styles, *(page.styles for page in pages.values())]:
        assert "@import" not in style
        assert not [
            part
            for part in style.split("url(")[1:]
            if is_elsewhere(part[: part.find(")")].strip("'\""))
        ]

    names = pages[site / "reference" / "api.html"].names
    assert {f"countbounds.{name}" for name in countbounds.__all__ if name[0] != "_"} <= names
    assert set(commands()) <= pages[site / "reference" / "cli.html"].names
    assert list((site / "_images").glob("*.png")), "the notebook draws"
    (offered,) = (link for link in pages[site / "notebook.html"].links if link.endswith(".ipynb"))
    cells = json.loads(target(site / "notebook.html", offered)[0].read_text("utf-8"))["cells"]
    assert all(cell["outputs"] for cell in cells if cell["cell_type"] == "code")
    assert not [cell for cell in cells if ".md)" in "".join(cell["source"])]


# --- help and completion --------------------------------------------------------------


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command."""
    for action in _parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise AssertionError("there are no commands")


@pytest.mark.parametrize("name", commands())
def test_the_help_of_a_command_ends_in_examples_that_are_understood(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    before, _, examples = capsys.readouterr().out.partition("\nexamples:\n")
    assert before.startswith(f"usage: countbounds {name} ")
    lines = [line.strip() for line in examples.splitlines()]
    assert lines
    for line in lines:
        program, *words = shlex.split(line)
        assert (program, words[0]) == ("countbounds", name)
        assert len(line) < 100
        _parser().parse_args(words)


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_is_printed_for_a_shell(
    shell: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--print-completion", shell])
    script, said = capsys.readouterr()
    assert (stop.value.code, said) == (0, "")
    assert script.endswith("\n")
    assert not script.endswith("\n\n")
    assert all(name in script for name in [*commands(), *NAMES, *FIGURES])
    if shutil.which(shell):
        (tmp_path / "script").write_text(script, encoding="utf-8")
        subprocess.run([shell, "-n", str(tmp_path / "script")], check=True, timeout=60)


def test_completion_is_refused_for_an_unknown_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--print-completion", "no-shell"]) == 2
    assert "bash" in capsys.readouterr().err


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ver", {"verify"}),
        ("check softmax-post-ln-", {"softmax-post-ln-learned"}),
        ("check softmax -L 10 --constr", {"--construction"}),
        ("check softmax --construction o", {"optimal"}),
        ("check softmax --out bo", {"bound.json"}),
        ("verify bo", {"bound.json"}),
        ("verify bound.json ot", {"other.json"}),
        ("audit la", {"layer.npz"}),
        ("audit layer.npz --config la", {"layer.npz"}),
        ("train softmax --out ru", {"runs"}),
        ("table bmin --variant ", set(NAMES)),
        ("table bmin --variant softmax-po", {"softmax-post-ln", "softmax-post-ln-learned"}),
        ("sweep --variants ", {"all", *NAMES}),
        ("sweep --variants a", {"all"}),
        ("figure ", set(FIGURES)),
        ("figure --data numbers.csv cos", {"costs"}),
    ],
)
def test_bash_completes(
    line: str, expected: set[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit):
        main(["--print-completion", "bash"])
    for name in ("bound.json", "other.json", "layer.npz"):
        (tmp_path / name).touch()
    (tmp_path / "runs").mkdir()
    words = ["countbounds", *line.split(" ")]
    script = (
        f"{capsys.readouterr().out}\n"
        f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; COMPREPLY=()\n"
        "_shtab_countbounds\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    assert set(done.stdout.split()) == expected


def test_what_completion_needs_is_loaded_only_for_it() -> None:
    code = (
        "import sys; from countbounds.cli import _parser; _parser(); "
        "sys.exit(bool({'shtab', 'countbounds.figures'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": ""})
