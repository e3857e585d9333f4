"""Results in words, for a terminal."""

from __future__ import annotations

from fractions import Fraction

from countbounds.checking import CheckResult
from countbounds.decimals import Bracket, decimal

_VERDICTS = {
    "counts": "counts to",
    "fails": "fails to count to",
    "undecided": "is undecided at",
    "impossible": "cannot count to",
}


def describe_check(result: CheckResult) -> str:
    """A few lines that say what was decided, and by which input."""
    assert result.bound is not None
    assert result.worst_error is not None
    rows = [
        ("construction", f"{result.construction}, guaranteed from B = {result.guaranteed_bound}"),
        ("inputs", f"all {result.domain_size:,} (n, m) with n + m <= {result.length:,}"),
        ("worst error", _worst(result, result.worst_error)),
        ("largest norm", str(result.max_norm)),
    ]
    verb = _VERDICTS[result.verdict]
    head = (
        f"{result.variant} {verb} L = {result.length} at d = {result.dim}, "
        f"B = {decimal(result.bound)}\n"
    )
    return head + "".join(f"  {name:<14}{text}\n" for name, text in rows)


def _worst(result: CheckResult, error: Bracket) -> str:
    if result.worst_input is None:
        return "not found within the precision limit"
    at = "n = {}, m = {}".format(*result.worst_input)
    if error.lower is None:
        return f"the output is undefined at {at}"
    half = Fraction(1, 2)
    side = ""
    if error.upper is not None and error.upper < half:
        side = " < 1/2"
    elif error.lower >= half:
        side = " >= 1/2" if error.lower > half else " = 1/2"
    return f"{error}{side} at {at}"
