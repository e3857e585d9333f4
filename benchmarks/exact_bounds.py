"""B_min and its certificates: the search, and the kernel's verification, at growing L.

The alternative is what a user would otherwise do: a general-purpose optimiser over the raw
vectors, checked on every input, which finds an upper value only and proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.timing import median_seconds, single_run
from countbounds.bounds import b_min, search
from countbounds.certificate import as_text
from countbounds.kernel import verify

DIM = 64
VARIANTS = (
    "linear",
    "linear-pre-ln",
    "softmax",
    "softmax-post-ln",
    "softmax-post-ln-learned",
)


def searches() -> Iterator[dict[str, str]]:
    """Rows: milliseconds to find and to verify a bracket."""
    for name in (*VARIANTS, "softmax-pre-ln"):
        base = 0.0
        for power in (3, 9, 18):
            length = 10**power
            if name == "softmax-pre-ln" and power > 3:
                continue
            for digits in (12, 50):
                found = median_seconds(partial(search, name, length, DIM, digits))
                certificate = b_min(name, length, DIM, digits).certificate
                assert certificate is not None
                checked = median_seconds(partial(verify, as_text(certificate)))
                if power == 3 and digits == 12:
                    base = checked
                yield {
                    "variant": name,
                    "length": f"10^{power}",
                    "digits": str(digits),
                    "search_ms": f"{found * 1e3:.1f}",
                    "kernel_ms": f"{checked * 1e3:.1f}",
                    "kernel_times_first": f"{checked / base:.1f}",
                }


def optimise(length: int, starts: int, steps: int) -> float:
    """Random search for bare post-LN parameters in R^3: the least bound found that counts."""
    random = np.random.default_rng(0)
    n = np.arange(length + 1)
    best = float("inf")
    for _ in range(starts):
        point, width = random.normal(size=(3, 3)), 1.0
        value = float("inf")
        for _ in range(steps):
            trial = point + width * random.normal(size=(3, 3))
            hidden = trial[0][:, None] + trial[1][:, None] * n
            hidden = hidden - hidden.mean(axis=0)
            y = trial[2] @ (hidden / np.linalg.norm(hidden, axis=0)) * np.sqrt(3)
            # Scaling w to the best slope leaves this much error.
            scale = float(y @ n / (y @ y))
            excess = float(np.abs(scale * y - n).max())
            score = excess if excess >= 0.5 else -1 / (abs(scale) * float(np.linalg.norm(trial[2])))
            if score < value:
                point, value = trial, score
            else:
                width = max(width * 0.999, 1e-9)
        if value < 0:
            best = min(best, -1 / value)
    return best


def against_optimiser() -> Iterator[dict[str, str]]:
    """Rows: an optimiser's time and value beside the certified bracket's."""
    for length in (5, 10, 20):
        exact = b_min("softmax-post-ln", length, 3, 12)
        ours = median_seconds(partial(b_min, "softmax-post-ln", length, 3, 12))
        value = [0.0]

        def run(length: int = length, value: list[float] = value) -> None:
            value[0] = optimise(length, 4, 4000)

        taken = single_run(run)
        assert exact.lower is not None
        yield {
            "length": str(length),
            "random_search": f"{value[0]:.6g}",
            "B_min": f"{float(exact.lower):.12g}",
            "random_search_ms": f"{taken * 1e3:,.0f}",
            "bmin_ms": f"{ours * 1e3:.1f}",
            "ratio": f"{taken / ours:,.0f}",
        }
