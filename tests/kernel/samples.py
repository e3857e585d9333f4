"""One certificate of each kind and theorem, small enough to check thousands of times."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from typing import Any

from countbounds.bounds import b_min, cap_certificate, l_max, refutation, search
from countbounds.certificate import certificate, write_vectors

BRACKETS = (
    ("linear", 1, 3),
    ("linear", 7, 5),
    ("linear-pre-ln", 1, 4),
    ("linear-pre-ln", 6, 3),
    ("softmax", 1, 3),
    ("softmax", 2, 16),
    ("softmax", 3, 3),
    ("softmax", 9, 4),
    ("softmax", 6, 4000),
    ("softmax-post-ln", 1, 3),
    ("softmax-post-ln", 5, 3),
    ("softmax-post-ln", 30, 16),
    ("softmax-post-ln-learned", 2, 3),
    ("softmax-post-ln-learned", 12, 16),
    ("softmax-post-ln-learned", 40, 3),
    ("softmax-pre-ln", 1, 3),
    ("softmax-pre-ln", 4, 3),
    ("softmax-pre-ln", 6, 3),
    ("softmax-pre-ln", 12, 3),
    ("softmax-pre-ln-learned", 1, 3),
    ("softmax-pre-ln-learned", 3, 4),
    ("softmax-pre-ln-learned", 8, 4),
    ("softmax-pre-ln-learned", 6, 40),
)


@cache
def texts() -> dict[str, str]:
    """Name -> text of the certificate."""
    found: dict[str, Any] = {
        f"bracket {variant} {length} {dim}": b_min(variant, length, dim, 6).certificate
        for variant, length, dim in BRACKETS
    }
    for variant, dim in (("linear", 5), ("linear-pre-ln", 3)):
        found[f"exact {variant}"] = b_min(variant, 4, dim, 6, exact=True).certificate
    found["longest softmax"] = l_max("softmax", "5/2", 16).certificate
    found["longest post-LN"] = l_max("softmax-post-ln", 10, 16).certificate
    found["longest of nothing"] = l_max("linear-pre-ln", "1/100", 16).certificate
    found["unbounded"] = l_max("linear", 2, 16).certificate
    found["cap"] = cap_certificate(3)
    refuted = refutation("softmax", 10, 16, Fraction(5))
    assert refuted is not None
    found["impossible"] = refuted[1]
    optimum = search("softmax", 10, 16, 3)
    claim = {"kind": "possible", "length": 10, "bound": str(optimum.upper)}
    found["possible"] = certificate("softmax", 16, claim, write_vectors(optimum.parameters))
    return {name: json.dumps(content) for name, content in found.items()}
