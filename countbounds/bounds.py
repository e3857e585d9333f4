"""B_min, L_max and L_cap from both sides, as certificates that the kernel has checked.

A search (`countbounds.optimum`) proposes parameters and a refutation; nothing is returned
unless the kernel verifies both. Theory and proofs: docs/exact-bounds.md.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from typing import Any

from countbounds.certificate import Certificate, as_text, certificate, write_vectors
from countbounds.checking import (
    exact_bracket,
    read_bound,
    require_dim,
    require_integer,
    require_length,
)
from countbounds.decimals import Bracket, decimal
from countbounds.domain import LONGEST
from countbounds.errors import CountboundsError, InputError
from countbounds.expressions import Expr, evaluate
from countbounds.kernel import RejectedError, verify
from countbounds.layer import Parameters
from countbounds.optimum.result import Optimum
from countbounds.rings import Enclosure
from countbounds.variants import variant as variant_named
from countbounds.variants.base import BOUND, DIM, LENGTH, Variant

MOST_DIGITS = 1000
MOST_FIGURES = 4000
_COMPARED = (32, 128, 512)
_FAR = 1 << 13_000

_SEARCH = {
    "linear": ("linear", "without_norm"),
    "linear-pre-ln": ("linear", "sphere"),
    "softmax": ("softmax", "optimum"),
    "softmax-post-ln": ("post_ln", "bare"),
    "softmax-post-ln-learned": ("post_ln", "learned"),
    "softmax-pre-ln": ("softmax_pre_ln", "optimum"),
    "softmax-pre-ln-learned": ("softmax_pre_ln_learned", "optimum"),
}
_EXACT_SEARCH = {"linear": "exact_without_norm", "linear-pre-ln": "exact_sphere"}


@dataclass(frozen=True)
class SmallestBound:
    """A certified bracket of B_min(L, d).

    Attributes:
        variant: its name.
        length: L.
        dim: d.
        counting: "rounding" (|y - n| < 1/2) or "exact" (y = n).
        lower: no parameters of norm <= lower count to L (exact).
        upper: some parameters of norm <= upper do (exact); None if none of any size do.
        regime: the case of the theory.
        published: what the published construction asks for; None where there is none.
        rate: the published rate, evaluated at L and d; None where it is infinite.
        ratio_to_rate: B_min over that rate.
        sharp_constant: what that ratio tends to as L grows, at this d.
        exact: whether the theory closes the bracket, which then is as narrow as was asked for.
        certificate: what the kernel verified; beyond the cap, that of the cap; None where
            finite parameters cannot count exactly.
    """

    variant: str
    length: int
    dim: int
    counting: str
    lower: Fraction | None
    upper: Fraction | None
    regime: str
    published: Bracket | None
    rate: Bracket | None
    ratio_to_rate: Bracket | None
    sharp_constant: Bracket | None
    exact: bool
    certificate: Certificate | None

    def as_dict(self) -> dict[str, Any]:
        """The result with numbers as text, as the command line prints it in JSON."""

        def text(value: Bracket | None) -> Any:
            return None if value is None else value.as_strings()

        return {
            "variant": self.variant,
            "length": self.length,
            "dim": self.dim,
            "counting": self.counting,
            "lower": "inf" if self.lower is None else decimal(self.lower),
            "upper": "inf" if self.upper is None else decimal(self.upper),
            "regime": self.regime,
            "published": text(self.published),
            "rate": text(self.rate),
            "ratio_to_rate": text(self.ratio_to_rate),
            "sharp_constant": text(self.sharp_constant),
            "exact": self.exact,
        }


@dataclass(frozen=True)
class Longest:
    """The largest length that norms up to a bound allow.

    Attributes:
        variant: its name.
        bound: B.
        dim: d.
        length: L_max(B, d); None if every length is reached (see `unbounded`) or if the
            theory leaves a gap (see `lower` and `upper`).
        unbounded: whether every length is counted to by some parameters.
        lower: a length that is possible.
        upper: a length beyond which nothing is; None if unbounded.
        published: what the published construction guarantees; None where there is none.
        certificate: what the kernel verified; None where the theory leaves a gap.
    """

    variant: str
    bound: Fraction
    dim: int
    length: int | None
    unbounded: bool
    lower: int | None
    upper: int | None
    published: int | None
    certificate: Certificate | None

    def as_dict(self) -> dict[str, Any]:
        """The result with numbers as text, as the command line prints it in JSON."""
        result: dict[str, Any] = {
            "variant": self.variant,
            "bound": decimal(self.bound),
            "dim": self.dim,
            "length": "unbounded" if self.unbounded else self.length,
            "published": self.published,
        }
        if self.length is None and not self.unbounded:
            result |= {"length_lower": self.lower, "length_upper": self.upper}
        return result


def b_min(
    variant: str, length: int, dim: int, digits: int = 12, *, exact: bool = False
) -> SmallestBound:
    """The smallest bound at which a variant counts to L, bracketed and certified.

    Args:
        variant: a name of `countbounds.variants.NAMES`.
        length: L, from 1 to 10^18.
        dim: d, from 3 to 10^6.
        digits: relative width 10^-digits, from 1 to 1000 (where the theory is exact).
        exact: ask for y = n in place of |y - n| < 1/2. Only linear attention can, save for
            the shortest lengths.

    Raises:
        InputError: if an argument is out of range, or exact counting with softmax is asked
            for at L = 1 (post-LN: at L <= 2), which is possible but not covered.

    >>> result = b_min("softmax", 10, 16)
    >>> round(float(result.lower), 9), round(float(result.upper), 9), result.regime
    (5.431390246, 5.431390246, 'norm')
    """
    chosen = variant_named(variant)
    require_length(length)
    require_dim(dim)
    require_integer(digits, "number of digits", 1, MOST_DIGITS)
    if exact:
        return _exact_b_min(chosen, length, dim, digits)
    if chosen.longest is not None and length > chosen.longest(dim):
        return _no_bound(variant, length, dim, "rounding", "beyond the cap", cap_certificate(dim))
    found = search(variant, length, dim, digits)
    proven = _verified(
        variant,
        dim,
        _bracket_claim("bracket", length, found),
        {"lower": found.witness, "upper": write_vectors(found.parameters)},
    )
    narrow = (found.upper - found.lower) * 10**digits <= found.lower
    exact = narrow and found.regime != "open"
    rate, ratio, constant = _ratios(chosen, length, dim, found)
    return SmallestBound(
        variant,
        length,
        dim,
        "rounding",
        found.lower,
        found.upper,
        found.regime,
        exact_bracket(chosen.guaranteed_bound(length, dim))
        if chosen.origin == "published"
        else None,
        rate,
        ratio,
        constant,
        exact,
        proven,
    )


def _bracket_claim(kind: str, length: int, found: Optimum) -> dict[str, Any]:
    return {
        "kind": kind,
        "length": length,
        "lower": str(found.lower),
        "upper": str(found.upper),
    }


def _no_bound(
    variant: str,
    length: int,
    dim: int,
    counting: str,
    why: str,
    proven: Certificate | None = None,
) -> SmallestBound:
    return SmallestBound(
        variant, length, dim, counting, None, None, why, None, None, None, None, True, proven
    )


def _exact_b_min(chosen: Variant, length: int, dim: int, digits: int) -> SmallestBound:
    """The same for y = n; whether it is possible at all does not depend on d."""
    if chosen.name not in _EXACT_SEARCH:
        shortest = 3 if "post" in chosen.name else 2
        if length < shortest:
            raise InputError(
                f"{chosen.name} can count exactly only to L = {shortest - 1}, which is not "
                "covered here; ask for a longer length, or leave out --exact."
            )
        return _no_bound(chosen.name, length, dim, "exact", "no finite parameters")
    from countbounds.optimum import linear

    found: Optimum = getattr(linear, _EXACT_SEARCH[chosen.name])(dim, digits)
    claim = _bracket_claim("exact bracket", length, found)
    proven = _verified(chosen.name, dim, claim, write_vectors(found.parameters))
    rate, ratio, _ = _ratios(chosen, length, dim, found)
    return SmallestBound(
        chosen.name,
        length,
        dim,
        "exact",
        found.lower,
        found.upper,
        found.regime,
        published=None,
        rate=rate,
        ratio_to_rate=ratio,
        sharp_constant=ratio,
        exact=True,
        certificate=proven,
    )


def search(variant: str, length: int, dim: int, digits: int) -> Optimum:
    """What the search proposes; nothing in it is to be believed before the kernel has seen it."""
    module, name = _SEARCH[variant]
    function: Callable[[int, int, int], Optimum] = getattr(
        import_module(f"countbounds.optimum.{module}"), name
    )
    return function(length, dim, digits)


def refutation(
    variant: str, length: int, dim: int, bound: Fraction
) -> tuple[Fraction, Certificate] | None:
    """A bound >= the given one at which no parameters count, with its certificate.

    None where the search finds no refutation: the bound may be possible.
    """
    found = search_beside(variant, length, dim, bound)
    if found.lower < bound:
        return None
    claim = {"kind": "impossible", "length": length, "bound": str(found.lower)}
    return found.lower, _verified(variant, dim, claim, found.witness)


def search_beside(variant: str, length: int, dim: int, bound: Fraction | None) -> Optimum:
    """A bracket of B_min narrowed until the bound does not lie inside, where that is possible.

    Without a bound: a bracket of 24 digits.
    """
    if bound is None:
        return search(variant, length, dim, 24)
    found = search(variant, length, dim, 8)
    for digits in _COMPARED:
        if not found.lower < bound < found.upper:
            break
        narrower = search(variant, length, dim, digits)
        if (narrower.lower, narrower.upper) == (found.lower, found.upper):
            break
        found = narrower
    return found


def possible(
    variant: str, length: int, dim: int, bound: Fraction, parameters: Parameters
) -> Certificate:
    """That rational parameters of norm <= bound count to L, verified."""
    claim = {"kind": "possible", "length": length, "bound": str(bound)}
    return _verified(variant, dim, claim, write_vectors(parameters))


def _verified(variant: str, dim: int, claim: dict[str, Any], proof: Any) -> Certificate:
    """The certificate, after the kernel has verified it.

    Raises:
        CountboundsError: if it does not, which is a fault of the search.
    """
    content = certificate(variant, dim, claim, proof)
    try:
        verify(as_text(content))
    except RejectedError as error:
        raise CountboundsError(f"The kernel rejects what the search found: {error}.") from error
    return content


def _ratios(
    chosen: Variant, length: int, dim: int, found: Optimum
) -> tuple[Bracket | None, Bracket | None, Bracket | None]:
    """The rate at (L, d), the ratio of B_min to it, and the limit of that ratio."""
    if chosen.bound_rate is None:
        return None, None, None
    with Enclosure(256) as ring:
        values = {LENGTH.args[0]: length, DIM.args[0]: dim}
        rate = evaluate(chosen.bound_rate, ring, values)
        low, high = ring.number(found.lower), ring.number(found.upper)
        ratio = (low / rate).union(high / rate)
        return Bracket.of(rate), Bracket.of(ratio), _sharp_constant(chosen, dim, ring)


def _sharp_constant(chosen: Variant, dim: int, ring: Enclosure) -> Bracket | None:
    """The limit of B_min over its rate: both are powers of L beyond every L that matters."""
    if chosen.sharp_bound is None or chosen.bound_rate is None:
        return None
    values = {LENGTH.args[0]: _FAR, DIM.args[0]: dim}
    return Bracket.of(evaluate(chosen.sharp_bound / chosen.bound_rate, ring, values))


def l_max(variant: str, bound: str | int | float | Fraction, dim: int) -> Longest:
    """The largest length that some parameters of norm <= B count to, certified.

    Args:
        variant: a name of `countbounds.variants.NAMES`.
        bound: B > 0, read exactly.
        dim: d, from 3 to 10^6.

    Raises:
        InputError: if an argument is out of range, or the length exceeds 10^18.

    >>> l_max("softmax", 100, 16).length
    199
    """
    chosen = variant_named(variant)
    require_dim(dim)
    b = read_bound(bound)
    published = None if chosen.guaranteed_length is None else chosen.guaranteed_length(b, dim)
    if max(abs(b.numerator), b.denominator) >= 10**MOST_FIGURES:
        raise InputError(
            f"The bound has more than {MOST_FIGURES} digits, which certificates do not hold; "
            "round it to fewer."
        )
    unbounded = certificate(variant, dim, {"kind": "unbounded", "bound": str(b)}, {})
    with suppress(RejectedError):
        verify(as_text(unbounded))
        return Longest(variant, b, dim, None, True, None, None, published, unbounded)
    reached = _Reached(variant, b, dim, chosen.longest(dim) if chosen.longest else None)
    length = _last(reached.possible, _guess(chosen, b, dim))
    if length >= LONGEST and reached.possible(LONGEST):
        raise InputError(
            f"Parameters of norm {decimal(b)[:40]} count beyond 10^18, the longest length covered; "
            "give a smaller bound."
        )
    if not reached.impossible(length + 1):
        last = _last(lambda n: not reached.impossible(n), length + 1)
        return Longest(variant, b, dim, None, False, length, last, published, None)
    certified = reached.certificate(length)
    return Longest(variant, b, dim, length, False, length, length, published, certified)


class _Reached:
    """What is possible at one bound: brackets of B_min(L), narrowed until they decide."""

    def __init__(self, variant: str, bound: Fraction, dim: int, longest: int | None) -> None:
        self.variant, self.bound, self.dim, self.longest = variant, bound, dim, longest
        self._known: dict[int, Optimum | None] = {}

    def optimum(self, length: int) -> Optimum | None:
        """The search's result, narrow enough to lie on one side of B; None beyond the cap."""
        if self.longest is not None and length > self.longest:
            return None
        if length not in self._known:
            self._known[length] = search_beside(self.variant, length, self.dim, self.bound)
        return self._known[length]

    def possible(self, length: int) -> bool:
        """Whether parameters of norm <= B were found."""
        if length == 0:
            return True
        found = self.optimum(length)
        return found is not None and found.upper <= self.bound

    def impossible(self, length: int) -> bool:
        """Whether every bound <= B is refuted."""
        found = self.optimum(length)
        return found is None or found.lower >= self.bound

    def certificate(self, length: int) -> Certificate | None:
        """L is possible and L + 1 is not; None where the cap is the reason."""
        here, after = self.optimum(length) if length else None, self.optimum(length + 1)
        if after is None:
            return cap_certificate(self.dim)
        return _verified(
            self.variant,
            self.dim,
            {"kind": "longest", "length": length, "bound": str(self.bound)},
            {
                "length": None if here is None else write_vectors(here.parameters),
                "next": after.witness,
                "refuted": str(after.lower),
            },
        )


def _last(holds: Callable[[int], bool], guess: int) -> int:
    """The last n in 0..10^18 for which a property that ends once still holds (it does at 0)."""
    low, high, step = 0, LONGEST + 1, 1
    probe = max(0, min(guess, LONGEST))
    while low < high - 1:
        if low <= probe < high and (probe == 0 or holds(probe)):
            low = max(low, probe)
            probe = low + step
        else:
            high = min(high, probe)
            probe = high - step
        step *= 4
        if not low < probe < high:
            probe = (low + high) // 2
    return low


def _guess(chosen: Variant, bound: Fraction, dim: int) -> int:
    """A length near L_max, from the published guarantee or the sharp constant."""
    if chosen.sharp_length is None or chosen.longest is not None:
        return 8
    bracket = enclose_at(chosen.sharp_length, {BOUND.args[0]: bound, DIM.args[0]: dim})
    return 8 if bracket.upper is None else bracket.upper.__floor__()


def enclose_at(formula: Expr, values: dict[str, Any]) -> Bracket:
    """The enclosure of a closed form at numbers for its symbols."""
    with Enclosure(256) as ring:
        return Bracket.of(evaluate(formula, ring, values))


def cap_certificate(dim: int) -> Certificate | None:
    """That L_cap(d) is possible at some bound and L_cap(d) + 1 at none.

    None where the cap exceeds 10^18, the longest length the certificates cover.
    """
    require_dim(dim)
    return deepcopy(_cap_certificate(dim))


@lru_cache(maxsize=256)
def _cap_certificate(dim: int) -> Certificate | None:
    """The same, found once for each d: every length beyond the cap asks for it."""
    chosen = variant_named("softmax-pre-ln")
    assert chosen.longest is not None
    length = chosen.longest(dim)
    if length > LONGEST:
        return None
    found = search(chosen.name, length, dim, 3)
    claim = {"kind": "cap", "length": length, "bound": str(found.upper)}
    return _verified(chosen.name, dim, claim, write_vectors(found.parameters))
