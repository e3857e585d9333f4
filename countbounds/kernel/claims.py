"""The strict reading of fields and numbers, and the question that takes more bits.

Nothing is filled in: every object must have exactly the fields that are named, each number
is a reduced fraction written as "p" or "p/q", and whatever is unknown is refused.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

HALF = Fraction(1, 2)
LONGEST = 10**18
_NUMBER = re.compile(r"-?[0-9]{1,4000}(/[1-9][0-9]{0,3999})?", re.ASCII)

Facts = list[tuple[bool, bool]]  # whether each holds for certain, and whether it may


class RejectedError(Exception):
    """The certificate does not prove its claim; the message says why."""


def require(condition: bool, reason: str) -> None:
    """Refuse the certificate unless the condition holds."""
    if not condition:
        raise RejectedError(reason)


def fields(content: Any, *names: str) -> list[Any]:
    """The values of an object that has exactly these fields."""
    require(isinstance(content, dict), "an object is expected where something else stands")
    odd = sorted(set(content) ^ set(names))
    require(not odd, f"a field is missing or unknown: {odd and odd[0][:40]!r}")
    return [content[name] for name in names]


def number(content: Any) -> Fraction:
    """A rational number in its one form, a reduced fraction."""
    good = isinstance(content, str) and _NUMBER.fullmatch(content) is not None
    require(good and content == str(Fraction(content)), 'a number is not a reduced "p" or "p/q"')
    return Fraction(content)


def positive(content: Any) -> Fraction:
    """A rational number > 0."""
    require(number(content) > 0, "a number that has to be positive is not")
    return number(content)


def integer(content: Any, low: int, high: int) -> int:
    """An integer of low..high."""
    require(type(content) is int and low <= content <= high, "an integer is out of its range")
    return int(content)


def prove(facts: Callable[[int], Facts], what: str) -> None:
    """Refuse unless all facts hold, each judged with more and more bits."""
    for bits in (128 << step for step in range(7)):
        with suppress(ValueError, ZeroDivisionError):  # an enclosure is too wide for a step
            known = facts(bits)
            require(all(may for _, may in known), f"{what} does not hold")
            if all(certain for certain, _ in known):
                return
    raise RejectedError(f"{what} is not decided by 8192 bits")
