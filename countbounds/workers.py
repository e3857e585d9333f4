"""What a process that computes for another one does when it starts."""

from __future__ import annotations

import os
import signal
import threading
import time

_SECONDS = 1.0


def begin(parent: int, *, ending: bool = False) -> None:
    """End when the process that started this one has ended, and leave Ctrl-C to it.

    Args:
        parent: its number.
        ending: whether Ctrl-C ends this process, without a word; otherwise it is ignored.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL if ending else signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End at once when the parent is gone, which takes no leave when it is killed."""
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os._exit(1)
