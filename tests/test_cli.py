"""The command line: what it prints, where, and its exit status."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

import countbounds.checking
from countbounds import __version__, length_cap
from countbounds.cli import _EXAMPLES, main
from countbounds.errors import CountboundsError, Undecided
from countbounds.variants import NAMES
from tests.variants.reference import reference

LONG: Final = "x" * 50_000
DECIMAL: Final = re.compile(r"-?\d+(\.\d+)?(e[+-]\d+)?|inf")

CHECK: Final = ("check", "softmax-post-ln", "-L", "10", "-d", "16")


@pytest.fixture(autouse=True)
def _the_limit_on_digits_is_restored() -> Iterator[None]:
    before = sys.get_int_max_str_digits()
    yield
    sys.set_int_max_str_digits(before)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Status, standard output and standard error of one command, in this process."""
    try:
        status: Any = main(words)
    except SystemExit as stop:  # --help
        status = stop.code
    shown, said = capsys.readouterr()
    return status, shown, said


def process(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """One command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "countbounds", *words],
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=options.pop("stderr", subprocess.PIPE),
        check=False,
        **options,
    )


# --- check ----------------------------------------------------------------------------


def is_enclosure(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and list(value) == ["lower", "upper"]
        and all(isinstance(end, str) and DECIMAL.fullmatch(end) for end in value.values())
    )


@pytest.mark.parametrize("name", NAMES)
def test_check_in_json(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, said = run(capsys, "check", name, "-L", "10", "-d", "16", "--json")
    assert status == 0
    assert said == ""
    content = json.loads(shown)
    assert next(iter(content)) == "schema"
    assert content["schema"] == 1
    assert content["variant"] == name
    assert (content["length"], content["dim"], content["domain_size"]) == (10, 16, 66)
    assert isinstance(content["bound"], str)
    assert DECIMAL.fullmatch(content["bound"])
    for key in ("guaranteed_bound", "worst_error", "max_norm"):
        assert is_enclosure(content[key]), key
    assert content["construction"] in ("published", "derived")
    assert content["verdict"] == "counts"
    assert set(content["worst_input"]) == {"n", "m"}
    assert all(type(value) is int for value in content["worst_input"].values())
    assert content["length_cap"] == (110 if name == "softmax-pre-ln" else None)


@pytest.mark.parametrize(
    ("options", "status", "verdict"),
    [
        ((), 0, "counts"),
        (("-B", "1e6"), 0, "counts"),
        (("-B", "5.5"), 1, "fails"),
        (("-B", "11/2"), 1, "fails"),
        (("--construction", "published"), 0, "counts"),
        (("--precision", "64"), 0, "counts"),
    ],
)
def test_the_status_of_a_check_is_its_verdict(
    options: Sequence[str], status: int, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, shown, said = run(capsys, *CHECK, *options, "--json")
    assert (found, said) == (status, "")
    assert json.loads(shown)["verdict"] == verdict
    found, shown, said = run(capsys, *CHECK, *options)
    assert (found, said) == (status, "")
    assert verdict.removesuffix("s") in shown


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in ("linear", "linear-pre-ln")]
)
def test_a_low_precision_leaves_long_lengths_undecided(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("check", name, "-L", "1e18", "-d", "100000", "--precision", "64")
    status, shown, said = run(capsys, *words, "--json")
    assert (status, said) == (3, "")
    content = json.loads(shown)
    assert content["verdict"] == "undecided"
    low, high = content["worst_error"]["lower"], content["worst_error"]["upper"]
    assert Fraction(low) <= Fraction(1, 2)
    assert high == "inf" or Fraction(high) >= Fraction(1, 2)
    status, shown, said = run(capsys, *words)
    assert (status, said) == (3, "")
    assert "undecided" in shown


def test_check_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, said = run(capsys, "check", "softmax-post-ln-learned", "-L", "20000", "-d", "16")
    assert (status, said) == (0, "")
    first, *lines = shown.splitlines()
    assert first == "softmax-post-ln-learned counts to L = 20000 at d = 16, B = 1000"
    found = {line[:16].strip(): line[16:] for line in lines}
    assert found["construction"] == "published, guaranteed from B = 1000"
    assert found["inputs"] == "all 200,030,001 (n, m) with n + m <= 20,000"
    assert re.fullmatch(r"0\.49998\d+\.\.\. < 1/2 at n = 20000, m = 0", found["worst error"])
    assert found["largest norm"] == "1000"


def test_an_error_of_exactly_one_half_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, _ = run(capsys, "check", "linear-pre-ln", "-L", "1", "-d", "4", "-B", "1/4")
    assert status == 1
    assert "0.5 = 1/2 at n = 1, m = 0" in shown


@pytest.mark.parametrize("text", ["2.5", "5/2", "25e-1", "+2.5", " 5 / 2 ", "2.50000"])
def test_a_bound_is_read_exactly(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, shown, _ = run(capsys, *CHECK, "-B", text, "--json")
    assert json.loads(shown)["bound"] == "2.5"


@pytest.mark.parametrize(("text", "length"), [("1e3", 1000), ("10.0", 10), ("1e18", 10**18)])
def test_a_length_may_be_written_short(
    text: str, length: int, capsys: pytest.CaptureFixture[str]
) -> None:
    _, shown, _ = run(capsys, "check", "linear", "-L", text, "-d", "4", "--json")
    assert json.loads(shown)["length"] == length


# --- the other commands ---------------------------------------------------------------


@pytest.mark.parametrize("dim", [3, 16, 1000, 10**6])
def test_cap(dim: int, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, said = run(capsys, "cap", "-d", str(dim), "--json")
    assert (status, said) == (0, "")
    assert json.loads(shown) == {"schema": 1, "dim": dim, "length_cap": length_cap(dim)}
    status, shown, said = run(capsys, "cap", "--dim", str(dim))
    assert (status, said) == (0, "")
    assert shown == f"L_cap({dim}) = {length_cap(dim)}\n"


def test_table_3_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, said = run(capsys, "table", "3", "--json")
    assert (status, said) == (0, "")
    content = json.loads(shown)
    assert list(content) == ["schema", "rows"]
    assert len(content["rows"]) == 15
    kinds = {
        "bound": str, "dim": int, "variant": str, "attained": int, "construction_published": int,
        "construction": int, "verdict": str, "next_guaranteed": bool,
    }  # fmt: skip
    for row in content["rows"]:
        assert {key: type(row[key]) for key in kinds} == kinds
    assert shown == run(capsys, "table", "3", "--format", "json")[1]
    assert shown == run(capsys, "table", "3", "--format", "csv", "--json")[1]


def test_table_3_takes_bounds_and_a_dimension(capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, _ = run(
        capsys, "table", "3", "-B", "10", "-B", "7/2", "-d", "5", "--format", "csv"
    )
    assert status == 0
    lines = [line.split(",") for line in shown.splitlines()]
    assert lines[0][:3] == ["bound", "dim", "variant"]
    assert [line[0] for line in lines[1:]] == ["10"] * 3 + ["3.5"] * 3
    assert {line[1] for line in lines[1:]} == {"5"}


@pytest.mark.parametrize("form", ["text", "markdown", "csv", "json", "latex"])
@pytest.mark.parametrize("number", ["1", "3"])
def test_tables_in_every_format(number: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, said = run(capsys, "table", number, "--format", form)
    assert (status, said) == (0, "")
    assert "softmax-post-ln-learned" in shown
    assert shown.endswith("\n")


@pytest.mark.parametrize("name", NAMES)
def test_bmin_in_json(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, said = run(capsys, "bmin", name, "-L", "10", "-d", "16", "--json")
    assert (status, said) == (0, "")
    content = json.loads(shown)
    assert set(content) >= {
        "schema", "variant", "length", "dim", "lower", "upper", "regime", "published", "rate",
        "ratio_to_rate", "sharp_constant", "exact",
    }  # fmt: skip
    assert (content["variant"], content["length"], content["dim"]) == (name, 10, 16)
    assert type(content["exact"]) is bool
    assert 0 < Fraction(content["lower"]) <= Fraction(content["upper"])
    assert all(DECIMAL.fullmatch(content[key]) for key in ("lower", "upper"))


@pytest.mark.parametrize(
    ("name", "bound", "length"),
    [
        ("softmax", "10", 19),
        ("softmax-post-ln-learned", "300", 15723),
        ("softmax-post-ln-learned", "1000", 78296),
        ("softmax-pre-ln", "1e9", 110),
        ("linear", "100", "unbounded"),
        ("softmax-post-ln", "1/1000", 0),
    ],
)
def test_lmax_in_json(
    name: str, bound: str, length: int | str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, shown, said = run(capsys, "lmax", name, "-B", bound, "-d", "16", "--json")
    assert (status, said) == (0, "")
    content = json.loads(shown)
    assert set(content) >= {"schema", "variant", "bound", "dim", "length", "published"}
    assert content["length"] == length
    assert Fraction(content["bound"]) == Fraction(bound)


def test_a_certificate_is_written_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "certificate.json"
    words = ("bmin", "softmax", "-L", "10", "-d", "16", "--certificate", str(path))
    assert run(capsys, *words)[0] == 0
    status, shown, said = run(capsys, "verify", str(path))
    assert (status, said) == (0, "")
    assert shown.startswith("VERIFIED softmax")
    status, shown, said = run(capsys, "verify", str(path), "--json")
    assert (status, said) == (0, "")
    content = json.loads(shown)
    assert set(content) >= {"schema", "file", "verdict", "claim", "reason"}
    assert (content["verdict"], content["reason"]) == ("VERIFIED", None)
    path.write_text(path.read_text().replace('"length": 10', '"length": 11'))
    status, shown, said = run(capsys, "verify", str(path))
    assert (status, said) == (1, "")
    assert shown.startswith("REJECTED ")


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[" * 100_000, b"\xff\xfe", b'{"schema": ' + b"9" * 100_000, b"null"]
)
def test_what_is_no_certificate_is_rejected(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "certificate.json"
    path.write_bytes(content)
    status, shown, said = run(capsys, "verify", str(path))
    assert (status, said) == (1, "")
    assert shown.startswith("REJECTED ")
    assert shown.count("\n") == 1


@pytest.mark.parametrize("name", NAMES)
def test_show(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, said = run(capsys, "show", name, "--json")
    assert (status, said) == (0, "")
    content = json.loads(shown)
    assert list(content) == ["schema", "variant", "formulas"]
    assert content["variant"] == name
    assert content["formulas"]
    assert all(isinstance(text, str) and text for text in content["formulas"].values())
    _, shown, _ = run(capsys, "show", name)
    for label, text in content["formulas"].items():
        assert re.search(rf"^{re.escape(label)} +=? *{re.escape(text)}$", shown, re.MULTILINE)
    status, shown, said = run(capsys, "show", name, "--format", "latex")
    assert (status, said) == (0, "")
    assert "\\frac" in shown or "\\sqrt" in shown


def test_no_command_shows_what_there_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = Path(__file__).parent / "data" / "checkpoints" / "counts-to-100.safetensors"
    (tmp_path / "layer.safetensors").write_bytes(example.read_bytes())
    monkeypatch.chdir(tmp_path)
    below = ("-L", "10", "-d", "16", "-B", "1", "--certificate", "below.json")
    assert run(capsys, "check", "softmax", *below)[0] == 1
    status, shown, said = run(capsys)
    assert (status, said) == (0, "")
    commands = re.findall(r"^  (countbounds .*?)   ", shown, re.MULTILINE)
    assert {command.split()[1] for command in commands} == set(_EXAMPLES) - {"storage"}
    for command in commands:
        if command.split()[1] not in (
            "figure",
            "report",
            "sweep",
            "train",
        ):  # of which others are tests
            status, _, said = run(capsys, *command.split()[1:])
            assert (status, said) == (0, ""), command


@pytest.mark.parametrize("words", [("--version",), ("-V",)])
def test_version(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, *words) == (0, f"countbounds {__version__}\n", "")


@pytest.mark.parametrize(
    "words", [("--help",), ("check", "--help"), ("cap", "-h"), ("table", "-h"), ("show", "-h")]
)
def test_help(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, said = run(capsys, *words)
    assert (status, said) == (0, "")
    assert shown.startswith("usage: countbounds")


@pytest.mark.parametrize(
    ("lengths", "dims", "shown", "said"),
    [
        ("10", "3", "1 cell\n", ""),
        ("10,20", "3", "2 cells\n", ""),
        ("10", "2", "1 cell\n", "countbounds: 1 of 1 cell failed, the first softmax at L = 10, d"),
        ("10", "2,3", "2 cells\n", "countbounds: 1 of 2 cells failed, the first softmax at L"),
    ],
)
def test_cells_are_counted(
    lengths: str,
    dims: str,
    shown: str,
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    out = str(tmp_path / "out.csv")
    words = ["--variants", "softmax", "--lengths", lengths, "--dims", dims, "--jobs", "1"]
    assert main(["sweep", *words, "--out", out]) == (3 if said else 0)
    found = capsys.readouterr()
    assert found.out == f"{out}: {shown}"
    assert found.err.startswith(said)


def test_a_file_takes_what_would_be_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (CHECK, (*CHECK, "--json"), ("table", "3", "--format", "csv"), ("cap", "-d", "5")):
        path = tmp_path / "result"
        _, shown, _ = run(capsys, *words)
        assert run(capsys, *words, "--out", str(path)) == (0, "", "")
        assert path.read_text("utf-8") == shown
    assert os.listdir(tmp_path) == ["result"]


def test_a_refuted_claim_is_written_to_a_file_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "result.json"
    status, shown, said = run(capsys, *CHECK, "-B", "5", "--json", "--out", str(path))
    assert (status, shown, said) == (1, "", "")
    assert json.loads(path.read_text("utf-8"))["verdict"] == "fails"
    status, shown, said = run(capsys, *CHECK, "-B", "1", "--json", "--out", str(path))
    assert (status, shown) == (1, "")
    assert said.count("\n") <= 1
    assert json.loads(path.read_text("utf-8"))["verdict"] in ("fails", "impossible")


# --- wrong calls ----------------------------------------------------------------------


def with_option(option: str, text: str) -> tuple[str, ...]:
    """A good check with one option changed."""
    words = list(CHECK)
    if option in words:
        words[words.index(option) + 1] = text
        return tuple(words)
    return (*CHECK, option, text)


COMMANDS: Final = ("check", "bmin", "lmax", "cap", "table", "show", "verify")
WRONG: Final[list[tuple[tuple[str, ...], str]]] = [
    (("check", "softmaks", "-L", "10", "-d", "16"), r'did you mean "softmax"'),
    (("check", "SOFTMAX", "-L", "10", "-d", "16"), r'did you mean "softmax"'),
    (("check", "", "-L", "10", "-d", "16"), "no variant"),
    (("check", LONG, "-L", "10", "-d", "16"), "no variant"),
    (("show", "softmax-pre-nl"), r'did you mean "softmax-pre-ln"'),
    (("show",), "VARIANT"),
    (("check", "a\nb", "-L", "10", "-d", "16"), "no variant"),
    *[(with_option("-L", text), "length L is an integer") for text in (
        "0", "-1", "2.5", "1/3", "1e18000", "1000000000000000001", "1e19", "nan", "inf",
        "text", "", " ", LONG, "9" * 6000, "1e999999999", "1/0", "0x10", "\u0661", "1,000",
    )],
    *[(with_option("-d", text), "dimension d is an integer") for text in (
        "2", "0", "-16", "1000001", "1e7", "16.5", "nan", "text", "", "1/0", "9" * 6000,
    )],
    *[(with_option("-B", text), "bound B") for text in (
        "0", "0/7", "0e5", "-1", "nan", "inf", "1/0", "0/0", "1e999999999", "1e-999999999",
        "1e10001", "1e99999999999999", "text", "", " ", LONG, "1" * 30_000, "1/2/3", "1_000",
        "2,5", ".", "e5", "5e", "0x1p3", "\u0665", "1e5.5", "NaN", "Infinity",
    )],
    *[(with_option("-B", text), "-B") for text in ("-inf", "-1/3", "-1e3")],
    *[(with_option("--precision", text), "precision") for text in (
        "63", "0", "-1", "x", "1e9", "64.5",
    )],
    (with_option("--construction", "best"), "choose from"),
    (with_option("--construction", "derived"), "constructions? of softmax-post-ln"),
    (with_option("--out", ""), "name"),
    (with_option("--out", "."), "folder"),
    (with_option("--out", "no/such/folder/file"), "does not exist"),
    (with_option("--bogus", "1"), "--bogus"),
    ((*CHECK, "extra"), "extra"),
    ((*CHECK, "--lengt", "5"), "--lengt"),
    (("check", "softmax", "-d", "16"), "-L/--length"),
    (("check", "softmax", "-L", "10"), "-d/--dim"),
    (("check", "-L", "10", "-d", "16"), "VARIANT"),
    (("check",), "required"),
    (("check", "softmax", "-L"), "expected one argument"),
    (("chek", "softmax", "-L", "10", "-d", "16"), "chek"),
    ((LONG,), "COMMAND"),
    (("",), "COMMAND"),
    (("--bogus",), "--bogus"),
    (("--json",), "--json"),
    *[(("bmin", "softmax", *words), says) for words, says in (
        (("-L", "0", "-d", "16"), "length L is an integer"),
        (("-L", "10", "-d", "2"), "dimension d is an integer"),
        (("-L", "10"), "-d/--dim"),
        (("-L", "10", "-d", "16", "-B", "3"), "-B"),
        (("-L", "10", "-d", "16", "--digits", "0"), "digits"),
        (("-L", "10", "-d", "16", "--digits", "1e9"), "digits"),
        (("-L", "10", "-d", "16", "--digits", "2.5"), "digits"),
        (("-L", "10", "-d", "16", "--certificate", ""), "name"),
        (("-L", "10", "-d", "16", "--certificate", "no/such/file"), "does not exist"),
    )],
    (("bmin", "softmaks", "-L", "10", "-d", "16"), r'did you mean "softmax"'),
    (("lmax", "softmaks", "-B", "10", "-d", "16"), r'did you mean "softmax"'),
    (("lmax", "softmax", "-d", "16"), "-B/--bound"),
    (("lmax", "softmax", "-B", "0", "-d", "16"), "bound B"),
    (("lmax", "softmax", "-B", "1e100", "-d", "16"), "smaller bound"),
    (("lmax", "softmax", "-B", "10", "-d", "1"), "dimension d"),
    (("verify",), "FILE"),
    (("verify", "no-such-file"), "cannot be read"),
    (("verify", "."), "cannot be read"),
    (("cap",), "-d/--dim"),
    (("cap", "-d", "2"), "dimension d"),
    (("cap", "-d", "16", "-L", "5"), "-L"),
    (("table",), "required"),
    (("table", "4"), "choose from"),
    (("table", "3", "--format", "xml"), "choose from"),
    (("table", "3", "-d", "2"), "dimension d"),
    (("table", "1", "-d", "2"), "dimension d"),
    (("table", "1", "-B", "10"), "Table 1 has no"),
    (("table", "3", "-B", "0"), "bound B"),
    (("table", "3", "-B", "10", "-B", "text"), "bound B"),
    (("show", "softmax", "--format", "csv"), "choose from"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "says"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_call_says_one_line(
    words: Sequence[str], says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for json_too in ((), ("--json",)) if words[0] in COMMANDS else ((),):
        status, shown, said = run(capsys, *words, *json_too)
        assert (status, shown) == (2, "")
        assert re.search(says, said)
        assert said.startswith("countbounds: ")
        assert said.endswith("\n")
        assert said.count("\n") == 1
        assert "Traceback" not in said
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("words", "says"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_call_repeats_no_more_than_a_little(
    words: Sequence[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(run(capsys, *words)[2]) < 400


def test_a_wrong_call_points_to_the_help_of_its_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words, command in (
        ((*CHECK, "--bogus"), "countbounds check --help"),
        (("check", "softmax"), "countbounds check --help"),
        (("cap", "-d", "16", "x"), "countbounds cap --help"),
        (("--bogus",), "countbounds --help"),
        (("--json",), "countbounds --help"),
        (("chek",), "countbounds --help"),
    ):
        assert f"({command} shows" in run(capsys, *words)[2]


def test_a_wrong_call_in_a_process_of_its_own() -> None:
    done = process("check", "softmax", "-L", "0", "-d", "16", "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "countbounds: The length L is an integer from 1 to 10^18, not 0.\n"


# --- impossible -----------------------------------------------------------------------


@pytest.mark.parametrize(("dim", "length"), [(3, 13), (16, 111), (16, 10**18), (100, 10**6)])
def test_beyond_the_cap(dim: int, length: int, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("check", "softmax-pre-ln", "-L", str(length), "-d", str(dim))
    status, shown, said = run(capsys, *words)
    assert (status, shown) == (1, "")
    assert f"L_cap({dim}) = {length_cap(dim)}" in said
    status, shown, again = run(capsys, *words, "--json")
    assert (status, again) == (1, said)
    assert said.count("\n") == 1
    content = json.loads(shown)
    assert content["verdict"] == "impossible"
    assert content["bound"] is None
    assert content["guaranteed_bound"] == {"lower": "inf", "upper": "inf"}
    assert content["worst_error"] is content["worst_input"] is content["max_norm"] is None
    assert content["domain_size"] == (length + 1) * (length + 2) // 2
    assert content["length_cap"] == length_cap(dim)


@pytest.mark.parametrize("name", NAMES)
def test_a_bound_below_any(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("check", name, "-L", "10", "-d", "16", "-B", "1/50")
    status, shown, said = run(capsys, *words, "--json")
    assert (status, said) == (1, "")
    content = json.loads(shown)
    assert content["verdict"] == "impossible"
    assert Fraction(content["bound"]) == Fraction(1, 50)
    assert Fraction(content["bound"]) <= Fraction(content["refuted"])
    for key in ("guaranteed_bound", "worst_error", "max_norm"):
        assert is_enclosure(content[key]), key
    assert Fraction(content["worst_error"]["lower"]) >= Fraction(1, 2)
    for length, dim, b_min in reference(name):
        if (length, dim) == (10, 16):
            assert Fraction(content["refuted"]) < b_min
    status, shown, said = run(capsys, *words)
    assert (status, said) == (1, "")
    assert "no parameters of norm" in shown


@pytest.mark.parametrize("name", NAMES)
def test_the_optimum_at_a_bound_below_any(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("check", name, "-L", "10", "-d", "16", "-B", "1/50", "--construction", "optimal")
    status, shown, said = run(capsys, *words)
    assert status == 1
    assert said.count("\n") <= 1
    assert "None" not in shown + said
    assert "L_cap" not in shown + said
    status, shown, _ = run(capsys, *words, "--json")
    assert status == 1
    assert json.loads(shown)["verdict"] == "impossible"


# --- faults and interruptions ---------------------------------------------------------


def raising(error: BaseException) -> Any:
    def fail(*_: object, **__: object) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (KeyboardInterrupt(), 130, "Interrupted"),
        (Undecided("A sign stays open."), 3, "A sign stays open"),
        (RuntimeError("first\nsecond"), 70, "RuntimeError: first second"),
        (
            CountboundsError("The norm is too long."),
            70,
            "fault of the program: The norm is too long",
        ),
        (AssertionError(), 70, "AssertionError"),
        (MemoryError(), 70, "MemoryError"),
        (RecursionError("too deep"), 70, "too deep"),
    ],
)
def test_faults_and_interruptions(
    error: BaseException,
    status: int,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("COUNTBOUNDS_TRACEBACK", raising=False)
    monkeypatch.setattr(countbounds.checking, "check", raising(error))
    for more in ((), ("--json",)):
        found, shown, said = run(capsys, *CHECK, *more)
        assert (found, shown) == (status, "")
        assert says in said
        assert said.count("\n") == 1


def test_a_fault_shows_where_it_is_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COUNTBOUNDS_TRACEBACK", "1")
    monkeypatch.setattr(countbounds.checking, "check", raising(RuntimeError("here")))
    with pytest.raises(RuntimeError, match="here"):
        run(capsys, *CHECK)


def test_an_interrupted_table_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import countbounds.tables

    monkeypatch.setattr(countbounds.tables, "worst_error", raising(KeyboardInterrupt()))
    path = tmp_path / "table.csv"
    status, shown, said = run(capsys, "table", "3", "--format", "csv", "--out", str(path))
    assert (status, shown) == (130, "")
    assert said.count("\n") == 1
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers that send signals")
def test_an_interrupted_process() -> None:
    code = (
        "import signal, sys; from countbounds.cli import main;"
        "signal.signal(signal.SIGALRM, signal.default_int_handler);"
        "signal.setitimer(signal.ITIMER_REAL, 0.4); sys.exit(main(sys.argv[1:]))"
    )
    many = [word for bound in range(1, 3000) for word in ("-B", f"{bound}/7")]
    done = subprocess.run(
        [sys.executable, "-c", code, "table", "3", *many],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "countbounds: Interrupted.\n"


# --- pipes and streams ----------------------------------------------------------------


def closed_pipe() -> int:
    """The writing end of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize(
    "words",
    [
        ("table", "1"),
        ("table", "3", "--json"),
        CHECK,
        (*CHECK, "-B", "1e9"),
        ("cap", "-d", "1000000"),
        ("show", "softmax"),
        (),
        ("--help",),
        ("--version",),
    ],
    ids=" ".join,
)
def test_a_closed_pipe_is_quiet(words: Sequence[str]) -> None:
    pipe = closed_pipe()
    try:
        done = process(*words, stdout=pipe)
    finally:
        os.close(pipe)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="needs a pipe of known size")
def test_a_reader_that_leaves_is_quiet() -> None:
    reading, writing = os.pipe()
    assert fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096) == 4096
    many = [word for bound in range(2, 9) for word in ("-B", str(bound))]
    running = subprocess.Popen(
        [sys.executable, "-m", "countbounds", "table", "3", "--json", *many],
        stdout=writing,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    os.close(writing)
    assert os.read(reading, 1) == b"{"
    os.close(reading)
    assert running.stderr is not None
    assert running.stderr.read() == ""
    running.stderr.close()
    assert running.wait(60) == 0


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("check", "softmax", "-L", "0", "-d", "16"), 2),
        (("check", "softmax-pre-ln", "-L", "111", "-d", "16", "--json"), 1),
    ],
)
def test_a_message_that_nobody_reads_changes_nothing(words: Sequence[str], status: int) -> None:
    pipe = closed_pipe()
    try:
        done = process(*words, stderr=pipe)
    finally:
        os.close(pipe)
    assert done.returncode == status
    if status == 1:
        assert json.loads(done.stdout)["verdict"] == "impossible"
    else:
        assert done.stdout == ""


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", f'"$0" -m countbounds {command}', sys.executable],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_streams_that_are_closed() -> None:
    done = shell("check softmax-pre-ln -L 111 -d 16 --json 2>&-")
    assert done.returncode == 1
    assert json.loads(done.stdout)["verdict"] == "impossible"
    done = shell("check softmax -L 0 -d 16 2>&-")
    assert (done.returncode, done.stdout) == (2, "")
    done = shell("cap -d 16 >&-")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("words", ["cap -d 16", "--version", "table 1 --json"])
def test_a_full_disk_is_said_in_one_line(words: str) -> None:
    done = shell(f"{words} > /dev/full")
    assert done.returncode not in (0, 1)
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("ascii", ("table", "1")),
        ("ascii", ("table", "3", "-B", "10")),
        ("cp1252", ("table", "3", "-B", "10")),
        ("utf-16", CHECK),
        ("ascii", ("show", "softmax-pre-ln")),
    ],
)
def test_any_encoding_will_do(encoding: str, words: Sequence[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "countbounds", *words],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode(encoding).endswith("\n")


def test_progress_is_shown_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "table", "3", "-B", "10")[2] == ""
    with monkeypatch.context() as patched:
        patched.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        status, shown, said = run(capsys, "table", "3", "-B", "10", "--json")
    assert status == 0
    assert json.loads(shown)["schema"] == 1
    assert "B = 10, softmax-post-ln" in said
    assert said.endswith("\r\x1b[K")


# --- a cold start ---------------------------------------------------------------------


def imported(*words: str) -> set[str]:
    """The modules that a command imports."""
    code = (
        "import sys; from countbounds.cli import main; status = main(sys.argv[1:]);"
        "print('\\n'.join(sys.modules), file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, encoding="utf-8", check=True
    )
    return {name.partition(".")[0] for name in done.stderr.split()}


def test_check_starts_without_what_is_slow_to_import() -> None:
    heavy = {"sympy", "mpmath", "numpy", "rich", "gmpy2", "json"}
    assert not imported(*CHECK) & heavy
    assert "flint" in imported(*CHECK)
    assert not imported(*CHECK, "--json") & (heavy - {"json"})
    assert not imported("cap", "-d", "16") & heavy


def test_only_what_needs_them_imports_sympy_and_rich() -> None:
    assert "sympy" in imported("show", "softmax")
    assert not imported("table", "3", "-B", "10", "--format", "csv") & {"sympy", "rich", "numpy"}
    assert not imported("table", "1", "--format", "csv") & {"rich", "numpy"}


def test_version_imports_next_to_nothing() -> None:
    assert not imported("--version") & {"argparse", "flint", "typing", "dataclasses", "re"}


def test_importing_the_package_costs_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import countbounds;"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == "['__future__', 'countbounds']\n"


# --- entry points ---------------------------------------------------------------------


def test_the_module_is_the_command() -> None:
    done = process("cap", "-d", "16")
    assert (done.returncode, done.stdout, done.stderr) == (0, "L_cap(16) = 110\n", "")
    assert process("--version").stdout == f"countbounds {__version__}\n"
    assert process().stdout.startswith("countbounds: how large must the weights")
    assert process("check", "softmax", "-L", "10", "-d", "16", "-B", "2").returncode == 1


def test_the_script_is_the_command() -> None:
    script = Path(sys.executable).with_name("countbounds")
    done = subprocess.run(
        [str(script), "cap", "-d", "3"], capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "L_cap(3) = 12\n", "")
    refuted = subprocess.run([str(script), *CHECK, "-B", "1"], capture_output=True, check=False)
    assert refuted.returncode == 1


def test_without_arguments_the_process_s_own_are_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["countbounds", "cap", "-d", "4"])
    assert main() == 0
    assert capsys.readouterr().out == f"L_cap(4) = {length_cap(4)}\n"


def test_exact_counting_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("bmin", "-L", "10", "-d", "64", "--exact", "--json")
    status, shown, said = run(capsys, *words, "linear")
    assert (status, said) == (0, "")
    content = json.loads(shown)
    assert content["counting"] == "exact"
    assert Fraction(content["lower"]) < 2 < Fraction(content["upper"])
    status, shown, said = run(capsys, *words, "softmax-post-ln")
    assert (status, said) == (1, "")
    content = json.loads(shown)
    assert (content["lower"], content["upper"]) == ("inf", "inf")
    status, shown, said = run(capsys, "bmin", "softmax", "-L", "1", "-d", "64", "--exact")
    assert (status, shown) == (2, "")
    assert "not covered" in said
