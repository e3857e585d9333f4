"""The fenced code blocks of a Markdown file: found, read as a console session, rewritten."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROMPT: Final = "$ "
GAP: Final = "..."

_FENCE = re.compile(r"(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`]*)")


@dataclass(frozen=True)
class Block:
    """One fenced block; `line` is the number of its first line inside the fence."""

    path: Path
    ordinal: int
    line: int
    info: tuple[str, ...]
    indent: str
    lines: tuple[str, ...]

    @property
    def language(self) -> str:
        """The first word after the fence, or nothing."""
        return self.info[0] if self.info else ""

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line}"


@dataclass(frozen=True)
class Step:
    """One command of a console block with what the block shows below it."""

    command: str
    source: tuple[str, ...]
    output: tuple[str, ...]


def read_blocks(path: Path) -> list[Block]:
    """All fenced blocks of a file, in order."""
    blocks: list[Block] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        opening = _FENCE.fullmatch(lines[at])
        at += 1
        if opening is None:
            continue
        first = at
        while at < len(lines) and not _closes(lines[at], opening["ticks"]):
            at += 1
        if at == len(lines):
            raise ValueError(f"{path.name}:{first}: this fence is never closed")
        indent = opening["indent"]
        body = tuple(line.removeprefix(indent) for line in lines[first:at])
        info = tuple(opening["info"].split())
        blocks.append(Block(path, len(blocks), first + 1, info, indent, body))
        at += 1
    return blocks


def _closes(line: str, ticks: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(ticks) and set(bare) == {"`"}


def read_steps(block: Block) -> list[Step]:
    """The commands of a console block; a command that ends in a backslash goes on below."""
    steps: list[Step] = []
    rest = list(block.lines)
    if rest and not rest[0].startswith(PROMPT):
        raise ValueError(f"{block}: a console block starts with `{PROMPT}command`")
    while rest:
        source = [rest.pop(0)]
        command = source[0].removeprefix(PROMPT)
        while command.endswith("\\") and rest:
            source.append(rest.pop(0))
            command = command[:-1] + source[-1].removeprefix("> ").lstrip()
        output: list[str] = []
        while rest and not rest[0].startswith(PROMPT):
            output.append(rest.pop(0))
        steps.append(Step(command.strip(), tuple(source), tuple(output)))
    return steps


def matches(expected: Sequence[str], actual: Sequence[str]) -> bool:
    """Whether the lines agree, where a line `...` stands for any number of lines.

    Spaces at the end of a line are not compared: nobody can see them.

    >>> matches(["a", "...", "d"], ["a", "b", "c", "d"])
    True
    >>> matches(["a", "...", "d"], ["a", "b", "c"])
    False
    """
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == GAP else re.escape(line.rstrip()) + r"\n"
        for line in expected
    )
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in actual)) is not None


def difference(expected: Sequence[str], actual: Sequence[str]) -> str:
    """What would have to change in the document, as a diff."""
    return "\n".join(
        difflib.unified_diff(
            [line.rstrip() for line in expected],
            [line.rstrip() for line in actual],
            "shown in the document",
            "printed",
            lineterm="",
        )
    )


def rewrite(block: Block, lines: Sequence[str]) -> None:
    """Put new lines into a block, which is found by its place among the file's blocks."""
    if tuple(lines) == block.lines:
        return
    current = read_blocks(block.path)[block.ordinal]
    document = block.path.read_text(encoding="utf-8").splitlines()
    start = current.line - 1
    document[start : start + len(current.lines)] = [
        (block.indent + line).rstrip() for line in lines
    ]
    block.path.write_text("\n".join(document) + "\n", encoding="utf-8")
