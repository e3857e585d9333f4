"""The paper's tables, recomputed beside what it printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from countbounds.checking import guarantees, read_bound, require_dim
from countbounds.decimals import Bracket, decimal
from countbounds.domain import Verdict, worst_error
from countbounds.expressions import Expr
from countbounds.model import Model
from countbounds.variants import all_variants, variant
from countbounds.variants.base import Variant

if TYPE_CHECKING:
    from countbounds.bounds import SmallestBound

TABLE1_COLUMNS = {
    "variant": "variant",
    "bound_rate": "B_min (paper)",
    "sharp_bound": "B_min ~",
    "length_rate": "L_max (paper)",
    "sharp_length": "L_max ~",
    "class_bound": "B (classes)",
    "class_gap": "gap (classes)",
}
TABLE2_COLUMNS = {
    "length": "L",
    "dim": "d",
    "steps": "steps (paper)",
    "accuracy": "exact accuracy (paper)",
    "worst_error": "worst error (paper)",
    "some_seed_counts": "some seed counts",
    "verdict": "construction",
    "bound": "at B",
    "smallest_bound": "B_min",
}
TABLE3_COLUMNS = {
    "bound": "B",
    "dim": "d",
    "variant": "variant",
    "attained": "attained (paper)",
    "construction_published": "constr. (paper)",
    "construction": "constr.",
    "verdict": "whole domain",
    "next_guaranteed": "L + 1 guaranteed",
    "longest": "L_max",
    "longest_on_grid": "grid L <= L_max",
}

BMIN_COLUMNS = {
    "variant": "variant",
    "length": "L",
    "dim": "d",
    "lower": "B_min from",
    "upper": "to",
    "regime": "regime",
    "published": "published",
    "rate": "rate",
    "ratio_to_rate": "B_min / rate",
    "sharp_constant": "its limit",
}


def published() -> dict[str, Any]:
    """The published figures of Tables 2 and 3 (data/published.json)."""
    text = files("countbounds").joinpath("data/published.json").read_text(encoding="utf-8")
    figures: dict[str, Any] = json.loads(text)
    return figures


@dataclass(frozen=True)
class Table2Row:
    """One row of Table 2: softmax without a norm, trained by Adam, beside what is possible.

    Attributes:
        length: L.
        dim: d.
        steps: how many the paper trained for.
        accuracy: the paper's share of held-out inputs that are right: mean [least, largest]
            over three seeds.
        worst_error: the paper's worst error on the whole domain, likewise.
        some_seed_counts: whether the least worst error is below 1/2.
        verdict: the full-domain check of the published construction at `bound`.
        bound: the smallest B, in twelve digits, at which the construction is guaranteed.
        smallest_bound: an enclosure of B_min, certified from both sides.
    """

    length: int
    dim: int
    steps: int
    accuracy: str
    worst_error: str
    some_seed_counts: bool
    verdict: Verdict
    bound: Fraction
    smallest_bound: Bracket

    def as_dict(self) -> dict[str, Any]:
        """The row with numbers as text."""
        written = {"bound": decimal(self.bound), "smallest_bound": str(self.smallest_bound)}
        return {**vars(self), **written}


def table2(progress: Callable[[str], None] = lambda line: None) -> Iterator[Table2Row]:
    """Table 2's figures of softmax trained by Adam, beside certified bounds.

    The paper's training is not repeated; `countbounds.train` trains, and decides what comes out.

    Args:
        progress: called with a line before each row.

    Yields:
        one row for each of the paper's.
    """
    from countbounds.bounds import b_min
    from countbounds.checking import check

    for row in published()["adam"]:
        length, dim = row["length"], row["dim"]
        progress(f"softmax, L = {length}, d = {dim}")
        built, smallest = check("softmax", length, dim), b_min("softmax", length, dim)
        assert built.bound is not None
        assert built.verdict != "impossible"
        accuracy, error = ("{} [{}, {}]".format(*row[key]) for key in ("accuracy", "worst_error"))
        yield Table2Row(
            length=length,
            dim=dim,
            steps=row["steps"],
            accuracy=accuracy,
            worst_error=error,
            some_seed_counts=Fraction(row["worst_error"][1]) < Fraction(1, 2),
            verdict=built.verdict,
            bound=built.bound,
            smallest_bound=Bracket(smallest.lower, smallest.upper),
        )


@dataclass(frozen=True)
class Table3Row:
    """One cell pair of Table 3.

    Attributes:
        bound: the norm bound B.
        dim: d.
        variant: its name.
        attained: largest grid length that the paper's training attained; None where the
            paper has no such figure.
        construction_published: the largest length the paper says its construction
            guarantees; None where it has no such figure.
        construction: the same recomputed from the construction's formula, exactly.
        verdict: the full-domain check at that length and bound; None for length 0.
        next_guaranteed: whether the formula, evaluated anew, guarantees one more.
        longest: L_max, the largest length that any parameters of norm <= B count to,
            certified from both sides.
        longest_on_grid: the largest of 10, 20, 50, 100, ... up to L_max; 0 if none.
    """

    bound: Fraction
    dim: int
    variant: str
    attained: int | None
    construction_published: int | None
    construction: int
    verdict: Verdict | None
    next_guaranteed: bool
    longest: int | None
    longest_on_grid: int

    def as_dict(self) -> dict[str, Any]:
        """The row with the bound as text."""
        return {
            "bound": decimal(self.bound),
            "dim": self.dim,
            "variant": self.variant,
            "attained": self.attained,
            "construction_published": self.construction_published,
            "construction": self.construction,
            "verdict": self.verdict,
            "next_guaranteed": self.next_guaranteed,
            "longest": self.longest,
            "longest_on_grid": self.longest_on_grid,
        }


def table3(
    bounds: Sequence[str | int | float | Fraction] | None = None,
    dim: int | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> Iterator[Table3Row]:
    """The construction columns of Table 3, each entry certified on its whole domain.

    Args:
        bounds: norm bounds B > 0, read exactly; by default the paper's.
        dim: d; by default the paper's 16.
        progress: called with a line before each entry.

    Yields:
        one row for each bound and each variant with a published construction.

    Raises:
        InputError: if a bound or the dimension is out of range.
    """
    from countbounds.bounds import l_max

    figures = published()
    dim = figures["dim"] if dim is None else dim
    require_dim(dim)
    printed = [Fraction(text) for text in figures["bounds"]]
    for bound in printed if bounds is None else [read_bound(given) for given in bounds]:
        place = printed.index(bound) if dim == figures["dim"] and bound in printed else None
        for name in figures["construction"]:
            progress(f"B = {decimal(bound)}, {name}")
            chosen = variant(name)
            assert chosen.guaranteed_length is not None
            length = chosen.guaranteed_length(bound, dim)
            longest = l_max(name, bound, dim).length
            yield Table3Row(
                bound=bound,
                dim=dim,
                variant=name,
                attained=None if place is None else figures["attained"][name][place],
                construction_published=(
                    None if place is None else figures["construction"][name][place]
                ),
                construction=length,
                verdict=_certify(chosen, length, dim, bound),
                next_guaranteed=guarantees(chosen, length + 1, dim, bound),
                longest=longest,
                longest_on_grid=_on_grid(longest or 0),
            )


def _on_grid(length: int) -> int:
    """The largest of 10, 20, 50, 100, 200, 500, ... at or below a length; 0 if none is."""
    found, decade = 0, 10
    while decade <= length:
        found = max(step * decade for step in (1, 2, 5) if step * decade <= length)
        decade *= 10
    return found


def _certify(chosen: Variant, length: int, dim: int, bound: Fraction) -> Verdict | None:
    if length == 0:
        return None
    model = Model(chosen.layer, chosen.build(length, dim, bound))
    return worst_error(model, length).verdict


@dataclass(frozen=True)
class Table1Row:
    """One row of Table 1.

    Attributes:
        variant: its name.
        model: in words.
        bound_rate: B_min as the paper reports it.
        length_rate: L_max as the paper reports it.
        sharp_bound: what B_min is asymptotic to, printed symbolically.
        sharp_length: what L_max is asymptotic to, printed symbolically.
        class_bound: the norms that a classification head needs: any B > 0 will do.
        class_gap: how its best smallest gap shrinks at fixed B and d.
        construction: "published" or "derived".
    """

    variant: str
    model: str
    bound_rate: str
    length_rate: str
    sharp_bound: str
    sharp_length: str
    class_bound: str
    class_gap: str
    construction: str

    def as_dict(self) -> dict[str, Any]:
        """The row as it is printed."""
        return dict(vars(self))


def table1(dim: int | None = None, form: Literal["text", "latex"] = "text") -> Iterator[Table1Row]:
    """The rates of Table 1 beside the sharp constants.

    Args:
        dim: put this d into the sharp constants (and print the cap itself); by default
            they are symbolic. The paper's rates stay as they are.
        form: how formulas are printed.
    """
    from countbounds.closed_forms import print_formula
    from countbounds.heads.bounds import gap_rate

    if dim is not None:
        require_dim(dim)

    def printed(formula: Expr) -> str:
        text = print_formula(formula, form, dim)
        return f"${text}$" if form == "latex" else text

    def theta(formula: Expr, *, capped: bool = False) -> str:
        text = print_formula(formula, form)
        if form == "latex":
            cap = r"L_{\mathrm{cap}} = " if capped else ""
            return rf"${cap}\Theta\left({text}\right)$"
        return f"{'L_cap = ' if capped else ''}Theta({text})"

    for row in all_variants():
        capped = row.longest is not None
        beyond = "inf beyond the cap"
        rate = row.length_rate
        longest = "inf" if row.sharp_length is None else printed(row.sharp_length)
        if row.longest is not None and dim is not None:
            longest = str(row.longest(dim))
        yield Table1Row(
            variant=row.name,
            model=row.title,
            bound_rate=beyond if row.bound_rate is None else theta(row.bound_rate),
            length_rate="inf once B suffices" if rate is None else theta(rate, capped=capped),
            sharp_bound=beyond if row.sharp_bound is None else printed(row.sharp_bound),
            sharp_length=longest,
            class_bound="any",
            class_gap=theta(gap_rate(row.name)),
            construction=row.origin,
        )


def table_bmin(
    names: Sequence[str] | None,
    lengths: Sequence[int] | None,
    dims: Sequence[int] | None,
    digits: int,
    progress: Callable[[str], None] = lambda line: None,
) -> Iterator[BoundRow]:
    """Certified brackets of B_min over a grid.

    Args:
        names: variants; by default all.
        lengths: L; by default 10, 100, 1000.
        dims: d; by default the paper's 16.
        digits: relative width 10^-digits where the theory is exact.
        progress: called with a line before each cell.

    Yields:
        one row for each variant, length and dimension, in this order.

    Raises:
        InputError: if an argument is out of range.
    """
    from countbounds.bounds import b_min

    chosen = [variant(name).name for name in names or [row.name for row in all_variants()]]
    for name in chosen:
        for length in lengths or (10, 100, 1000):
            for dim in dims or (published()["dim"],):
                progress(f"{name}, L = {length}, d = {dim}")
                yield BoundRow(b_min(name, length, dim, digits))


@dataclass(frozen=True)
class BoundRow:
    """One cell of `table_bmin`."""

    result: SmallestBound

    def as_dict(self) -> dict[str, Any]:
        """The bracket as in JSON; what it is compared with, for reading."""
        row = self.result.as_dict()
        for key in ("published", "rate", "ratio_to_rate", "sharp_constant"):
            value: Bracket | None = getattr(self.result, key)
            row[key] = None if value is None else str(value)
        return row
