"""Tables as text, Markdown, CSV, JSON and LaTeX."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds.formats import FORMATS, as_json, as_table

COLUMNS: Final = {"name": "variant", "count": "L_max ~", "flag": "L + 1 guaranteed"}
ROWS: Final[list[dict[str, Any]]] = [
    {"name": "softmax", "count": 15, "flag": False},
    {"name": "softmax-post-ln", "count": None, "flag": True},
    {"name": "a, b; \"c\" 'd'", "count": 10**40, "flag": None},
]
AWKWARD: Final = (
    "[red]text[/red]",
    "[1]",
    ":warning:",
    "a|b",
    "*a* _b_ **c**",
    r"\alpha \\ {x}",
    "50 % & #1 $2 ~3 ^4",
    "<= 3 > 2",
    "1e-10000",
    "9" * 300,
    "two  spaces",
    "L_cap = Theta(exp(sqrt(d)))",
    "\u00e9\u03b1\u2264",
)


def rows_of(cells: Sequence[str]) -> list[dict[str, Any]]:
    return [{"name": cell, "count": index, "flag": None} for index, cell in enumerate(cells)]


# --- JSON -----------------------------------------------------------------------------


def test_json_is_one_object_with_the_schema_first() -> None:
    text = as_table(ROWS, COLUMNS, "json")
    assert text.endswith("}\n")
    content = json.loads(text)
    assert list(content) == ["schema", "rows"]
    assert content["schema"] == 1
    assert content["rows"] == ROWS


def test_json_keeps_every_key_and_every_digit() -> None:
    extra: Mapping[str, Any] = {"name": "x", "count": 10**60, "flag": True, "more": {"n": 1}}
    assert json.loads(as_table([extra], COLUMNS, "json"))["rows"] == [extra]
    assert json.loads(as_json({"text": "\u03b1 \u2264"})) == {"schema": 1, "text": "\u03b1 \u2264"}


def test_json_of_nothing() -> None:
    assert json.loads(as_table([], COLUMNS, "json")) == {"schema": 1, "rows": []}


# --- CSV ------------------------------------------------------------------------------


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), min_size=1))
def test_csv_parses_back(cells: list[str]) -> None:
    cells = [cell.replace("\r", "") for cell in cells]
    text = as_table(rows_of(cells), COLUMNS, "csv")
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    assert header == list(COLUMNS)
    assert lines == [[cell, str(index), "-"] for index, cell in enumerate(cells)]


def test_csv_of_the_sample() -> None:
    text = as_table(ROWS, COLUMNS, "csv")
    assert "\r" not in text
    _, *lines = csv.reader(io.StringIO(text))
    assert lines == [
        ["softmax", "15", "no"],
        ["softmax-post-ln", "-", "yes"],
        ["a, b; \"c\" 'd'", str(10**40), "-"],
    ]
    assert as_table([], COLUMNS, "csv") == "name,count,flag\n"


# --- Markdown -------------------------------------------------------------------------


def markdown_cells(line: str) -> list[str]:
    """The cells of one row; an escaped bar does not end a cell."""
    assert line.startswith("| ")
    assert line.endswith(" |")
    return re.split(r" (?<!\\)\| ", line[2:-2])


def test_markdown_rows_have_as_many_cells_as_columns() -> None:
    lines = as_table(rows_of(AWKWARD), COLUMNS, "markdown").splitlines()
    assert len(lines) == len(AWKWARD) + 2
    assert markdown_cells(lines[0]) == ["variant", r"L\_max ~", "L + 1 guaranteed"]
    assert markdown_cells(lines[1]) == ["---"] * 3
    for cell, line in zip(AWKWARD, lines[2:], strict=True):
        shown, _, dash = markdown_cells(line)
        assert dash == "-"
        assert not re.search(r"(?<!\\)[|*_]", shown), "would be markup"
        assert re.sub(r"\\([|*_])", r"\1", shown) == cell


# --- LaTeX ----------------------------------------------------------------------------


TYPESET: Final = {
    r"\textbackslash{}": "\\", r"\^{}": "^", r"$\sim$": "~", r"\~{}": "~", "$<$": "<", "$>$": ">",
    r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<", "$|$": "|",
    r"\textgreater{}": ">", r"\textbar{}": "|", **{f"\\{letter}": letter for letter in "#%&$_{}"},
}  # fmt: skip


def untex(cell: str) -> str:
    """The text that a LaTeX cell typesets; fails at a special character that is not escaped."""
    codes = "|".join(map(re.escape, TYPESET))
    rest = re.sub(codes, "", cell)
    assert not re.search(r"[#%&$_^~{}\\]", rest), cell
    return re.sub(codes, lambda found: TYPESET[found.group()], cell)


def test_latex_escapes_what_is_special() -> None:
    lines = as_table(rows_of(AWKWARD), COLUMNS, "latex").splitlines()
    assert lines[0] == r"\begin{tabular}{lll}"
    assert lines[1] == lines[3] == lines[-2] == r"\hline"
    assert lines[-1] == r"\end{tabular}"
    body = [lines[2], *lines[4:-2]]
    assert all(line.endswith(r" \\") for line in body)
    cells = [re.split(r" (?<!\\)& ", line.removesuffix(r" \\")) for line in body]
    assert [untex(cell) for cell in cells[0]] == list(COLUMNS.values())
    assert [untex(line[0]) for line in cells[1:]] == list(AWKWARD)


def test_latex_leaves_formulas_alone() -> None:
    formula = r"$\frac{L^{3/2}}{\sqrt{32 d}}$"
    text = as_table(rows_of([formula, "costs $5"]), COLUMNS, "latex")
    assert formula + " & 0" in text
    assert r"costs \$5 & 1" in text


# --- text -----------------------------------------------------------------------------


class Terminal(io.StringIO):
    """A standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], width: int) -> str:
    """The text table as a terminal of that width shows it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "stdout", Terminal())
        patched.setenv("COLUMNS", str(width))
        return as_table(rows, columns, "text")


def flat(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("cell", AWKWARD)
def test_text_shows_every_cell_as_it_is(cell: str) -> None:
    text = as_table(rows_of(["x", cell]), COLUMNS, "text")
    assert cell in text
    assert all(line == line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize("width", [1, 5, 20, 40, 80, 300])
def test_no_cell_is_cut_at_any_width(width: int) -> None:
    cells = ["0123456789" * 5, "softmax-post-ln-learned", "1e-10000"]
    rows = [{"name": cell, "count": 7, "flag": True} for cell in cells]
    text = on_terminal(rows, COLUMNS, width)
    assert "\u2026" not in text
    letters = flat(text)
    for cell in cells:
        assert all(letters.count(letter) >= cell.count(letter) for letter in set(cell))


def columns_at(text: str, start: int, end: int | None) -> str:
    return flat("".join(line[start:end] for line in text.splitlines()))


def test_a_narrow_terminal_folds_cells() -> None:
    columns = {"name": "n", "count": "c"}
    rows = [{"name": "0123456789" * 4, "count": "x"}, {"name": "abc", "count": "9" * 12}]
    text = on_terminal(rows, columns, 30)
    assert max(map(len, text.splitlines())) <= 30
    split = next(line for line in text.splitlines() if line.startswith("abc")).index("9")
    assert columns_at(text, 0, split).replace("-", "") == "n" + "0123456789" * 4 + "abc"


def test_what_is_piped_is_never_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    assert not sys.stdout.isatty()
    cells = ["0123456789" * 50, "x y " * 40 + "z"]
    text = as_table(rows_of(cells), COLUMNS, "text")
    assert len(text.splitlines()) == len(cells) + 2
    assert all(cell in text for cell in cells)


def test_text_needs_no_more_than_ascii_for_its_rules() -> None:
    assert as_table(ROWS, COLUMNS, "text").isascii()


def test_numbers_are_set_to_the_right() -> None:
    lines = as_table(ROWS, COLUMNS, "text").splitlines()
    end = lines[0].index("L_max ~") + len("L_max ~")
    digits = next(line for line in lines if "1000000" in line)
    assert digits.index("1" + "0" * 40) + 41 == max(end, digits.index("1" + "0" * 40) + 41)
    assert len({line.rindex("15") + 2 for line in lines if "15" in line}) == 1
    assert lines[2].index("15") + 2 == digits.index("1" + "0" * 40) + 41


# --- all of them ----------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_ends_with_one_newline(form: str) -> None:
    for rows in (ROWS, ROWS[:1], []):
        text = as_table(rows, COLUMNS, form)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
