"""The theorems of proofs/, their runs, and what comes of them."""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from countbounds.errors import CountboundsError
from countbounds.proving.proof import NotDischargedError, Proof, Statement, Step, Theorem

PROVED, NOT_PROVED = "PROVED", "NOT PROVED"


@dataclass(frozen=True)
class Run:
    """What came of running a theorem's proof.

    Attributes:
        theorem: its name.
        steps: the steps that were discharged.
        uses: the theorems that it rests on.
        fault: why it is not proven; empty if all its own steps are.
        seconds: how long it took.
    """

    theorem: str
    steps: tuple[Step, ...]
    uses: tuple[str, ...]
    fault: str
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """The verdict on a theorem.

    Attributes:
        run: the run of its own proof.
        verdict: `PROVED` or `NOT PROVED`.
        reason: why not, empty if proven.
    """

    run: Run
    verdict: str
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """The row that the command line prints."""
        return {
            "theorem": self.run.theorem,
            "verdict": self.verdict,
            "steps": len(self.run.steps),
            "seconds": f"{self.run.seconds:.2f}",
            "reason": self.reason,
        }


@cache
def library() -> dict[str, Theorem]:
    """All theorems by name, in the order of the modules of proofs/ and of their definitions."""
    import proofs

    found: dict[str, Theorem] = {}
    for module in sorted(pkgutil.iter_modules(proofs.__path__), key=lambda info: info.name):
        for theorem in importlib.import_module(f"proofs.{module.name}").__dict__.values():
            if isinstance(theorem, Theorem):
                found[theorem.name] = theorem
    if not found:
        raise CountboundsError(f"There are no theorems in {list(proofs.__path__)}.")
    return found


def run(theorem: Theorem, known: Mapping[str, Theorem]) -> Run:
    """Run a proof; whatever goes wrong in it makes it fail."""
    begun = time.perf_counter()
    steps: list[Step] = []
    proof: Proof | None = None
    fault = ""
    try:
        proof = Proof(theorem, known, steps)
        theorem.prove(proof)
        if not proof.finished:
            fault = "the proof does not reach its conclusion"
    except NotDischargedError as error:
        fault = str(error)
    except (Exception, SystemExit) as error:  # a fault in a proof's own code proves nothing
        fault = f"{type(error).__name__}: {error}"
    used = sorted(proof.used) if proof is not None else []
    return Run(theorem.name, tuple(steps), tuple(used), fault, time.perf_counter() - begun)


def run_named(name: str) -> Run:
    """Run the proof of a theorem of the library."""
    known = library()
    return run(known[name], known)


def judged(runs: Mapping[str, Run]) -> dict[str, Outcome]:
    """Verdicts: a theorem is proven if its run is, and all that it uses, without a circle."""
    found: dict[str, Outcome] = {}

    def reason(name: str, above: tuple[str, ...]) -> str:
        if name in above:
            return f"circular: {' -> '.join((*above[above.index(name) :], name))}"
        if name in found:
            return found[name].reason
        if name not in runs:
            return f"{name} was not run"
        fault = runs[name].fault
        for used in runs[name].uses:
            fault = fault or (
                reason(used, (*above, name)) and f"it uses {used}, which is not proved"
            )
        return fault

    for name, one in runs.items():
        why = reason(name, ())
        found[name] = Outcome(one, NOT_PROVED if why else PROVED, why)
    return found


def described(statement: Statement) -> dict[str, Any]:
    """A statement in text, for records and pages."""
    return {
        "title": statement.title,
        "source": statement.source,
        "words": statement.words,
        "integers": [str(symbol) for symbol in statement.integers],
        "vectors": list(statement.vectors),
        "entries": {str(s): [str(f) for f in fs] for s, fs in statement.entries.items()},
        "hypotheses": {name: str(formula) for name, formula in statement.hypotheses.items()},
        "conclusion": str(statement.conclusion),
    }


def record(outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
    """A record of a run: statements, steps, versions and a hash of each theorem's statement."""
    import json
    from importlib.metadata import version

    rows = []
    for name, outcome in outcomes.items():
        statement = described(library()[name].statement)
        text = json.dumps(statement, sort_keys=True)
        rows.append(
            {
                **outcome.as_dict(),
                "statement": statement,
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
                "uses": list(outcome.run.uses),
                "proof": [asdict(step) for step in outcome.run.steps],
            }
        )
    packages = ("countbounds", "sympy", "python-flint", "z3-solver")
    return {"versions": {name: version(name) for name in packages}, "rows": rows}
