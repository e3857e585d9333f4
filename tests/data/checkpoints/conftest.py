"""The script that makes the checkpoints needs PyTorch, and is no test."""

from __future__ import annotations

collect_ignore = ["make.py"]
