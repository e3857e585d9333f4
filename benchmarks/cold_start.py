"""Whole processes from a cold start, against the interpreter and the library they need."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.timing import process_seconds

CHECKPOINT = (
    Path(__file__).parent.parent / "tests" / "data" / "checkpoints" / "counts-to-100.safetensors"
)


def cold_starts() -> Iterator[dict[str, str]]:
    """Rows: a command, what it is measured against, and the ratio of the two."""
    command = str(Path(sys.executable).parent / "countbounds")
    python = sys.executable
    pairs = (
        (["--version"], "pass"),
        (["check", "softmax-post-ln", "-L", "1000", "-d", "16"], "import flint"),
        (["check", "softmax", "-L", "1000000000000000000", "-d", "16"], "import flint"),
        (["cap", "-d", "16"], "import flint"),
        (["table", "3"], "import flint"),
        (["audit", str(CHECKPOINT), "-L", "1e6"], "import flint, numpy, safetensors"),
    )
    for words, statement in pairs:
        ours, base = process_seconds([[command, *words], [python, "-c", statement]])
        yield {
            "command": " ".join(["countbounds", *(Path(word).name for word in words)]),
            "command_ms": f"{ours * 1e3:.0f}",
            "alternative": f'python -c "{statement}"',
            "alternative_ms": f"{base * 1e3:.0f}",
            "ratio": f"{ours / base:.2f}",
        }
