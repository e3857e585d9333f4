"""Trainings of several seeds in one folder, resumed where they were interrupted."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from countbounds.auditing.report import Audit
from countbounds.decimals import Bracket, rounded
from countbounds.training.checkpoint import as_bytes, read
from countbounds.training.descent import Training
from countbounds.training.extra import load_torch, one_thread
from countbounds.training.files import Folder
from countbounds.training.judge import judge
from countbounds.training.recipe import Recipe

_SAVED_EVERY = 5.0  # seconds

Say = Callable[[str], None]


@dataclass(frozen=True)
class Trained:
    """One trained seed.

    Attributes:
        seed: the seed.
        steps: the optimiser steps that were made, in all runs.
        seconds: what this run spent on training it; 0 for one that was finished before.
        checkpoint: the file of its vectors.
        audit: what they are worth.
    """

    seed: int
    steps: int
    seconds: float
    checkpoint: Path
    audit: Audit

    @property
    def max_norm(self) -> Bracket:
        """An enclosure of the largest norm of a vector."""
        norms = self.audit.norms.values()
        return max(norms, key=lambda norm: norm.upper or 0)

    def as_dict(self) -> dict[str, Any]:
        """The row with numbers as text, as the command line prints it in JSON."""
        found = self.audit.as_dict()
        return {
            "seed": self.seed,
            **{key: found[key] for key in _AUDITED},
            "max_norm": self.max_norm.as_strings(),
            "steps": self.steps,
            "seconds": round(self.seconds, 3),
            "checkpoint": str(self.checkpoint),
        }

    def as_cells(self) -> dict[str, Any]:
        """The row for reading."""
        found = self.audit
        at = found.worst_input
        reach, best = found.reach, found.optimum
        longest: int | str | None = None
        if best is not None:
            longest = "unbounded" if best.unbounded else best.length
            if longest is None:
                longest = f"{best.length_lower} to {best.length_upper}"
        return {
            "seed": self.seed,
            "verdict": found.verdict,
            "worst_error": _short(found.worst_error),
            "worst_input": None if at is None else f"({at[0]}, {at[1]})",
            "counts_up_to": f">= {reach.lower}" if reach.length is None else reach.length,
            "max_norm": _short(self.max_norm),
            "longest": longest,
            "steps": self.steps,
            "seconds": f"{self.seconds:.1f}",
            "checkpoint": str(self.checkpoint),
        }


_AUDITED = (
    "verdict",
    "worst_error",
    "worst_input",
    "counts_up_to",
    "counts_up_to_lower",
    "counts_up_to_upper",
    "norms",
    "optimal_length_at_these_norms",
    "optimum",
)

COLUMNS = {
    "seed": "seed",
    "verdict": "verdict",
    "worst_error": "worst error",
    "worst_input": "at (n, m)",
    "counts_up_to": "counts up to",
    "max_norm": "largest norm",
    "longest": "L_max",
    "steps": "steps",
    "seconds": "seconds",
    "checkpoint": "checkpoint",
}


def train(
    recipe: Recipe, seeds: Sequence[int], out: str | None = None, say: Say = lambda line: None
) -> list[Trained]:
    """Train every seed that is not finished yet, and judge them all.

    Args:
        recipe: what is trained, and how.
        seeds: the seeds.
        out: the folder for checkpoints, curves and states; by default `recipe.folder()`.
        say: called with a line about what is being worked on.

    Returns:
        a row for each seed, judged from its file.

    Raises:
        InputError: if PyTorch is missing, the folder cannot be used or belongs to another
            training, or a file in it is damaged.
        KeyboardInterrupt: on Ctrl-C; what was reached is saved, and the same call goes on.
    """
    load_torch()
    folder = Folder(recipe.folder() if out is None else out, recipe)
    rows = []
    for seed in seeds:
        began = time.monotonic()
        if not folder.checkpoint(seed).exists():
            with one_thread():
                _train_one(recipe, seed, folder, say)
        trained = time.monotonic() - began
        folder.forget(seed)
        say(f"seed {seed}: deciding every input up to L = {recipe.length}")
        path = folder.checkpoint(seed)
        steps = read(path).steps
        rows.append(Trained(seed, steps, trained, path, judge(path, recipe.length)))
    return rows


def _train_one(recipe: Recipe, seed: int, folder: Folder, say: Say) -> None:
    """Train a seed to its end, from its saved state where there is one."""
    training = Training(recipe, seed)
    state = folder.state(seed)
    if state.exists():
        training.load(state.read_bytes())
    saved = time.monotonic()
    with _interrupt_waits() as interrupted:
        while not training.finished:
            training.advance()
            if interrupted.is_set():
                folder.write(state, training.save())
                raise KeyboardInterrupt
            if time.monotonic() - saved >= _SAVED_EVERY:
                folder.write(state, training.save())
                saved = time.monotonic()
            say(
                f"seed {seed}: {training.step:,} of at most {recipe.steps:,} steps, worst error "
                f"{training.best_error:.4g}"
            )
    # The checkpoint comes last: a seed that has one is finished.
    folder.write(folder.curve(seed), training.curve.as_csv().encode())
    content = as_bytes(recipe, seed, training.step, training.vectors())
    folder.write(folder.checkpoint(seed), content)


@contextmanager
def _interrupt_waits() -> Iterator[threading.Event]:
    """Let the first Ctrl-C wait until the optimiser has finished its steps; the second not."""
    event = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    elsewhere = threading.current_thread() is not threading.main_thread()
    if elsewhere or before in (signal.SIG_IGN, None):  # not ours to change
        yield event
        return

    def note(number: int, frame: FrameType | None) -> None:
        event.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)


def _short(bracket: Bracket | None) -> str | None:
    """Six digits of an enclosure, rounded up, for a table."""
    if bracket is None:
        return None
    return "inf" if bracket.upper is None else rounded(bracket.upper, 6, up=True)
