"""Timing: medians of repeated runs in one process, or of whole processes."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from functools import partial


def median_seconds(work: Callable[[], object], *, at_least: float = 0.3, runs: int = 5) -> float:
    """Median wall time of one call, over at least `runs` calls and `at_least` seconds."""
    work()
    times: list[float] = []
    while len(times) < runs or sum(times) < at_least:
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def single_run(work: Callable[[], object]) -> float:
    """Wall time of one call, for work that takes seconds."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def finish(command: Sequence[str]) -> None:
    """Run a process to its end.

    Raises:
        AssertionError: if it says that something went wrong.
    """
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 1):  # 1: the claim is refuted, which is an answer
        raise AssertionError(f"{command} ends with {done.returncode}")


def process_seconds(
    commands: Sequence[Sequence[str]], runs: int = 15, *, warm: bool = True
) -> list[float]:
    """Median wall time of whole processes, the commands taking turns.

    Args:
        commands: what is run.
        runs: how often each is timed.
        warm: whether each is run once before, untimed.
    """
    times: list[list[float]] = [[] for _ in commands]
    for turn in range(runs + warm):
        for command, taken in zip(commands, times, strict=True):
            seconds = single_run(partial(finish, command))
            if turn >= warm:
                taken.append(seconds)
    return [statistics.median(taken) for taken in times]
