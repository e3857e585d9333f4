"""Results in words, for a terminal."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from countbounds.checking import CheckResult
from countbounds.decimals import Bracket, decimal

if TYPE_CHECKING:
    from countbounds.bounds import Longest, SmallestBound

VERBS = {
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
    verb = VERBS[result.verdict]
    head = (
        f"{result.variant} {verb} L = {result.length} at d = {result.dim}, "
        f"B = {decimal(result.bound)}\n"
    )
    if result.refuted is not None:
        rows.append(("no parameters", f"of norm <= {decimal(result.refuted)} count"))
    return head + "".join(f"  {name:<14}{text}\n" for name, text in rows)


def describe_impossible(result: CheckResult) -> str:
    """One sentence: why no parameters count, at the bound or at any."""
    if result.refuted is not None:
        return (
            f"{result.variant} cannot count to L = {result.length} at d = {result.dim}: no "
            f"parameters of norm <= {decimal(result.refuted)} do."
        )
    return (
        f"{result.variant} counts at d = {result.dim} to L_cap({result.dim}) = "
        f"{result.longest} at most, at any bound; L = {result.length} is impossible."
    )


def describe_smallest(result: SmallestBound) -> str:
    """A few lines: the bracket of B_min, and what it is measured against."""
    place = f"{result.variant} at L = {result.length}, d = {result.dim}"
    if result.lower is None or result.upper is None:
        return f"{place}: no bound is enough ({result.regime})\n"
    rows = [
        ("B_min", str(Bracket(result.lower, result.upper))),
        ("from", decimal(result.lower)),
        ("to", decimal(result.upper)),
        ("regime", result.regime + ("" if result.exact else " (the two sides do not meet)")),
    ]
    compared = (
        ("published", result.published),
        ("B_min / rate", result.ratio_to_rate),
        ("its limit", result.sharp_constant),
    )
    rows += [(name, str(value)) for name, value in compared if value is not None]
    return f"{place}\n" + "".join(f"  {name:<14}{text}\n" for name, text in rows)


def describe_longest(result: Longest) -> str:
    """One or two lines: L_max."""
    place = f"{result.variant} at B = {decimal(result.bound)}, d = {result.dim}"
    if result.unbounded:
        return f"{place}: every length, by parameters that depend on it\n"
    own = "" if result.published is None else f" (published construction: {result.published})"
    if result.length is not None:
        return f"{place}: L_max = {result.length}{own}\n"
    return f"{place}: L_max is between {result.lower} and {result.upper}{own}\n"


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
        side = " = 1/2" if error.is_exact and error.lower == half else " >= 1/2"
    return f"{error}{side} at {at}"
