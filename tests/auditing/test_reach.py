"""How far a layer counts, found from checks of whole domains."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from countbounds.auditing.reach import Reach, reach
from countbounds.domain import LONGEST
from countbounds.domain.verdict import Verdict

LENGTHS = st.integers(1, 10**6) | st.integers(1, LONGEST)


@dataclass
class Answer:
    verdict: Verdict
    counts: tuple[int, ...] | None = None


class Known:
    """A layer that counts up to a length, is undecided for some more, and fails after."""

    def __init__(self, last: int, unclear: int = 0, *, hints: bool = False) -> None:
        self.last, self.unclear, self.hints = last, unclear, hints
        self.asked: list[int] = []

    def __call__(self, length: int) -> Answer:
        self.asked.append(length)
        if length <= self.last:
            return Answer("counts")
        if length <= self.last + self.unclear:
            return Answer("undecided")
        failing = (self.last + self.unclear + 1, 0)
        return Answer("fails", failing if self.hints else None)


@given(LENGTHS, st.integers(0, LONGEST - 1), st.booleans())
def test_finds_the_longest_length(length: int, last: int, hints: bool) -> None:
    check = Known(last, hints=hints)
    found = reach(check, length, check(length))
    assert found == Reach(last, last)
    assert found.length == last
    assert len(check.asked) <= 130
    assert max(check.asked) <= LONGEST


@given(LENGTHS, st.integers(0, 10**9), st.integers(1, 10**9))
def test_what_is_undecided_stays_open(length: int, last: int, unclear: int) -> None:
    check = Known(last, unclear)
    found = reach(check, length, check(length))
    assert found == Reach(last, last + unclear)
    assert found.length is None


def test_a_hint_saves_the_search() -> None:
    check = Known(10**6, hints=True)
    assert reach(check, 10**9, check(10**9)).length == 10**6
    assert len(check.asked) <= 24


def test_beyond_the_longest_length_nothing_is_claimed() -> None:
    check = Known(LONGEST)
    assert reach(check, 5, check(5)) == Reach(LONGEST, None)


@given(st.integers(1, 1000), st.integers(0, 1000))
def test_a_head_ends_with_its_classes(longest: int, last: int) -> None:
    check = Known(last)
    found = reach(check, 1, check(1), longest)
    assert found == Reach(min(last, longest), min(last, longest))
    assert max(check.asked) <= longest


def test_an_input_without_tokens_fails_at_length_one() -> None:
    assert reach(lambda length: Answer("fails", (0, 0)), 7, Answer("fails", (0, 0))) == Reach(0, 0)
