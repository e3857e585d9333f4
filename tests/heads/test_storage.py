"""What a read-out costs to store: rounding, the smallest precision, and what breaks below it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from countbounds import check
from countbounds.cli import main
from countbounds.domain.classes import smallest_gap
from countbounds.errors import InputError, Undecided
from countbounds.expressions import Expr, evaluate, exp, log, maximum, rational, sqrt
from countbounds.heads import storage_table
from countbounds.heads.constructions import construction
from countbounds.heads.decoding import WINDOW, least_run
from countbounds.heads.rounding import round_scalar
from countbounds.heads.storage import READOUTS, Readout, Storage, storage
from countbounds.heads.storage_table import STORAGE_COLUMNS, StorageRow, storage_row
from countbounds.heads.table import TableModel
from countbounds.layer import Layer, Parameters
from countbounds.rings import Enclosure, Floating
from countbounds.variants import NAMES, variant
from countbounds.vectors import Vector
from tests.exhaustive import Raw, outputs

Ball = Any
HALF: Any = flint.arb("0.5")
Input = tuple[int, int]
Table = tuple[list[list[Fraction]], list[Fraction]]


def nearest(formula: Expr, places: int) -> Fraction:
    """The nearest multiple of 2^-places, found from a midpoint of many bits."""
    with Enclosure(1200) as ring:
        middle = evaluate(formula, ring).mid()
        mantissa, exponent = (int(part) for part in middle.man_exp())
    value = Fraction(mantissa) * Fraction(2) ** exponent
    below = Fraction((value * 2**places).__floor__(), 2**places)
    above = below + Fraction(1, 2**places)
    return below if value - below < above - value else above


def entries(vector: Vector, places: int) -> list[Fraction]:
    known: dict[int, Fraction] = {}
    return [
        known.setdefault(id(entry), nearest(entry, places))
        if entry.value is None
        else nearest(entry, places)
        for entry in vector.entries()
    ]


def raw_layer(layer: Layer, parameters: Parameters, places: int) -> Raw:
    """A construction as plain rounded numbers."""
    vectors = {name: entries(value, places) for name, value in parameters.vectors().items()}
    return Raw(
        **vectors,  # type: ignore[arg-type]
        attention=layer.attention,
        placement=layer.placement,
    )


def rounded_regression(result: Storage, places: int) -> Raw:
    assert result.bound is not None
    chosen = variant(result.variant)
    built = chosen.build(result.length, result.dim, result.bound)
    return raw_layer(chosen.layer, built, places)


def rounded_classes(result: Storage, places: int) -> tuple[Raw, Table]:
    assert result.bound is not None
    model = construction(result.variant, result.length, result.dim, result.bound).model
    classes = range(result.length + 1)
    vectors = [entries(model.head.vector(k), places) for k in classes]
    biases = [nearest(model.head.bias(k), places) for k in classes]
    return raw_layer(model.layer, model.parameters, places), (vectors, biases)


def scores(raw: Raw, table: Table, at: Sequence[Input], bits: int) -> list[dict[Input, Ball]]:
    """Every class, its vector as read-out, by the oracle's own forward pass."""
    return [
        outputs(replace(raw, readout=vector, readout_bias=bias), at, bits)
        for vector, bias in zip(*table, strict=True)
    ]


def domain(length: int) -> list[Input]:
    return [(n, m) for n in range(length + 1) for m in range(length - n + 1)]


def decodes(result: Storage, places: int, bits: int = 400) -> bool:
    """Brute force: every input, and every class; what 400 bits do not tell apart ties."""
    at = domain(result.length)
    if result.readout == "regression":
        found = outputs(rounded_regression(result, places), at, bits)
        with flint.ctx.workprec(bits):
            return all(abs(y - n) < HALF for (n, _), y in found.items())
    raw, table = rounded_classes(result, places)
    all_scores = scores(raw, table, at, bits)
    with flint.ctx.workprec(bits):
        return all(
            all_scores[n][n, m] > other[n, m]
            for n, m in at
            for k, other in enumerate(all_scores)
            if k != n
        )


def results(length: int, dim: int, bound: str | None = None) -> Iterator[Storage]:
    for name in NAMES:
        for readout in READOUTS:
            result = storage(name, length, dim, readout, bound if readout == READOUTS[1] else None)
            if result.reason is None:
                yield result


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 12])
def test_agrees_with_every_input_and_every_class(length: int) -> None:
    for result in results(length, 4):
        p = result.bits_fraction
        assert p is not None
        assert decodes(result, p)
        assert decodes(result, p + WINDOW - 1)
        if p:
            assert not decodes(result, p - 1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("readout", READOUTS)
def test_no_run_of_precisions_begins_earlier(name: str, readout: Readout) -> None:
    result = storage(name, 6, 3, readout)
    p = result.bits_fraction
    assert p is not None
    good = [decodes(result, places) for places in range(p + WINDOW)]
    assert next(q for q in range(p + 1) if all(good[q : q + WINDOW])) == p


@pytest.mark.parametrize(
    ("length", "dim", "bound"),
    [(1, 3, "1"), (7, 3, "1/3"), (7, 3, "20"), (20, 64, "1"), (40, 16, "1/3"), (60, 5, "20")],
)
def test_one_bit_less_fails_at_the_named_input(length: int, dim: int, bound: str) -> None:
    for result in results(length, dim, bound):
        failure = result.fails_at
        assert (failure is None) == (result.bits_fraction == 0)
        if failure is None:
            continue
        assert result.bits_fraction == failure.places + 1
        n, m = failure.input
        assert n >= 0
        assert 0 <= m <= length - n
        if result.readout == "regression":
            y = outputs(rounded_regression(result, failure.places), [(n, m)], 300)[n, m]
            if failure.error is None:
                assert not y.is_finite()
                continue
            with flint.ctx.workprec(300):
                assert not abs(y - n) < HALF
                low, high = failure.error.lower, failure.error.upper
                assert low is not None
                assert high is not None
                assert abs(y - n) > flint.arb(flint.fmpq(low.numerator, low.denominator)) - 1e-30
                assert abs(y - n) < flint.arb(flint.fmpq(high.numerator, high.denominator)) + 1e-30
            continue
        raw, (vectors, biases) = rounded_classes(result, failure.places)
        if failure.winner is None:
            y = outputs(replace(raw, readout=vectors[0]), [(n, m)], 300)[n, m]
            assert not y.is_finite()
            continue
        k = failure.winner
        table = [vectors[n], vectors[k]], [biases[n], biases[k]]
        own, other = (found[n, m] for found in scores(raw, table, [(n, m)], 300))
        with flint.ctx.workprec(300):
            assert (own - other).contains(0) if failure.tie else own < other


@pytest.mark.parametrize("name", NAMES)
def test_the_gap_at_p_is_the_smallest_margin(name: str) -> None:
    for readout in READOUTS:
        result = storage(name, 9, 4, readout)
        assert result.bits_fraction is not None
        assert result.gap is not None
        at = domain(9)
        with flint.ctx.workprec(300):
            if readout == "regression":
                found = outputs(rounded_regression(result, result.bits_fraction), at, 300)
                least = min(HALF - abs(y - n) for (n, _), y in found.items())
            else:
                rows = scores(*rounded_classes(result, result.bits_fraction), at, 300)
                least = min(
                    rows[n][n, m] - row[n, m] for n, m in at for k, row in enumerate(rows) if k != n
                )
            low, high = result.gap.lower, result.gap.upper
            assert low is not None
            assert high is not None
            assert low > 0
            assert least > flint.arb(flint.fmpq(low.numerator, low.denominator)) - 1e-30
            assert least < flint.arb(flint.fmpq(high.numerator, high.denominator)) + 1e-30


@given(
    st.fractions(-100, 100, max_denominator=10**6),
    st.fractions(-100, 100, max_denominator=10**6),
    st.integers(1, 50),
    st.integers(0, 80),
)
def test_rounding_gives_the_nearest_multiple(x: Fraction, y: Fraction, k: int, places: int) -> None:
    step = Fraction(1, 2**places)
    found = round_scalar(x, places)
    assert (found / step).denominator == 1
    assert -step / 2 < found - x <= step / 2  # of two as near, the upper one
    formula = x + y * sqrt(k)
    found = round_scalar(formula, places)
    with Enclosure(400) as ring:
        off = abs(evaluate(formula - found, ring))
        assert off.abs_lower() <= ring.number(step / 2)


def test_rounding_recognises_a_number_half_way() -> None:
    half = Fraction(1, 2)
    hidden = sqrt(2) * half / maximum(sqrt(2), exp(log(1 + sqrt(2)) - log(1 + sqrt(2))))
    assert hidden.value is None
    assert round_scalar(hidden, 0) == 1
    assert round_scalar(-hidden, 0) == 0
    assert round_scalar(exp(log(rational(3))) * half, 0) == 2
    assert round_scalar(half, 0) == 1
    assert round_scalar(-half, 0) == 0


@given(st.lists(st.booleans(), max_size=80))
def test_the_least_run_is_the_first_one(holds: list[bool]) -> None:
    asked: list[int] = []

    def at(p: int) -> bool:
        asked.append(p)
        return p >= len(holds) or holds[p]

    found = least_run(at)
    assert len(asked) == len(set(asked))
    whole = [*holds, *(True for _ in range(WINDOW))]
    assert found == next(p for p in range(len(whole)) if all(whole[p : p + WINDOW]))


def test_bits_hold_the_largest_number() -> None:
    for result in (*results(7, 3), *results(30, 5, "37")):
        p, i = result.bits_fraction, result.bits_integer
        assert p is not None
        assert i is not None
        assert result.bits_per_scalar == 1 + i + p
        numbers: list[Fraction] = []
        if result.readout == "regression":
            raw = rounded_regression(result, p)
            numbers += raw.readout
        else:
            raw, (vectors, biases) = rounded_classes(result, p)
            numbers += [x for vector in vectors for x in vector] + biases
        numbers += [*raw.boundary, *raw.space, *raw.letter, *(raw.gain or ()), *(raw.bias or ())]
        assert all(abs(x) < 2**i for x in numbers)
        assert i == 0 or any(abs(x) >= 2 ** (i - 1) for x in numbers)


def test_the_scalars_are_counted() -> None:
    length, dim = 10, 16
    for name in NAMES:
        layer = variant(name).layer
        embedded = (5 if layer.learned else 3) * dim
        one = storage(name, length, dim, "regression")
        assert (one.scalars, one.scalars_total) == (dim, dim + embedded)
        many = storage(name, length, dim, "classification")
        biases = construction(name, length, dim).model.head.biases
        biased = any(evaluate(b, Floating()) != 0 for b in biases)
        assert many.scalars == (length + 1) * (dim + biased)
        assert many.scalars_total == many.scalars + embedded
        assert many.total_bits == many.scalars_total * (many.bits_per_scalar or 0)
        assert many.readout_bits == many.scalars * (many.bits_per_scalar or 0)


@pytest.mark.parametrize("name", NAMES)
def test_classes_take_two_to_three_bits_for_each_bit_of_the_length(name: str) -> None:
    """Observed, not proven: p grows by 2 to 3 bits as L doubles, to within the last bits."""
    few, many = (storage(name, length, 16, "classification") for length in (16, 256))
    assert few.bits_fraction is not None
    assert many.bits_fraction is not None
    assert 2 * 4 - 3 <= many.bits_fraction - few.bits_fraction <= 3 * 4 + 3


@pytest.mark.parametrize("name", NAMES)
def test_the_ratio_grows_with_the_length(name: str) -> None:
    rows = [storage_row(name, length, 16) for length in (4, 16, 64)]
    ratios = [row.ratio or Fraction(0) for row in rows]
    assert 0 < ratios[0] < ratios[1] < ratios[2]
    for row in rows:
        assert row.common_ratio == Fraction(row.classification.scalars, 16)
        assert row.common_ratio >= row.regression.length + 1
    short = rows[0]
    assert short.common_places is not None
    for side in (short.regression, short.classification):
        assert side.bits_fraction is not None
        assert side.bits_fraction <= short.common_places
        assert decodes(side, short.common_places)


def test_classes_go_beyond_the_cap_of_bare_pre_ln(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("softmax-pre-ln", 13, 3).verdict == "impossible"
    result = storage("softmax-pre-ln", 13, 3, "regression")
    assert {result.bits_per_scalar, result.total_bits, result.gap} == {None}
    assert "L_cap(3) = 12" in str(result.reason)
    beyond = storage("softmax-pre-ln", 13, 3, "classification")
    assert beyond.bits_fraction is not None
    assert decodes(beyond, beyond.bits_fraction)
    row = storage_row("softmax-pre-ln", 13, 3)
    assert {row.ratio, row.common_ratio, row.common_places} == {None}
    assert row.classification == beyond

    words = "storage", "softmax-pre-ln", "-L", "13", "-d", "3", "--readout"
    assert main([*words, "regression", "--json"]) == 1
    shown, said = capsys.readouterr()
    answer = json.loads(shown)
    assert answer["bits_per_scalar"] is answer["scalars"] is answer["total_bits"] is None
    assert answer["gap"] is None
    assert answer["reason"] in said
    assert main([*words, "regression"]) == 1
    shown, said = capsys.readouterr()
    assert shown == ""
    assert main([*words, "classification"]) == 0


def test_the_command_prints_what_the_function_returns(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["storage", "softmax-post-ln", "-L", "20", "-d", "8", "--readout", "classification"]
    assert main([*words, "-B", "2.5", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    expected = storage("softmax-post-ln", 20, 8, "classification", "5/2").as_dict()
    assert answer == {"schema": 1, **expected}
    assert {"bits_per_scalar", "scalars", "total_bits", "gap"} <= set(answer)
    assert main([*words, "-B", "2.5"]) == 0
    text = capsys.readouterr().out
    assert f"{answer['bits_per_scalar']} (1 sign" in text
    assert "beats class" in text or "ties with class" in text or "undefined" in text


def test_the_table_has_both_read_outs(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["table", "storage", "-L", "5", "-L", "13", "-d", "3", "--variant", "softmax-pre-ln"]
    assert main([*words, "--json"]) == 0
    short, long = json.loads(capsys.readouterr().out)["rows"]
    assert set(STORAGE_COLUMNS) <= set(short)
    assert short["common_ratio"] == "8"  # 6 (3 + 1) over 3
    assert long["ratio"] is None
    assert "L_cap(3) = 12" in long["reason"]
    assert main(words) == 0
    shown, said = capsys.readouterr()
    assert "common p" in shown
    assert said.count("L_cap(3) = 12") == 1


def test_a_row_that_is_undecided_does_not_stop_the_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def row(name: str, length: int, dim: int) -> StorageRow:
        if length == 6:
            raise Undecided("Rounding is not decided.")
        return storage_row(name, length, dim)

    monkeypatch.setattr(storage_table, "storage_row", row)
    words = ["table", "storage", "--variant", "softmax", "-d", "3", *("-L", "5"), *("-L", "6")]
    words += ["-L", "7"]
    assert main([*words, "--json"]) == 3
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["reason"] for row in rows] == [None, "Rounding is not decided.", None]
    assert [row["ratio"] is None for row in rows] == [False, True, False]
    assert main(words) == 3
    assert "not decided" in capsys.readouterr().err


def test_an_interrupted_table_prints_its_finished_rows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def row(name: str, length: int, dim: int) -> StorageRow:
        if length == 6:
            raise KeyboardInterrupt
        return storage_row(name, length, dim)

    monkeypatch.setattr(storage_table, "storage_row", row)
    words = ["table", "storage", "--variant", "softmax", "-d", "3", "-L", "5", "-L", "6"]
    assert main([*words, "--format", "csv"]) == 130
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_table_refuses_before_it_works(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "storage", "-L", "1000", "-L", "1e6"]) == 2
    assert main(["table", "storage", "-L", "1000", "-d", "16", "-d", "2"]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("softmaks", 5, 3, "regression"), "softmax"),
        (("softmax", 0, 3, "regression"), "length L"),
        (("softmax", 0, 3, "classification"), "length L"),
        (("softmax", 10**5 + 1, 3, "classification"), "10\\^5"),
        (("softmax", 5, 2, "regression"), "dimension d"),
        (("softmax", 5, 10**6 + 1, "classification"), "dimension d"),
        (("softmax", 5, 3, "both"), "regression"),
        (("softmax", 5, 3, "classification", 0), "bound B"),
        (("softmax", 5, 3, "regression", "-1"), "bound B"),
    ],
)
def test_bad_arguments_are_explained(arguments: tuple[Any, ...], says: str) -> None:
    with pytest.raises(InputError, match=says):
        storage(*arguments)


def test_a_construction_that_does_not_count_is_not_stored(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = storage("softmax", 100, 3, "regression", "1/2")
    assert result.total_bits is None
    assert "give a larger bound" in (result.reason or "")
    words = ["storage", "softmax", "-L", "100", "-d", "3", "--readout", "regression", "-B", "0.5"]
    assert main(words) == 1
    assert capsys.readouterr().err.count("\n") == 1


def table_model(vectors: list[list[int]], biases: Sequence[int]) -> TableModel:
    parameters = Parameters.of([2, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0])
    return TableModel(
        Layer("linear"),
        parameters,
        tuple(Vector.of(vector) for vector in vectors),
        tuple(rational(bias) for bias in biases),
    )


def test_a_table_needs_one_bias_for_each_class() -> None:
    for vectors, biases in (([[1, 2, 3]], [1, 2]), ([], []), ([[1, 2]], [0])):
        with pytest.raises(InputError):
            table_model(vectors, biases)


@pytest.mark.parametrize("name", NAMES)
def test_a_table_scores_what_its_polynomials_do(name: str) -> None:
    model = construction(name, 8, 6, Fraction(3)).model
    head = model.head
    table = TableModel(
        model.layer,
        model.parameters,
        tuple(head.vector(k) for k in range(9)),
        tuple(head.bias(k) for k in range(9)),
    )
    assert smallest_gap(table, 8).verdict == "counts"
    with Enclosure(300) as ring:
        one, other = model.on(ring), table.on(ring)
        for k in range(9):
            for n, m in ((0, 0), (3, 5), (8, 0)):
                assert one.score((1, n, m), k).overlaps(other.score((1, n, m), k))


@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=5, max_size=5), min_size=2, max_size=6),
    st.sampled_from(("none", "pre", "post")),
)
def test_a_table_scores_each_vector_as_its_own_read_out(
    vectors: list[list[int]], placement: Any
) -> None:
    parameters = Parameters.of([2, 1, 0, 0, -1], [0, 1, 0, 3, 1], [0, 0, 1, 0, -1], [0] * 5)
    biases = [k - 2 for k in range(len(vectors))]
    layer = Layer("softmax", placement)
    table = TableModel(
        layer,
        parameters,
        tuple(Vector.of(vector) for vector in vectors),
        tuple(rational(bias) for bias in biases),
    )
    raw = raw_layer(layer, parameters, 0)
    at = [(0, 0), (2, 1), (0, 3)]
    expected = scores(
        raw, ([[Fraction(x) for x in v] for v in vectors], [Fraction(b) for b in biases]), at, 200
    )
    with Enclosure(200) as ring:
        curves = table.on(ring)
        for k, row in enumerate(expected):
            for n, m in at:
                assert curves.score((1, n, m), k).overlaps(row[n, m])
