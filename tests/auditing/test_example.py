"""The example that readers copy from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "train_and_audit.py"


@pytest.mark.torch
def test_a_layer_is_trained_saved_and_audited(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, str(EXAMPLE)],
        cwd=tmp_path,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert "right on" in done.stdout
    assert "what is in the file" in done.stdout
    assert "count to L = 10" in done.stdout or "counts to L = 10" in done.stdout
    assert {path.suffix for path in tmp_path.iterdir()} == {".safetensors", ".pt"}
    again = [sys.executable, "-m", "countbounds", "audit", "counter.pt", "-L", "10", "--json"]
    second = subprocess.run(again, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert second.returncode == done.returncode
