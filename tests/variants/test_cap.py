"""The largest length of bare pre-LN softmax.

L_cap(d) = max { L : floor((L-1)^2/4) < e^(2 sqrt d) }.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import gmpy2
import mpmath
import pytest
from hypothesis import given

from countbounds import check, length_cap
from countbounds.cli import main
from countbounds.variants import variant
from tests.tiers import by_tier
from tests.variants import strategies


def test_two_values_of_the_paper_s_setting() -> None:
    assert length_cap(3) == 12
    assert length_cap(16) == 110


def direct_search(dim: int) -> int:
    """Try every length, in 60 digits."""
    with mpmath.workdps(60):
        limit = mpmath.exp(2 * mpmath.sqrt(dim))
        length = 1
        while mpmath.mpf(length * length // 4) < limit:
            length += 1
        return length


def bisection(dim: int) -> int:
    """Halve an interval of lengths, in far more digits than they have."""
    with mpmath.workdps(120):
        limit = mpmath.exp(2 * mpmath.sqrt(dim))
        low, high = 1, 2
        while mpmath.mpf((high - 1) ** 2 // 4) < limit:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            if mpmath.mpf((middle - 1) ** 2 // 4) < limit:
                low = middle
            else:
                high = middle
        return low


def test_a_direct_search_agrees() -> None:
    for dim in range(3, 60):
        assert length_cap(dim) == direct_search(dim), dim


def test_bisection_agrees() -> None:
    for dim in range(3, 600):
        assert length_cap(dim) == bisection(dim), dim


def limits(dim: int, bits: int) -> tuple[Any, Any]:
    """e^(2 sqrt d), rounded down and up."""
    found = []
    for direction in (gmpy2.RoundDown, gmpy2.RoundUp):
        with gmpy2.context(precision=bits, round=direction):
            found.append(gmpy2.exp(2 * gmpy2.sqrt(gmpy2.mpfr(dim))))
    return found[0], found[1]


def check_the_inequality(dim: int) -> None:
    cap = length_cap(dim)
    low, high = limits(dim, cap.bit_length() * 2 + 200)
    assert high - low < 1
    assert gmpy2.mpz((cap - 1) ** 2 // 4) < low, dim
    assert gmpy2.mpz(cap**2 // 4) >= high, dim


@pytest.mark.parametrize("dim", [3, 4, 10**3, 10**4, 99_999, 10**6 - 1, 10**6])
def test_the_defining_inequality_holds(dim: int) -> None:
    check_the_inequality(dim)


@given(strategies.dims)
def test_the_defining_inequality_holds_anywhere(dim: int) -> None:
    check_the_inequality(dim)


@pytest.mark.slow
def test_the_defining_inequality_holds_everywhere() -> None:
    for dim in range(3, 10**6, by_tier(97, sample=997)):
        check_the_inequality(dim)


def test_it_grows_like_twice_e_to_the_root_of_d() -> None:
    for dim in range(3, 800):
        with mpmath.workdps(60):
            smooth = 1 + 2 * mpmath.exp(mpmath.sqrt(dim))
            assert abs(length_cap(dim) - smooth) <= 1, dim
    assert all(length_cap(dim) < length_cap(dim + 1) for dim in range(3, 200))


@pytest.mark.parametrize("dim", [3, 4, 5, 16, 100])
def test_the_cap_is_reached_and_the_next_length_impossible(dim: int) -> None:
    cap = length_cap(dim)
    assert variant("softmax-pre-ln").longest is not None
    assert check("softmax-pre-ln", cap, dim).verdict == "counts"
    for bound in (None, 1, Fraction(1, 3), "1e100"):
        for beyond in (cap + 1, 2 * cap, 10**18):
            result = check("softmax-pre-ln", beyond, dim, bound)
            assert result.verdict == "impossible"
            assert result.longest == cap
            assert result.worst_error is None
            assert result.worst_input is None
            assert result.max_norm is None
            assert result.guaranteed_bound.lower is result.guaranteed_bound.upper is None
            assert result.as_dict()["guaranteed_bound"] == {"lower": "inf", "upper": "inf"}


@pytest.mark.parametrize("options", [[], ["--json"], ["-B", "3", "--json"], ["-B", "1/3"]])
def test_the_command_line_names_the_cap(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["check", "softmax-pre-ln", "-L", "111", "-d", "16", *options])
    shown, said = capsys.readouterr()
    assert status == 1
    assert said.count("\n") == 1
    assert "L_cap(16) = 110" in said
    if "--json" in options:
        content = json.loads(shown)
        assert content["verdict"] == "impossible"
        assert content["length_cap"] == 110
        assert content["worst_error"] is content["worst_input"] is content["max_norm"] is None
    else:
        assert shown == ""
