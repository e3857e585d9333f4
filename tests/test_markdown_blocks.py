from pathlib import Path

import pytest

from tests.markdown_blocks import Step, difference, matches, read_blocks, read_steps, rewrite

DOCUMENT = """\
# Title

```console
$ first \\
>   --flag
one

two
$ echo $?
1
```

- item

  ````console slow
  $ second
  ```
  ````

```python
>>> 1 + 1
2
```
"""


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(DOCUMENT, encoding="utf-8")
    return path


def test_blocks_are_found_with_their_place_and_words(document: Path) -> None:
    first, second, third = read_blocks(document)
    assert (str(first), first.info) == ("page.md:4", ("console",))
    assert (str(second), second.info, second.lines) == (
        "page.md:16",
        ("console", "slow"),
        ("$ second", "```"),
    )
    assert (str(third), third.language) == ("page.md:21", "python")


def test_steps_join_continued_lines_and_keep_the_output(document: Path) -> None:
    block = read_blocks(document)[0]
    assert read_steps(block) == [
        Step("first --flag", ("$ first \\", ">   --flag"), ("one", "", "two")),
        Step("echo $?", ("$ echo $?",), ("1",)),
    ]


def test_an_open_fence_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("```console\n$ a\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"page\.md:1: this fence is never closed"):
        read_blocks(path)


def test_output_without_a_command_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("```console\nonly output\n```\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"page\.md:2: a console block starts with"):
        read_steps(read_blocks(path)[0])


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ([], [], True),
        ([], ["a"], False),
        (["a"], ["a  "], True),
        (["a"], [" a"], False),
        (["a"], ["a", ""], False),
        (["a."], ["ab"], False),
        (["..."], [], True),
        (["...", "b"], ["a", "a", "b"], True),
        (["...", "b"], ["a", "b", "c"], False),
        (["a", "...", "c", "..."], ["a", "c"], True),
        (["a..."], ["ab"], False),
    ],
)
def test_a_gap_stands_for_whole_lines_only(
    expected: list[str], actual: list[str], same: bool
) -> None:
    assert matches(expected, actual) is same


def test_a_difference_shows_both_sides() -> None:
    assert difference(["a", "b"], ["a", "c"]).splitlines()[-2:] == ["-b", "+c"]


def test_rewriting_keeps_the_rest_and_later_blocks_are_still_found(document: Path) -> None:
    first, second, _ = read_blocks(document)
    rewrite(first, ["$ first", "1", "2", "3", "4", "5", "6", "7", "8"])
    rewrite(second, ["$ second", "", "new"])
    text = document.read_text(encoding="utf-8")
    assert "7\n8\n```\n\n- item\n\n  ````console slow\n  $ second\n\n  new\n  ````\n" in text
    assert text.startswith("# Title\n\n```console\n$ first\n1\n")
    assert text.endswith("```python\n>>> 1 + 1\n2\n```\n")
