"""The trusted checker of certificates: standard library only, readable in one sitting.

`verify` reads the text of a certificate and either returns its claim in words, proven, or
raises `RejectedError` with the reason. It trusts no field and fills in nothing.
"""

import json
from typing import Any, NoReturn

from countbounds.kernel.claims import LONGEST, RejectedError, fields, integer, positive, require
from countbounds.kernel.classes import check_classes
from countbounds.kernel.impossible import THEOREMS, check_beyond_cap, check_impossible
from countbounds.kernel.possible import check_exact, check_possible

__all__ = ["RejectedError", "verify", "verify_file"]

FORMAT, VERSION = "countbounds certificate", 1
OPTIONS = {"epsilon": "0", "norm": "layer", "readout_bias": False, "residual": False}
LARGEST_TEXT = 64_000


def verify(text: str) -> str:
    """The claim of a certificate, in words, if its proof holds.

    Raises:
        RejectedError: otherwise, with the reason.
    """
    names = ("format", "version", "options", "variant", "dim", "claim", "proof")
    form, version, options, variant, dim, claim, proof = fields(_parse(text), *names)
    require(form == FORMAT and integer(version, 1, 1) == VERSION, f"this is no {FORMAT!r}")
    same = json.dumps(options, sort_keys=True) == json.dumps(OPTIONS)
    require(same, "the options are not those of the model that the theorems are about")
    require(isinstance(variant, str) and variant in THEOREMS, "the variant is not known")
    integer(dim, 3, 10**6)
    return f"{variant}, d = {dim}: {_claim(variant, dim, claim, proof)}"


def verify_file(path: str) -> str:
    """The same for a file.

    Raises:
        RejectedError: if the certificate is refused.
        UnicodeDecodeError: if the file is no text.
        OSError: if it cannot be read.
    """
    with open(path, encoding="utf-8") as file:
        return verify(file.read(LARGEST_TEXT + 1))


def _parse(text: str) -> Any:
    require(len(text) <= LARGEST_TEXT, "the certificate is longer than 64,000 characters")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs), "a field stands twice")
        return dict(pairs)

    def refuse(digits: str) -> NoReturn:
        raise RejectedError("a number is neither an integer nor a fraction in quotes")

    hooks: dict[str, Any] = {"parse_float": refuse, "parse_constant": refuse}
    hooks["parse_int"] = lambda digits: int(digits) if len(digits) <= 20 else refuse(digits)
    try:
        return json.loads(text, object_pairs_hook=unique, **hooks)
    except (ValueError, RecursionError) as error:
        raise RejectedError("the text is not JSON, or is nested too deeply") from error


def _claim(variant: str, dim: int, claim: Any, proof: Any) -> str:
    """Check a claim by its kind; the words say all that is then proven."""
    require(isinstance(claim, dict), "the claim is not an object")
    kind = claim.get("kind")
    if kind == "bracket":
        _, length, low, high = fields(claim, "kind", "length", "lower", "upper")
        below, above = fields(proof, "lower", "upper")
        require(positive(low) <= positive(high), "the lower end lies above the upper one")
        check_impossible(variant, integer(length, 1, LONGEST), dim, positive(low), below)
        check_possible(variant, length, dim, positive(high), above)
        return f"{low} <= B_min({length}) <= {high}"
    if kind == "exact bracket":
        _, length, low, high = fields(claim, "kind", "length", "lower", "upper")
        integer(length, 1, LONGEST)
        # p_# = 0 and p_s = 1 need B^4 >= 2 sqrt(d), and B d >= 2 in pre-LN
        refuted = {"linear": positive(low) ** 8 < 4 * dim, "linear-pre-ln": positive(low) * dim < 2}
        require(refuted.get(variant, False), "the lower end is not known to be impossible")
        check_exact(variant, dim, positive(high), proof)
        return f"{low} <= B_min <= {high} for exact counting to {length}, or to any length"
    if kind == "unbounded":
        _, bound = fields(claim, "kind", "bound")
        fields(proof)
        b = positive(bound)  # at or above the limit of B_min(L), which increases strictly
        reached = {"linear": b**8 >= 2 * dim, "linear-pre-ln": 2 * b * dim >= 3}
        require(reached.get(variant, False), "the bound is not known to reach every length")
        return f"every length is counted to by some parameters of norm <= {bound}"
    if kind == "classes":
        _, length, bound, gap = fields(claim, "kind", "length", "bound", "gap")
        b, g = positive(bound), positive(gap)
        check_classes(variant, integer(length, 1, LONGEST), dim, b, g, proof)
        return f"some classes of norm <= {bound} decode all counts to {length} with a gap >= {gap}"
    require(kind in ("possible", "impossible", "longest", "cap"), "the kind is not known")
    _, length, bound = fields(claim, "kind", "length", "bound")
    b, length = positive(bound), integer(length, 0 if kind == "longest" else 1, LONGEST)
    if kind == "possible":
        check_possible(variant, length, dim, b, proof)
        return f"some parameters of norm <= {bound} count to {length}"
    if kind == "impossible":
        check_impossible(variant, length, dim, b, proof)
        return f"no parameters of norm <= {bound} count to {length}"
    if kind == "cap":
        require(variant == "softmax-pre-ln", "only softmax-pre-ln has a cap")
        check_beyond_cap(length + 1, dim)
        check_possible(variant, length, dim, b, proof)
        return f"{length} is the longest length that any parameters count to"
    below, above, refuted = fields(proof, "length", "next", "refuted")
    require(length > 0 or below is None, "the length 0 needs no proof")
    if length > 0:
        check_possible(variant, length, dim, b, below)
    require(positive(refuted) >= b, "the next length is refuted for smaller bounds only")
    check_impossible(variant, length + 1, dim, positive(refuted), above)
    return f"{length} is the longest length that parameters of norm <= {bound} count to"
