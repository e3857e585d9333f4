"""Running proofs: one after the other or on several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from countbounds import workers
from countbounds.decimals import shorten
from countbounds.errors import InputError
from countbounds.proving.axioms import AXIOMS, RULES
from countbounds.proving.library import Outcome, Run, described, judged, library, run_named


def prove(
    names: Sequence[str] = (),
    jobs: int | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> dict[str, Outcome]:
    """Run the proofs of theorems, and of all that they use.

    Args:
        names: which; all of proofs/ if none is given.
        jobs: how many processes; by default one for each core.
        progress: is told how far it got.

    Returns:
        The outcomes by name, the theorems asked for first.

    Raises:
        InputError: if a name is not that of a theorem.

    >>> {name: outcome.verdict for name, outcome in prove(["letters-are-free"], jobs=1).items()}
    {'letters-are-free': 'PROVED'}
    """
    known = library()
    for name in names:
        if name not in known:
            raise InputError(
                f"There is no theorem {shorten(repr(name))}; countbounds prove --list shows them."
            )
    runs: dict[str, Run] = {}
    wanted = list(dict.fromkeys(names or known))
    while wanted:
        for one in _run_all(wanted, jobs or os.cpu_count() or 1):
            runs[one.theorem] = one
            progress(f"{len(runs)} proofs run")
        wanted = sorted(
            {
                used
                for one in runs.values()
                for used in one.uses
                if used in known and used not in runs
            }
        )
    progress("")
    return judged(runs)


def _run_all(names: Sequence[str], jobs: int) -> Iterator[Run]:
    if min(jobs, len(names)) == 1:
        yield from map(run_named, names)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children

    processes = min(jobs, len(names))
    others = set(active_children())
    begin = partial(workers.begin, os.getpid(), ending=True)
    with ProcessPoolExecutor(processes, initializer=begin) as pool:
        try:
            yield from pool.map(run_named, names)
        except BaseException:
            # Not by shutdown: it waits for the proofs that are running.
            for process in set(active_children()) - others:
                process.terminate()
            raise


def axioms() -> list[dict[str, str]]:
    """All that a proof rests on besides its deciders: rules and axioms, in words."""
    rows = [{"kind": "rule", "name": name, "says": words} for name, words in RULES.items()]
    return rows + [
        {"kind": "axiom", "name": name, "says": axiom.words} for name, axiom in AXIOMS.items()
    ]


def listed() -> list[dict[str, Any]]:
    """The theorems: name, title, what it says in a sentence."""
    return [
        {"theorem": name, "title": theorem.statement.title, "words": theorem.statement.words}
        for name, theorem in library().items()
    ]


def in_words(outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    """Statements and steps, a line each, with what discharged them."""
    for name, outcome in outcomes.items():
        statement = described(library()[name].statement)
        yield f"{name}: {statement['title']} ({statement['source']})"
        for label, formula in statement["hypotheses"].items():
            yield f"  given {label}: {formula}"
        for step in outcome.run.steps:
            why = f" -- {step.why}" if step.why else ""
            by = f" [{step.by}]" if step.by else ""
            yield f"  {'  ' * step.depth}{step.rule}: {step.claim}{by}{why}"
        yield f"  {outcome.verdict}{': ' if outcome.reason else ''}{outcome.reason}"
        yield ""
