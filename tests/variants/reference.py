"""Values of B_min computed elsewhere, in tests/data/b_min.json."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

REFERENCE: Final[list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent.parent / "data" / "b_min.json").read_text("utf-8")
)["values"]


def reference(name: str) -> list[tuple[int, int, Fraction]]:
    """The values of one variant as (L, d, B_min), L >= 4, where B_min is finite."""
    return [
        (entry["length"], entry["dim"], Fraction(entry["b_min"]))
        for entry in REFERENCE
        if entry["variant"] == name and entry["b_min"] is not None
    ]
