"""What a trained layer is worth: its stored numbers, decided on every input."""

from __future__ import annotations

import os

from countbounds.auditing.report import Audit, audit


def judge(path: str | os.PathLike[str], length: int) -> Audit:
    """Decide a checkpoint on its whole domain, and compare it with the optimum.

    Args:
        path: the file.
        length: L.

    Raises:
        InputError: if the file is damaged.
    """
    return audit(path, length)
