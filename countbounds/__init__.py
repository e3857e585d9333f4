"""countbounds: how large must the weights of an attention layer be to count to L?

The names below are loaded when first used, so importing the package costs nothing.
"""

from __future__ import annotations

__version__ = "0.2.0"

TYPE_CHECKING = False  # type checkers know the name; importing typing would cost start-up time
if TYPE_CHECKING:
    from typing import Any

    from countbounds.auditing.layer import Affine as Affine
    from countbounds.auditing.layer import TrainedLayer as TrainedLayer
    from countbounds.auditing.layer import TrainedNorm as TrainedNorm
    from countbounds.auditing.report import Audit as Audit
    from countbounds.auditing.report import audit as audit
    from countbounds.bounds import Longest as Longest
    from countbounds.bounds import SmallestBound as SmallestBound
    from countbounds.bounds import b_min as b_min
    from countbounds.bounds import l_max as l_max
    from countbounds.checking import CheckResult as CheckResult
    from countbounds.checking import check as check
    from countbounds.checking import length_cap as length_cap
    from countbounds.closed_forms import show as show
    from countbounds.curve import AffineOverRoot as AffineOverRoot
    from countbounds.curve import GivenCurve as GivenCurve
    from countbounds.curve import LinearFractional as LinearFractional
    from countbounds.domain import WorstError as WorstError
    from countbounds.domain import worst_error as worst_error
    from countbounds.heads.report import HeadCheck as HeadCheck
    from countbounds.heads.report import check_head as check_head
    from countbounds.heads.storage import Storage as Storage
    from countbounds.heads.storage import storage as storage
    from countbounds.kernel import verify as verify
    from countbounds.layer import Layer as Layer
    from countbounds.layer import Parameters as Parameters
    from countbounds.model import Model as Model
    from countbounds.proving.running import prove as prove
    from countbounds.sweeping.grid import Grid as Grid
    from countbounds.sweeping.sweep import Swept as Swept
    from countbounds.sweeping.sweep import sweep as sweep
    from countbounds.tables import table1 as table1
    from countbounds.tables import table2 as table2
    from countbounds.tables import table3 as table3
    from countbounds.training.recipe import Recipe as Recipe
    from countbounds.training.running import train as train
    from countbounds.vectors import Vector as Vector

_HOME = {
    "Affine": "auditing.layer",
    "AffineOverRoot": "curve",
    "Audit": "auditing.report",
    "CheckResult": "checking",
    "GivenCurve": "curve",
    "Grid": "sweeping.grid",
    "HeadCheck": "heads.report",
    "Layer": "layer",
    "LinearFractional": "curve",
    "Longest": "bounds",
    "Model": "model",
    "Parameters": "layer",
    "Recipe": "training.recipe",
    "SmallestBound": "bounds",
    "Storage": "heads.storage",
    "Swept": "sweeping.sweep",
    "TrainedLayer": "auditing.layer",
    "TrainedNorm": "auditing.layer",
    "Vector": "vectors",
    "WorstError": "domain",
    "audit": "auditing.report",
    "b_min": "bounds",
    "check": "checking",
    "l_max": "bounds",
    "check_head": "heads.report",
    "length_cap": "checking",
    "prove": "proving.running",
    "show": "closed_forms",
    "storage": "heads.storage",
    "sweep": "sweeping.sweep",
    "table1": "tables",
    "table2": "tables",
    "table3": "tables",
    "train": "training.running",
    "verify": "kernel",
    "worst_error": "domain",
}

__all__ = ["__version__", *_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(f"countbounds.{_HOME[name]}"), name)
    raise AttributeError(f"module 'countbounds' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
