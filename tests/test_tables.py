"""The paper's tables, recomputed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy

from countbounds import check, length_cap, table1, table2, table3
from countbounds.cli import main
from countbounds.errors import InputError
from countbounds.tables import TABLE1_COLUMNS, TABLE2_COLUMNS, TABLE3_COLUMNS, Table3Row, published
from countbounds.variants import NAMES, variant

PUBLISHED = ("softmax", "softmax-post-ln", "softmax-post-ln-learned")


def test_table_2_has_the_papers_figures_beside_certified_ones() -> None:
    rows = list(table2())
    assert [(row.length, row.dim) for row in rows] == [(250, 4), (250, 16), (500, 4), (500, 16)]
    assert set(TABLE2_COLUMNS) == set(rows[0].as_dict())
    assert [row.some_seed_counts for row in rows] == [True, False, False, False]
    for row in rows:
        assert row.verdict == "counts"
        found = row.smallest_bound
        assert found.lower is not None
        assert found.upper is not None
        assert check("softmax", row.length, row.dim, row.bound).verdict == "counts"
        assert found.lower < row.bound
        optimal = check("softmax", row.length, row.dim, found.lower, construction="optimal")
        assert optimal.verdict == "impossible"


@pytest.mark.parametrize("option", [["-d", "16"], ["-B", "10"], ["-L", "10"], ["--digits", "5"]])
def test_table_2_has_no_options(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "2", *option]) == 2
    assert "Table 2 has no option" in capsys.readouterr().err
    assert main(["table", "2", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("length,dim,steps")


def test_table_3_by_default_is_the_paper_s_grid() -> None:
    rows = list(table3())
    assert [(row.bound, row.variant) for row in rows] == [
        (Fraction(bound), name) for bound in (10, 30, 100, 300, 1000) for name in PUBLISHED
    ]
    assert {row.dim for row in rows} == {16}
    assert all(row.attained is not None for row in rows)
    assert list(rows[0].as_dict())[:8] == [
        "bound", "dim", "variant", "attained", "construction_published", "construction",
        "verdict", "next_guaranteed",
    ]  # fmt: skip
    assert set(TABLE3_COLUMNS) == set(rows[0].as_dict())


def test_the_paper_s_figures_stand_beside_its_own_bounds_only() -> None:
    for bounds, dim in ((["10"], 17), (["11"], 16), (["10.0000001"], 16), (["1/3"], None)):
        for row in table3(bounds, dim):
            assert row.attained is row.construction_published is None
    for written in ("10", "1e1", "20/2", 10, 10.0, Fraction(10)):
        first = next(iter(table3([written], 16)))
        assert (first.attained, first.construction_published) == (10, 15)


def test_a_bound_that_guarantees_nothing_is_not_certified() -> None:
    rows = list(table3(["1/1000"], 3))
    assert [row.construction for row in rows] == [0, 0, 0]
    assert [row.verdict for row in rows] == [None, None, None]
    assert not any(row.next_guaranteed for row in rows)


@pytest.mark.parametrize("dim", [3, 5, 100, 10**6])
def test_every_row_is_certified_and_the_next_length_refused(dim: int) -> None:
    for row in table3(["1.2", "3", "7/2", "1e6", "12345.6789"], dim):
        assert row.dim == dim
        assert row.next_guaranteed is False
        assert row.verdict == ("counts" if row.construction else None)


def test_progress_is_told_before_each_row() -> None:
    told: list[str] = []
    rows = table3(["1/3", "2.5"], 16, told.append)
    first = next(rows)
    assert told == ["B = 1/3, softmax"]
    assert isinstance(first, Table3Row)
    assert len(list(rows)) == 5
    assert told[-1] == "B = 2.5, softmax-post-ln-learned"
    assert len(told) == 6


@pytest.mark.parametrize(
    "bounds", [[0], [-1], ["0"], ["text"], [float("nan")], ["1/0"], [None], [10, 0]]
)
def test_a_bound_that_is_none(bounds: Any) -> None:
    with pytest.raises(InputError):
        list(table3(bounds, 16))


@pytest.mark.parametrize("dim", [2, 0, 10**6 + 1, "16", 16.0])
def test_a_dimension_that_is_none(dim: Any) -> None:
    for rows in (table3(["10"], dim), table1(dim)):
        with pytest.raises(InputError, match="dimension"):
            list(rows)


def test_the_published_figures_name_their_source() -> None:
    figures = published()
    assert "2610.16653" in figures["source"]
    assert set(figures["construction"]) == set(figures["attained"]) == set(PUBLISHED)


def test_table_1_has_a_row_for_every_variant() -> None:
    rows = list(table1())
    assert [row.variant for row in rows] == list(NAMES)
    assert [row.construction for row in rows] == [variant(name).origin for name in NAMES]
    assert set(TABLE1_COLUMNS) <= set(rows[0].as_dict())
    by_name = {row.variant: row for row in rows}
    assert by_name["softmax-post-ln-learned"].bound_rate == "Theta(L**(3/4)/d**(1/4))"
    assert by_name["softmax-pre-ln"].length_rate == "L_cap = Theta(exp(sqrt(d)))"
    assert by_name["linear"].length_rate == "inf once B suffices"
    assert {row.class_bound for row in rows} == {"any"}
    assert by_name["softmax-post-ln"].class_gap == "Theta(L**(-2))"
    assert by_name["softmax-pre-ln"].class_gap == "Theta(L**(-3))"


@pytest.mark.parametrize("dim", [3, 16, 1000])
def test_table_1_puts_in_a_dimension(dim: int) -> None:
    symbolic, concrete = list(table1()), list(table1(dim))
    names = {name: sympy.Symbol(name, positive=True) for name in "LBd"}
    for general, special in zip(symbolic, concrete, strict=True):
        for key in ("sharp_bound", "sharp_length"):
            text = getattr(special, key)
            if text.startswith("inf"):
                assert getattr(general, key) == text
                continue
            if (special.variant, key) == ("softmax-pre-ln", "sharp_length"):
                assert text == str(length_cap(dim))
                continue
            assert "d" not in {str(found) for found in sympy.sympify(text, names).free_symbols}
            expected = sympy.sympify(getattr(general, key), names).subs(names["d"], dim)
            values = {names["L"]: 12345, names["B"]: 6789}
            found = sympy.sympify(text, names).evalf(50, subs=values)
            assert abs(found / expected.evalf(50, subs=values) - 1) < sympy.Float("1e-40", 50)


def test_table_1_in_latex_holds_formulas() -> None:
    for row in table1(None, "latex"):
        for cell in (row.bound_rate, row.length_rate, row.sharp_bound, row.sharp_length):
            assert cell.startswith("inf") or (cell[0] == cell[-1] == "$" and cell.count("$") == 2)
            assert "**" not in cell
            assert cell.count("{") == cell.count("}")
