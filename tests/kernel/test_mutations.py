"""Random damage: whatever still passes must still be true, and nothing may take long."""

from __future__ import annotations

import json
import random
import resource
import time
from fractions import Fraction
from typing import Any

import pytest

from countbounds.bounds import search
from countbounds.kernel import RejectedError, verify
from countbounds.variants.softmax_pre_ln import length_cap
from tests.kernel.samples import texts
from tests.kernel.test_verify import paths, replaced
from tests.tiers import by_tier

MUTATIONS = by_tier(100_000, sample=2_000)
SHARE = 20
HUGE = ["9" * 3999, "1/" + "7" * 3999, "-" + "3" * 3999, "1" + "0" * 3000, "1/1" + "0" * 3000]


def mutate(text: str, random_: random.Random) -> str:
    """One change: of a value, of a digit, of the structure, or of the bytes."""
    content = json.loads(text)
    kind = random_.randrange(8)
    if kind <= 4:
        path = random_.choice(list(paths(content)))
        return json.dumps(replaced(content, path, value(content, path, random_)))
    if kind == 5:
        place = random_.randrange(len(text))
        return text[:place] + random_.choice('0123456789"{}[],:/-.eN') + text[place + 1 :]
    if kind == 6:
        return text[: random_.randrange(len(text))]
    other = json.loads(random_.choice(sorted(texts().values())))
    field = random_.choice(["claim", "proof", "variant", "dim"])
    return json.dumps({**content, field: other[field]})


def value(content: Any, path: tuple[Any, ...], random_: random.Random) -> Any:
    old = content
    for key in path:
        old = old[key]
    choices: list[Any] = [
        ...,
        None,
        True,
        0,
        -1,
        10**18,
        10**19,
        "",
        "0",
        [],
        {},
        "x",
        [[["1", 3]]],
    ]
    choices += HUGE
    if isinstance(old, int):
        choices += [old + 1, old - 1, old * 2, old // 2] * 4
    if isinstance(old, str) and old.strip("-0123456789/") == "" and old:
        exact = Fraction(old)
        steps = [
            exact * f for f in (2, Fraction(1, 2), Fraction(1001, 1000), Fraction(999, 1000), -1)
        ]
        steps += [exact + Fraction(1, 10**k) for k in (3, 9, 30)]
        choices += [str(step) for step in steps] * 4
    return random_.choice(choices)


def is_true(text: str) -> bool:
    """Whether a claim is right, by a search of its own (brackets of 9 digits)."""
    content = json.loads(text)
    variant, dim = str(content["variant"]), int(content["dim"])
    claim: dict[str, Any] = content["claim"]
    kind = claim["kind"]
    if kind == "unbounded":
        bound = Fraction(claim["bound"])
        return {"linear": bound**8 >= 2 * dim, "linear-pre-ln": 2 * bound * dim >= 3}[variant]
    if kind == "exact bracket":
        lower, upper = Fraction(claim["lower"]), Fraction(claim["upper"])
        if variant == "linear":
            return lower**8 <= 4 * dim <= upper**8
        return variant == "linear-pre-ln" and lower * dim <= 2 <= upper * dim
    length = claim["length"]
    if kind == "cap":
        return bool(variant == "softmax-pre-ln" and length == length_cap(dim))

    def bracket(at: int) -> tuple[Fraction, Fraction]:
        if variant == "softmax-pre-ln" and at > length_cap(dim):
            return Fraction(10**30), Fraction(10**40)
        found = search(variant, at, dim, 9)
        return found.lower, found.upper

    if kind == "longest":
        bound = Fraction(claim["bound"])
        fits = length == 0 or bracket(length)[0] <= bound
        return fits and bound <= bracket(length + 1)[1]
    lower, upper = bracket(length)
    if kind == "bracket":
        return Fraction(claim["lower"]) <= upper and lower <= Fraction(claim["upper"])
    if kind == "possible":
        return lower <= Fraction(claim["bound"])
    return Fraction(claim["bound"]) <= upper


def damage(seed: int, count: int) -> None:
    random_ = random.Random(seed)
    originals = sorted(texts().values())
    for _ in range(count):
        original = random_.choice(originals)
        text = mutate(original, random_)
        begun = time.process_time()
        try:
            verify(text)
        except RejectedError:
            passed = False
        else:
            passed = True
        assert time.process_time() - begun < 1, text[:2000]
        if passed and json.loads(text) != json.loads(original):
            assert is_true(text), text[:2000]


def test_a_few_mutations() -> None:
    damage(0, 400)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(SHARE))
def test_many_mutations(part: int) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    damage(1000 + part, MUTATIONS // SHARE)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 200 * 1024  # kilobytes
