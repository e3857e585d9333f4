"""One variant at one (L, d, B): explicit parameters, decided on the whole domain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from countbounds.compare import compare, enclose, exact_value
from countbounds.decimals import Bracket, decimal, is_integer, parse_exact, shorten, significant
from countbounds.domain import LONGEST, PRECISION_LIMIT, worst_error
from countbounds.errors import CountboundsError, InputError, Undecided
from countbounds.expressions import Expr, real, sqrt
from countbounds.layer import Parameters
from countbounds.model import Model
from countbounds.variants import variant as variant_named
from countbounds.variants.base import Origin, Variant

LARGEST_DIM = 10**6
_BOUND_DIGITS = 12
_BITS = 256


@dataclass(frozen=True)
class CheckResult:
    """What `check` found.

    Attributes:
        variant: its name.
        length: L.
        dim: d.
        bound: B, the norm bound the parameters keep; None where no bound is possible.
        guaranteed_bound: what the construction's formula asks for at this L.
        construction: "published" (the paper's), "derived" (built here) or "optimal".
        verdict: "counts", "fails", "undecided", or "impossible" where no parameters of
            norm <= B (or of any) count.
        worst_error: enclosure of the largest |y - n| on the domain, for the construction;
            None beyond the cap, where there is none.
        worst_input: (n, m) whose error reaches the enclosure's lower end.
        max_norm: enclosure of the largest norm of a vector; None beyond the cap.
        domain_size: number of inputs covered, (L + 1)(L + 2)/2.
        longest: the largest length possible at any bound; None where there is no limit.
        refuted: a bound (>= B) at which no parameters count; None unless impossible.
        certificate: the refutation, where the verdict is "impossible" at a bound.
    """

    variant: str
    length: int
    dim: int
    bound: Fraction | None
    guaranteed_bound: Bracket
    construction: Origin | Literal["optimal"]
    verdict: Literal["counts", "fails", "undecided", "impossible"]
    worst_error: Bracket | None
    worst_input: tuple[int, int] | None
    max_norm: Bracket | None
    domain_size: int
    longest: int | None = None
    refuted: Fraction | None = None
    certificate: dict[str, Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        """The result with numbers as text, as the command line prints it in JSON."""
        at = self.worst_input
        error = self.worst_error
        return {
            "variant": self.variant,
            "length": self.length,
            "dim": self.dim,
            "bound": None if self.bound is None else decimal(self.bound),
            "guaranteed_bound": self.guaranteed_bound.as_strings(),
            "construction": self.construction,
            "verdict": self.verdict,
            "worst_error": None if error is None else error.as_strings(apart=Fraction(1, 2)),
            "worst_input": None if at is None else {"n": at[0], "m": at[1]},
            "max_norm": None if self.max_norm is None else self.max_norm.as_strings(),
            "domain_size": self.domain_size,
            "length_cap": self.longest,
            "refuted": None if self.refuted is None else decimal(self.refuted),
        }


def check(
    variant: str,
    length: int,
    dim: int,
    bound: str | int | float | Fraction | None = None,
    *,
    construction: str | None = None,
    precision: int = PRECISION_LIMIT,
) -> CheckResult:
    """Build a variant's construction and decide every input of the domain.

    Args:
        variant: a name of `countbounds.variants.NAMES`.
        length: L, from 1 to 10^18.
        dim: d, from 3 to 10^6.
        bound: B > 0, read exactly; by default the smallest at which the construction is
            guaranteed to count, rounded up to 12 digits where it is not such a decimal.
        construction: the variant's own ("published" or "derived", the default) or
            "optimal".
        precision: bits at which an open question is given up as undecided.

    Raises:
        InputError: if an argument is out of range.
        Undecided: if "optimal" is asked for at a bound for which the theory is open.

    >>> result = check("softmax-post-ln", 4, 16)
    >>> result.verdict, result.bound, result.worst_input
    ('counts', Fraction(2, 1), (4, 0))
    """
    chosen = variant_named(variant)
    require_length(length)
    require_dim(dim)
    require_integer(precision, "precision in bits", 64, 1 << 20)
    kind = chosen.origin if construction is None else construction
    if kind not in (chosen.origin, "optimal"):
        raise InputError(
            f'The constructions of {variant} are "{chosen.origin}" and "optimal"; '
            f'"{shorten(kind)}" is not known.'
        )
    longest = chosen.longest(dim) if chosen.longest is not None else None
    given = None if bound is None else read_bound(bound)
    nothing = CheckResult(
        variant=variant,
        length=length,
        dim=dim,
        bound=given,
        guaranteed_bound=Bracket(None, None),
        construction=chosen.origin if kind != "optimal" else "optimal",
        verdict="impossible",
        worst_error=None,
        worst_input=None,
        max_norm=None,
        domain_size=(length + 1) * (length + 2) // 2,
        longest=longest,
    )
    if longest is not None and length > longest:
        from countbounds.bounds import cap_certificate

        return replace(nothing, certificate=cap_certificate(dim))
    if kind == "optimal":
        return _check_optimal(nothing, chosen, given, precision)
    formula = chosen.guaranteed_bound(length, dim)
    used = smallest_decimal(formula) if given is None else given
    nothing = replace(nothing, guaranteed_bound=exact_bracket(formula))
    result = _decide(nothing, chosen, chosen.build(length, dim, used), used, precision)
    return result if result.verdict != "fails" else _refute(result) or result


def _decide(
    blank: CheckResult, chosen: Variant, parameters: Parameters, bound: Fraction, precision: int
) -> CheckResult:
    """The result of the full-domain check for explicit parameters."""
    report = worst_error(Model(chosen.layer, parameters), blank.length, precision)
    return replace(
        blank,
        bound=bound,
        verdict=report.verdict,
        worst_error=report.error,
        worst_input=report.input,
        max_norm=largest_norm(parameters, bound),
    )


def _check_optimal(
    blank: CheckResult, chosen: Variant, given: Fraction | None, precision: int
) -> CheckResult:
    """The optimum at the least 12-digit decimal above B_min, or at a given bound."""
    from countbounds.bounds import possible, search_beside

    found = search_beside(blank.variant, blank.length, blank.dim, given)
    used = significant(found.upper, _BOUND_DIGITS, up=True) if given is None else given
    known = Bracket.exactly(found.upper)
    if found.regime != "open":
        known = Bracket(found.lower, found.upper)
    blank = replace(blank, guaranteed_bound=known)
    if used <= found.lower:
        refuted = _refute(replace(blank, bound=used))
        if refuted is not None:
            return refuted
    if used < found.upper:
        raise Undecided(
            f"B_min lies between {decimal(found.lower)} and {decimal(found.upper)}, and on which "
            "side of it the bound lies is not known."
        )
    result = _decide(blank, chosen, found.parameters, used, precision)
    return replace(
        result, certificate=possible(blank.variant, blank.length, blank.dim, used, found.parameters)
    )


def _refute(result: CheckResult) -> CheckResult | None:
    """The same with the verdict "impossible" and its certificate, if the bound is below B_min."""
    from countbounds.bounds import refutation

    assert result.bound is not None
    found = refutation(result.variant, result.length, result.dim, result.bound)
    if found is None:
        return None
    refuted, certificate = found
    return replace(result, verdict="impossible", refuted=refuted, certificate=certificate)


def length_cap(dim: int) -> int:
    """L_cap(d), the largest length that bare pre-LN softmax attention can count to.

    Args:
        dim: d, from 3 to 10^6.

    Raises:
        InputError: if the dimension is out of range.

    >>> length_cap(16)
    110
    """
    require_dim(dim)
    from countbounds.variants.softmax_pre_ln import length_cap as cap

    return cap(dim)


def guarantees(chosen: Variant, length: int, dim: int, bound: Fraction) -> bool:
    """Whether the construction's own formula guarantees this length at this bound, exactly."""
    return compare(chosen.guaranteed_bound(length, dim), bound) <= 0


def exact_bracket(formula: Expr) -> Bracket:
    """The enclosure of a closed form; a single number where it is rational."""
    exact = exact_value(formula)
    return enclose(formula, _BITS) if exact is None else Bracket.exactly(exact)


def smallest_decimal(formula: Expr) -> Fraction:
    """The least decimal of 12 significant digits at or above a positive closed form."""
    upper = exact_bracket(formula).upper
    if upper is None:
        raise CountboundsError("The guaranteed bound is too large to be written down.")
    return significant(upper, _BOUND_DIGITS, up=True)


def largest_norm(parameters: Parameters, bound: Fraction) -> Bracket:
    """The largest norm of a vector, every one of them first proven to be <= bound.

    Raises:
        CountboundsError: if one is not; constructions are made so that none is longer.
    """
    widest = Bracket.exactly(0)
    for name, vector in parameters.vectors().items():
        square = vector.dot(vector)
        order = compare(square, bound * bound)
        if order > 0:
            raise CountboundsError(f"The norm of the {name} vector exceeds the bound.")
        if order == 0:
            widest = Bracket.exactly(bound)
        elif not (widest.is_exact and widest.upper == bound):
            norm = exact_bracket(sqrt(square))
            if norm.upper is None or widest.upper is None or widest.lower is None:
                raise CountboundsError(f"The norm of the {name} vector is not finite.")
            lower = max(widest.lower, norm.lower or Fraction(0))
            widest = Bracket(lower, max(widest.upper, norm.upper))
    return widest


def require_length(length: int) -> None:
    """Check that a length is an integer from 1 to 10^18.

    Raises:
        InputError: otherwise.
    """
    require_integer(length, "length L", 1, LONGEST, "10^18")


def require_dim(dim: int) -> None:
    """Check that a dimension is an integer from 3 to 10^6.

    Raises:
        InputError: otherwise.
    """
    require_integer(dim, "dimension d", 3, LARGEST_DIM, "10^6")


def require_integer(value: object, what: str, low: int, high: int, shown: str = "") -> None:
    """Check that an argument is an integer of low..high.

    Raises:
        InputError: otherwise.
    """
    if not is_integer(value) or not low <= value <= high:  # type: ignore[operator]
        named = shorten(value) if is_integer(value) else shorten(repr(value))
        raise InputError(f"The {what} is an integer from {low} to {shown or high}, not {named}.")


def read_bound(bound: str | int | float | Fraction) -> Fraction:
    """A norm bound as the exact positive number it is.

    Raises:
        InputError: if it is not a positive finite number, held exactly.
    """
    if isinstance(bound, bool):
        raise InputError(f"The bound B is a positive number, not {bound}.")
    value = parse_exact(bound, "bound B") if isinstance(bound, str) else real(bound).value
    if value is None or value <= 0:
        raise InputError(f"The bound B is a number greater than 0, not {shorten(bound)}.")
    return value
