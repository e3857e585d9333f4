"""An audit in words, for a terminal."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from countbounds.decimals import Bracket, decimal, significant
from countbounds.describe import VERBS

if TYPE_CHECKING:
    from countbounds.auditing.report import Audit

_HALF = Fraction(1, 2)
_MOST_NORMS = 12


def input_in_words(names: tuple[str, ...], counts: tuple[int, ...]) -> str:
    """An input, token by token.

    >>> input_in_words(("#", "space", "q"), (120, 37))
    "120 'space' and 37 'q'"
    """
    parts = [f"{n:,} {name!r}" for name, n in zip(names[1:], counts, strict=True) if n]
    if not parts:
        return f"the boundary {names[0]!r} alone"
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def read_as(result: Audit) -> str | None:
    """What the layer makes of the worst input; None where none is known."""
    counts = result.worst_input
    if counts is None:
        return None
    subject = input_in_words(result.names, counts)
    single = sum(counts) <= 1
    if result.readout == "regression":
        known = result.output is not None
        number = _nearest(result.output)
        if number is None and known:
            return f"{subject} {'gives' if single else 'give'} {result.output}"
    else:
        known = result.smallest_gap is not None
        if not known and counts[0] >= result.classes:
            return f"{subject}: the head has no class for this count"
        number = result.runner_up if result.verdict == "fails" else counts[0]
        gap = result.smallest_gap
        if gap is not None and result.verdict == "fails" and not (gap.upper or 0) < 0:
            return f"{subject}: class {result.runner_up} ties with the right one"
    if not known or number is None:
        return f"for {subject} the output is undefined (the norm divides by zero)"
    return f"{subject} {'is' if single else 'are'} read as {number:,}"


def _nearest(output: Bracket | None) -> int | None:
    """The integer that y is rounded to, where that is certain."""
    if output is None or output.lower is None or output.upper is None:
        return None
    number = (output.lower + _HALF).__floor__()
    return number if abs(output.lower - number) < _HALF > abs(output.upper - number) else None


def describe_audit(result: Audit) -> str:
    """What was understood, what was decided, and how far from the optimum that is."""
    lines = [f"  {line}" for line in result.understood]
    if lines:
        lines = ["what is in the file", *lines, ""]
    lines.append(f"the layer {VERBS[result.verdict]} L = {result.length:,}")
    rows = [*_worst_rows(result), ("counts up to", _reach(result))]
    lines += [f"  {name:<15}{text}" for name, text in rows]
    shown = list(result.norms.items())
    lines += ["", "norms"]
    width = max(len(name) for name, _ in shown[:_MOST_NORMS]) + 2
    lines += [f"  {name:<{width}}{value}" for name, value in shown[:_MOST_NORMS]]
    if len(shown) > _MOST_NORMS:
        lines.append(f"  and {len(shown) - _MOST_NORMS} more (--json lists all)")
    lines += ["", "how far it could count", *(f"  {line}" for line in _optimum(result))]
    return "".join(f"{line}\n" for line in lines)


def _worst_rows(result: Audit) -> list[tuple[str, str]]:
    words = read_as(result) or "not found within the precision limit"
    count = 1
    for i in range(1, len(result.names)):
        count = count * (result.length + i) // i
    rows = [("inputs", f"all {count:,} with at most {result.length:,} tokens after the boundary")]
    if result.worst_error is not None and result.worst_error.lower is not None:
        rows.append(("worst error", f"{result.worst_error}{_side(result.worst_error)}"))
    if result.smallest_gap is not None:
        rows.append(("smallest gap", str(result.smallest_gap)))
    rows.append(("worst input", words))
    if result.output is not None:
        rows.append(("its output", str(result.output)))
    return rows


def _side(error: Bracket) -> str:
    if error.upper is not None and error.upper < _HALF:
        return " < 1/2"
    if error.lower is not None and error.lower >= _HALF:
        return " = 1/2" if error.is_exact and error.lower == _HALF else " >= 1/2"
    return ""


def _reach(result: Audit) -> str:
    lower, upper = result.reach.lower, result.reach.upper
    if lower == upper:
        return "not even 1" if lower == 0 else f"{lower:,}"
    if upper is None:
        return f"{lower:,} at least"
    return f"{lower:,} at least, {upper:,} at most"


def _optimum(result: Audit) -> list[str]:
    best, reached = result.optimum, result.reach.lower
    if best is None:
        return [f"not known: {result.reason}"]
    place = f"{best.variant} with norms up to {Bracket.exactly(best.bound)}"
    if best.unbounded:
        lines = [f"{place}: every length is reached by some parameters"]
    elif best.length is not None:
        times = f", {_times(Fraction(best.length, reached))} as far" if reached else ""
        lines = [f"{place} can count to {best.length:,}{times}"]
    else:
        lines = [
            f"{place} can count to {best.length_lower:,} at least, {best.length_upper:,} at most"
        ]
    smallest = best.smallest_bound
    if smallest is not None and smallest.upper is not None:
        times = _times(best.bound / smallest.upper)
        lines.append(f"norms of {smallest} are enough for {reached:,}; these are {times} as large")
    return lines


def _times(ratio: Fraction) -> str:
    """A ratio for reading, rounded down."""
    return f"{decimal(significant(ratio, 3, up=False))} times"
