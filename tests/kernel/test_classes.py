"""Certificates of classification heads: accepted, refused, and compared with every input."""

from __future__ import annotations

import itertools
import json
import random
import time
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import pytest

from countbounds.certificate import as_text
from countbounds.expressions import evaluate
from countbounds.heads.certify import DIGITS, gap_certificate
from countbounds.heads.constructions import construction
from countbounds.kernel import RejectedError, verify
from countbounds.rings import Enclosure
from countbounds.variants import NAMES
from tests.kernel.test_verify import at, paths, replaced
from tests.tiers import by_tier

PLACES = [
    (1, 3, "1"),
    (2, 4, "1/2"),
    (7, 3, "3"),
    (60, 16, "1"),
    (1000, 3, "1/3"),
    (10**5, 10**6, "7"),
]
MUTATIONS = by_tier(1_000, sample=80)


@cache
def text(name: str, length: int, dim: int, bound: str = "1") -> str:
    return as_text(gap_certificate(name, length, dim, Fraction(bound)))


@pytest.mark.parametrize("place", PLACES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_every_head_is_verified(name: str, place: tuple[int, int, str]) -> None:
    length, dim, bound = place
    content = json.loads(text(name, *place))
    said = verify(text(name, *place))
    gap = content["claim"]["gap"]
    assert said == (
        f"{name}, d = {dim}: some classes of norm <= {bound} decode all counts to {length} "
        f"with a gap >= {gap}"
    )
    with Enclosure(400) as ring:
        share = ring.number(Fraction(gap)) / evaluate(
            construction(name, length, dim, Fraction(bound)).gap, ring
        )
        assert share < 1
        assert share > 1 - ring.number(Fraction(1, 10**DIGITS))


# --- a second opinion: all inputs, all classes, in high precision ---------------------------


def dense(runs: Any) -> list[Any]:
    numbers = [(Fraction(entry), count) for entry, count in runs]
    return [mpmath.mpf(x.numerator) / x.denominator for x, count in numbers for _ in range(count)]


def normalised(x: list[Any], v: dict[str, list[Any]]) -> list[Any]:
    mean = mpmath.fsum(x) / len(x)
    deviation = mpmath.sqrt(mpmath.fsum((t - mean) ** 2 for t in x) / len(x))
    y = [(t - mean) / deviation for t in x]
    if "gain" in v:
        y = [g * t + b for g, t, b in zip(v["gain"], y, v["bias"], strict=True)]
    return y


def dot(x: list[Any], y: list[Any]) -> Any:
    return mpmath.fsum(s * t for s, t in zip(x, y, strict=True))


def smallest_gap_and_largest_norm(content: Any) -> tuple[Any, Any]:
    """Of a certificate's head, by the layer's definition at every input."""
    variant, length = content["variant"], content["claim"]["length"]
    v = {name: dense(runs) for name, runs in content["proof"]["layer"].items()}
    powers = [dense(runs) for runs in content["proof"]["classes"]]
    offsets = [dense([[b, 1]])[0] for b in content["proof"]["biases"]]
    classes = []
    for k in range(length + 1):
        vector = [x + k * y + k * k * z for x, y, z in zip(*powers, strict=True)]
        classes.append((vector, offsets[0] + k * offsets[1] + k * k * offsets[2]))
    norms = [mpmath.sqrt(dot(x, x)) for x in [*v.values(), *(c for c, _ in classes)]]
    norm = max(*norms, *(abs(b) for _, b in classes))
    tokens = [v[name] for name in ("boundary", "space", "letter")]
    if "pre-ln" in variant:
        tokens = [normalised(token, v) for token in tokens]
    root = mpmath.sqrt(content["dim"])
    scores = [dot(tokens[0], token) / root for token in tokens]
    softmax = variant.startswith("softmax")
    weights = [mpmath.exp(s) for s in scores] if softmax else scores
    gaps = []
    for n, m in itertools.product(range(length + 1), repeat=2):
        if n + m > length:
            continue
        shares = [w * count for w, count in zip(weights, (1, n, m), strict=True)]
        total = mpmath.fsum(shares) if softmax else mpmath.mpf(1)
        state = [dot(shares, list(column)) / total for column in zip(*tokens, strict=True)]
        if "post-ln" in variant:
            state = normalised(state, v)
        won = [dot(c, state) + b for c, b in classes]
        gaps.append(won[n] - max(x for k, x in enumerate(won) if k != n))
    return min(gaps), norm


def is_true(content: Any) -> bool:
    """Whether what a certificate says of its own head is true."""
    with mpmath.workdps(60):
        gap, norm = smallest_gap_and_largest_norm(content)
        claim = {key: Fraction(content["claim"][key]) for key in ("gap", "bound")}
        wanted, bound = (mpmath.mpf(x.numerator) / x.denominator for x in claim.values())
        return bool(gap >= wanted * (1 - mpmath.mpf(10) ** -40) and norm <= bound * (1 + 1e-40))


@pytest.mark.parametrize("length", range(1, 9))
@pytest.mark.parametrize("name", NAMES)
def test_the_gap_is_that_of_all_inputs(name: str, length: int) -> None:
    content = json.loads(text(name, length, 4))
    assert is_true(content)
    with mpmath.workdps(60):
        gap, _ = smallest_gap_and_largest_norm(content)
        claimed = Fraction(content["claim"]["gap"])
        assert gap < mpmath.mpf(claimed.numerator) / claimed.denominator * (1 + 1e-8)


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize("place", [(1, 3, "1"), (6, 4, "2"), (1000, 3, "1/3")], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_a_stronger_claim_is_refused(name: str, place: tuple[int, int, str]) -> None:
    content = json.loads(text(name, *place))
    claim = content["claim"]
    more: dict[str, list[Fraction | int]] = {
        "gap": [Fraction(claim["gap"]) * (1 + Fraction(2, 10**DIGITS)), 10**40],
        "bound": [Fraction(claim["bound"]) * (1 - Fraction(1, 10**9)), Fraction(1, 10**9)],
    }
    for field, values in more.items():
        for value in values:
            with pytest.raises(RejectedError):
                verify(json.dumps(replaced(content, ("claim", field), str(value))))
    for length in (claim["length"] + 1, 2 * claim["length"], 10**18, 0):
        with pytest.raises(RejectedError):
            verify(json.dumps(replaced(content, ("claim", "length"), length)))


@pytest.mark.parametrize("name", NAMES)
def test_another_variant_is_refused_unless_it_is_true_of_it(name: str) -> None:
    content = json.loads(text(name, 6, 4, "2"))
    passed = []
    for other in NAMES:
        mutated = {**content, "variant": other}
        try:
            verify(json.dumps(mutated))
        except RejectedError:
            continue
        assert is_true(mutated)
        passed.append(other)
    assert name in passed
    assert len(passed) <= 3
    with pytest.raises(RejectedError):
        verify(json.dumps({**content, "variant": "gru"}))


@pytest.mark.parametrize("name", NAMES)
def test_each_field_is_needed_and_none_ignored(name: str) -> None:
    content = json.loads(text(name, 5, 4))
    for path in paths(content):
        with pytest.raises(RejectedError):
            verify(json.dumps(replaced(content, path, ...)))
        values: list[Any] = [None, {}, [], "x", True]
        for value in values:
            if path[0] != "options" or value != at(content, path):
                with pytest.raises(RejectedError):
                    verify(json.dumps(replaced(content, path, value)))
        if isinstance(at(content, path), dict):
            with pytest.raises(RejectedError):
                verify(json.dumps(replaced(content, (*path, "note"), "x")))


@pytest.mark.parametrize("name", NAMES)
def test_each_number_of_the_head_counts(name: str) -> None:
    """An entry that is much larger breaks a norm."""
    content = json.loads(text(name, 5, 4))
    for path in paths(content["proof"], ()):
        value = at(content["proof"], path)
        if isinstance(value, str):
            mutated = replaced(content, ("proof", *path), str(Fraction(value) + 10**9))
            with pytest.raises(RejectedError):
                verify(json.dumps(mutated))


@pytest.mark.parametrize("name", NAMES)
def test_whatever_passes_is_true(name: str) -> None:
    random_ = random.Random(name)
    content = json.loads(text(name, 3, 3, "2"))
    numbers = [p for p in paths(content) if isinstance(at(content, p), str) and p[0] != "options"]
    numbers = [p for p in numbers if p[0] in ("claim", "proof") and p[-1] != "kind"]
    accepted = 0
    for _ in range(MUTATIONS):
        path = random_.choice(numbers)
        value = Fraction(at(content, path))
        step = Fraction(random_.choice([-1, 1]), 10 ** random_.randrange(0, 14))
        new = value * (1 + step) if random_.random() < 0.5 else value + step
        mutated = replaced(content, path, str(new))
        claim = mutated["claim"]  # a weaker claim, so that some pass
        claim["gap"] = str(Fraction(claim["gap"]) * Fraction(1, random_.choice([1, 2])))
        claim["bound"] = str(Fraction(claim["bound"]) * random_.choice([1, 2]))
        begun = time.process_time()
        try:
            verify(json.dumps(mutated))
        except RejectedError:
            continue
        finally:
            assert time.process_time() - begun < 1
        accepted += 1
        assert is_true(mutated), path
    assert accepted > MUTATIONS // 10


def test_biases_may_not_differ_after_layer_norm() -> None:
    content = json.loads(text("softmax-post-ln", 5, 4))
    for place in (1, 2):
        mutated = replaced(content, ("proof", "biases", place), "1/1000000")
        with pytest.raises(RejectedError, match="after LayerNorm"):
            verify(json.dumps(mutated))
    weaker = replaced(content, ("proof", "biases", 0), "1/2")  # one for all classes
    verify(json.dumps(weaker))
