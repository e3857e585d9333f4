"""The page as a file, and in a browser."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from countbounds.cli import main
from countbounds.errors import InputError
from countbounds.figures.registry import FIGURES
from countbounds.kernel import verify
from countbounds.report import build as building
from countbounds.report.build import build, formula
from countbounds.report.folder import require_folder
from countbounds.report.pictures import CAPTIONS, HEADINGS
from countbounds.tables import TABLE3_COLUMNS, table3
from tests.report.browser import in_browser, leave

BOUNDS: Final = ("10", "30")
SMALL: Final[dict[str, Any]] = {
    "bounds": BOUNDS,
    "variants": ["softmax", "softmax-post-ln", "softmax-pre-ln"],
    "lengths": [10, 1000],
    "figures": ["cap", "gaps"],
}
VOID: Final = {"br", "col", "hr", "img", "input", "link", "meta"}


class Page(HTMLParser):
    """Elements with their attributes, tables as text, and whether all tags are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.titled = 0
        self._open: list[str] = []
        self._table = ""
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "title" and self._open[-1] == "svg":
            self.titled += 1
        if tag not in VOID:
            self._open.append(tag)
        if tag == "table":
            self._table = dict(attrs)["id"] or ""
            self.tables[self._table] = []
        elif tag == "tr":
            self.tables[self._table].append([])
        elif tag in ("td", "th"):
            self.tables[self._table][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self._open or "th" in self._open:
            self.tables[self._table][-1][-1] += data.strip()

    def all(self, *tags: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag in tags]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "site"
    found = build(str(folder), **SMALL)
    assert (found.certificates, found.figures) == (6, ("cap", "gaps"))
    assert [path.name for path in folder.parent.iterdir()] == ["site"]
    return folder


@pytest.fixture(scope="module")
def text(site: Path) -> str:
    return (site / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_structure(page: Page) -> None:
    assert page.elements[0] == ("html", {"lang": "en"})
    assert len(page.all("h1")) == 1
    levels = [int(tag[1]) for tag, _ in page.elements if tag in ("h1", "h2", "h3", "h4")]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(set(names)) == len(names)
    for name in ("aria-labelledby", "aria-describedby", "for"):
        assert {found[name] for _, found in page.elements if name in found} <= set(names)
    assert all(region["tabindex"] == "0" for region in page.all("div") if "role" in region)


def test_every_picture_and_every_control_has_words(page: Page) -> None:
    pictures = page.all("svg")
    assert len(pictures) == 3
    assert page.titled == len(pictures)
    assert all(found["role"] == "img" and found["aria-label"] for found in pictures)
    assert not page.all("img")
    labelled = {label["for"] for label in page.all("label")}
    for control in page.all("input", "select"):
        assert control["id"] in labelled or control["aria-label"]


def test_nothing_is_loaded_from_elsewhere(page: Page, text: str) -> None:
    assert "http://" not in text
    assert "https://" not in text
    assert "@import" not in text
    assert not [found for found in page.all("script", "iframe") if "src" in found]
    assert "default-src 'none'" in text
    # A style sheet inside a picture would reach the whole page.
    assert len(page.all("style")) == 1
    assert text.count("</script") == 1


def test_links_lead_somewhere(page: Page, site: Path) -> None:
    names = {attributes.get("id") for _, attributes in page.elements}
    files = set()
    for link in page.all("a"):
        target = link["href"] or ""
        if target.startswith("#"):
            assert target[1:] in names
        else:
            files.add(target)
    assert files == {f"certificates/{path.name}" for path in (site / "certificates").iterdir()}
    assert len(files) == 6


def test_certificates(page: Page, site: Path) -> None:
    for row in page.tables["brackets"][1:]:
        name, length, dim, lower, _, proof, *_ = row
        assert proof == "certificateVERIFIED"
        file = site / "certificates" / f"{name}-L{length}-d{dim}.json"
        claim = verify(file.read_text(encoding="utf-8"))
        assert claim.startswith(f"{name}, d = {dim}: ")
        assert ("is the longest length" in claim) == (lower == "inf")


def test_table_3_has_the_numbers_of_the_table(page: Page) -> None:
    head, *rows = page.tables["table3"]
    assert head == list(TABLE3_COLUMNS.values())
    known = [row.as_dict() for row in table3(BOUNDS)]
    shown = {None: "-", True: "yes", False: "no"}
    assert len(known) == 6
    for row, cells in zip(known, rows, strict=True):
        values = [row[key] for key in TABLE3_COLUMNS]
        assert cells == [
            shown[value] if isinstance(value, bool | None) else str(value) for value in values
        ]


def test_table_1_raises_exponents(text: str) -> None:
    assert "L<sup>3/2</sup>" in text
    assert "**" not in text[: text.index("<script>")]
    assert formula("exp(a) < L**(-2)*d") == "exp(a) &lt; L<sup>&minus;2</sup>·d"


def test_every_figure_says_what_is_exact() -> None:
    assert set(CAPTIONS) == set(HEADINGS) <= set(FIGURES)


def test_the_same_page_twice(site: Path, text: str, tmp_path: Path) -> None:
    again = tmp_path / "again"
    build(str(again), **SMALL)
    assert (again / "index.html").read_text(encoding="utf-8") == text


def test_a_report_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    small = {**SMALL, "figures": [], "variants": ["softmax"], "bounds": ["10"]}
    build(str(folder), **{**small, "lengths": [10, 20]})
    assert len(list((folder / "certificates").iterdir())) == 2
    build(str(folder), **{**small, "lengths": [30]})
    assert [path.name for path in (folder / "certificates").iterdir()] == ["softmax-L30-d16.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ("site/notes.txt", "no report wrote"),
        ("site/index.html", "no report wrote"),
        ("site", "is a file"),
    ],
)
def test_what_is_in_the_way_stays(
    made: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / made
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine", encoding="utf-8")
    assert main(["report", "--out", str(tmp_path / "site")]) == 2
    assert message in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_file_added_to_a_report_stays(site: Path) -> None:
    added = site / "certificates" / "notes.txt"
    added.write_text("mine", encoding="utf-8")
    try:
        with pytest.raises(InputError, match="no report wrote"):
            require_folder(str(site))
    finally:
        added.unlink()
    assert require_folder(str(site)) == site.resolve()


@pytest.mark.parametrize(
    ("folder", "message"),
    [("", "no name"), (".", "inside it"), ("missing/site", "does not exist")],
)
def test_wrong_folders(
    folder: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        build(folder, **SMALL)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, OSError])
@pytest.mark.parametrize("before", ["nothing", "a report"])
def test_a_failure_leaves_what_was_there(
    before: str, error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "site"
    small = {**SMALL, "figures": [], "lengths": [10], "variants": ["softmax"], "bounds": ["10"]}
    if before == "a report":
        build(str(folder), **small)
    known = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    def fail() -> Iterator[Any]:
        raise error

    monkeypatch.setattr(building, "table1", fail)
    with pytest.raises(InputError if error is OSError else error):
        build(str(folder), **small)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == known


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_what_is_missing_is_named(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(InputError, match=r"countbounds\[report\]"):
        build(str(tmp_path / "site"), **SMALL)
    assert list(tmp_path.iterdir()) == []


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(building, "build", lambda out, progress: build(out, **SMALL))
    assert main(["report", "--out", "site"]) == 0
    page = Path("site") / "index.html"
    assert capsys.readouterr() == (f"{page}: 6 certificates VERIFIED\n", "")
    assert main(["report", "--out", "site", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["folder"], found["certificates"]) == ("site", 6)


# --- in a browser -----------------------------------------------------------------------

# Runs in the page: what it looks like, then what its controls do.
PROBE: Final = """(() => {
  const root = document.documentElement;
  const seen = {
    inner: window.innerWidth,
    scroll: Math.max(root.scrollWidth, document.body.scrollWidth),
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    colours: ["body", "a", ".note", "figcaption", ".verified", "thead th", "button"].map((name) => {
      const found = document.querySelector(name);
      let behind = found;
      const paper = (of) => getComputedStyle(of).backgroundColor;
      while (paper(behind) === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
      return [name, getComputedStyle(found).color, paper(behind)];
    }),
    texts: [...document.querySelectorAll("svg text")].map((found) => getComputedStyle(found).fill),
    outside: [...document.querySelectorAll("main *")].filter(
      (found) => !found.closest(".scroll, #plot")
        && found.getBoundingClientRect().right > innerWidth
    ).length,
    verdicts: [],
  };
  const say = () => seen.verdicts.push([
    document.getElementById("verdict").dataset.answer,
    document.getElementById("verdict").textContent,
    document.getElementById("plot").getAttribute("aria-label"),
  ]);
  const set = (name, value, kind = "input") => {
    const control = document.getElementById(name);
    control.value = value;
    control.dispatchEvent(new Event(kind));
    say();
  };
  say();
  set("B-range", 0);
  set("B-range", document.getElementById("B-range").max);
  set("B-number", "55");
  set("variant", "softmax", "change");
  set("B-number", "none");
  seen.problem = document.getElementById("B-problem").textContent;
  document.getElementById("to-smallest").click();
  say();
  document.getElementById("to-guaranteed").click();
  say();
  set("L-range", 0);
  set("L-number", "1000000000");
  seen.number = document.getElementById("L-number").value;
  seen.after = Math.max(root.scrollWidth, document.body.scrollWidth);

  const text = (name) => document.getElementById(name).textContent;
  set("L-number", "1e12");
  seen.beyond = ["verdict", "fact-smallest", "fact-command"].map(text);
  seen.waiting = ["to-smallest", "to-guaranteed"].map(
    (name) => document.getElementById(name).disabled
  );
  set("L-number", "1000000");
  set("d-number", "1000000");
  document.getElementById("to-guaranteed").click();
  say();
  seen.level = text("fact-worst");
  set("L-number", "2");
  set("B-number", "1.00000000001");
  return seen;
})()"""


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").rstrip(")").split(",")]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_a_browser(text: str, width: int, scheme: str, tmp_path: Path) -> None:
    # Chromium's own window is never narrower than 500 pixels; a frame in it can be.
    narrow = width < 500
    probe = leave(PROBE, "parent.document" if narrow else "document")
    probed = text.replace("</body>", f"{probe}</body>")
    if narrow:
        probed = (
            f'<body><iframe srcdoc="{escape(probed)}" width={width} height=900></iframe></body>'
        )
    seen = in_browser(
        probed,
        tmp_path / "browser",
        f"--window-size={max(width, 800)},900",
        f"--blink-settings=preferredColorScheme={int(scheme == 'light')}",
    )
    assert (seen["inner"], seen["dark"]) == (width, scheme == "dark")
    assert max(seen["scroll"], seen["after"]) <= width
    assert seen["outside"] == 0
    for name, ink, paper in seen["colours"]:
        assert contrast(ink, paper) >= 4.5, name
    paper = next(paper for name, _, paper in seen["colours"] if name == "body")
    assert seen["texts"]
    assert all(contrast(ink, paper) >= 4.5 for ink in seen["texts"])

    answers = [answer for answer, _, _ in seen["verdicts"]]
    assert answers[:5] == ["possible", "impossible", "counts", "possible", "possible"]
    assert answers[5] == "none"
    assert seen["problem"].startswith("The bound B is a number from")
    assert seen["verdicts"][5][1] == f"No verdict. {seen['problem']}"
    assert seen["verdicts"][5][2].startswith("No curve")
    assert answers[6:9] == ["possible", "counts", "counts"]
    assert "impossible" in answers[9]
    assert seen["number"] == "1000000000"
    leads = {words.split(".")[0] for _, words, _ in seen["verdicts"]}
    assert leads == {"Counts", "Possible, but this construction fails", "Impossible", "No verdict"}
    assert "of softmax for n from 0 to 1000000000" in seen["verdicts"][9][2]

    wrong = "The length L is an integer from 1 to 1,000,000,000."
    assert seen["beyond"] == [f"No verdict. {wrong} The buttons that set B wait for it.", "-", "-"]
    assert seen["waiting"] == [True, True]
    assert answers[-3] == "counts"
    assert seen["level"].startswith("1/2 within rounding at n = ")
    assert seen["level"].endswith(" (< 1/2 by the guarantee)")
    assert " 1.00000000001 " in seen["verdicts"][-1][1]
