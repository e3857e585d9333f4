"""A classification head, and what the storage of a read-out costs, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from countbounds.decimals import Bracket, decimal
from countbounds.describe import VERBS

if TYPE_CHECKING:
    from countbounds.heads.decoding import Failure
    from countbounds.heads.report import HeadCheck
    from countbounds.heads.storage import Storage


def describe_head(result: HeadCheck) -> str:
    """A few lines that say what was decided, and by which input."""
    head = (
        f"{result.variant} with a classification head {VERBS[result.verdict]} "
        f"L = {result.length} at d = {result.dim}, B = {decimal(result.bound)}\n"
    )
    at = result.worst_input
    where = "" if at is None else f" at n = {at[0]}, m = {at[1]}, against {result.runner_up}"
    rows = [
        ("inputs", f"all {result.domain_size:,} (n, m) with n + m <= {result.length:,}"),
        ("classes", f"{result.length + 1:,}"),
        ("smallest gap", f"{result.smallest_gap}{where}"),
        ("closed form", str(result.closed_form)),
        ("any head", f"<= {Bracket(result.possible_gap.upper, result.possible_gap.upper)}"),
        ("largest norm", str(result.max_norm)),
    ]
    return head + "".join(f"  {name:<14}{text}\n" for name, text in rows)


def describe_storage(result: Storage) -> str:
    """A few lines: the bits, the margin that is left, and where one bit less fails."""
    if result.reason is not None or result.bound is None:
        return f"{result.reason}\n"
    assert result.bits_fraction is not None
    margin = "1/2 - worst error" if result.readout == "regression" else "smallest gap"
    widths = f"1 sign, {result.bits_integer} integer, {result.bits_fraction} fraction"
    rows = [
        ("bits per scalar", f"{result.bits_per_scalar} ({widths})"),
        ("read-out", f"{result.scalars:,} scalars, {result.readout_bits:,} bits"),
        ("everything", f"{result.scalars_total:,} scalars, {result.total_bits:,} bits"),
        (margin, str(result.gap)),
    ]
    if result.fails_at is not None:
        rows.append(("one bit less", describe_failure(result.fails_at)))
    head = (
        f"{result.variant} with a {result.readout} read-out at L = {result.length}, "
        f"d = {result.dim}, B = {decimal(result.bound)}\n"
    )
    return head + "".join(f"  {name:<19}{text}\n" for name, text in rows)


def describe_failure(failure: Failure) -> str:
    """Where rounding to so many bits fails, and how."""
    n, m = failure.input
    where = f"fails at n = {n}, m = {m}"
    if failure.error is not None:
        return f"{where}: error {failure.error}"
    if failure.winner is None:
        return f"{where}: the output is undefined"
    return f"{where}: class {failure.winner} {'ties with' if failure.tie else 'beats'} class {n}"
