"""What a checkpoint does not say about its layer, as a TOML or JSON file says it.

Every key may be left out; what is then assumed stands behind it.

    ignore = ["pos.*"]      tensors that are no part of this layer: names or patterns
                            with * and ? (none); it stands above every table

    [tokens]
    boundary = 0            row of the embedding that is the boundary token (0)
    counted = 1             row of the token that is counted (1)
    fillers = [2, 3]        rows of the tokens that are not (all other rows)
    names = ["#", " ", "q"] a name for every row ("#", "counted", "filler 2", ...)

    [tensors]               which tensor plays which role (found by the usual names)
    embedding = "NAME"      a row for each token; or, each a vector of its own,
    boundary = "NAME"       the boundary token's,
    counted = "NAME"        the counted token's,
    fillers = ["NAME"]      and the fillers' (or one matrix, by its name)
    in_proj_weight = "NAME" query, key and value on top of one another, and
    in_proj_bias = "NAME"   their biases; or, each of shape (outputs, inputs),
    query = "NAME"          as nn.Linear stores it, or "identity"; key, value and output
    query_bias = "NAME"     likewise
    readout = "NAME"        one row, or a row for each count from 0
    readout_bias = "NAME"

    [layer]
    attention = "softmax"   or "linear": the scores themselves are the weights ("softmax")
    scale = "1/sqrt(d_k)"   factor of the scores: this, "none", or a number > 0, whose
                            decimal or fraction ("1/8") is read exactly ("1/sqrt(d_k)")
    residual = false        whether the boundary token's embedding is added to the
                            attention output (false)
    heads = 1               no other number can be audited (1)
    transposed = ["query"]  which of query, key, value, output and readout are stored with
                            the shape (inputs, outputs), for x W in place of W x (none)

    [before]                a norm of every token's vector before attention, and
    [after]                 a norm of the attention output, after the residual:
                            such a table, even an empty one, says that the norm is there
    kind = "layer"          or "rms" ("layer"; must be said of a weight without a bias)
    epsilon = 1e-5          >= 0, exactly this decimal (1e-5 for "layer"; for "rms" the
                            machine epsilon of float32 or float64, as the weight is stored)
    weight = "NAME"         its gain, and
    bias = "NAME"           its bias (by the usual names; or none)

    [readout]
    kind = "regression"     a number to be rounded, or "classification": the row with the
                            largest output is the count (by the number of rows)
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from countbounds.auditing.tensors import read_bytes
from countbounds.decimals import is_integer, parse_exact, shorten
from countbounds.errors import InputError

PROJECTIONS = ("query", "key", "value", "output")
_VECTORS = ("boundary", "counted", "fillers")
_NORM = ("kind", "epsilon", "weight", "bias")
_KNOWN: dict[str, tuple[str, ...]] = {
    "tokens": ("boundary", "counted", "fillers", "names"),
    "tensors": (
        "embedding",
        *_VECTORS,
        "in_proj_weight",
        "in_proj_bias",
        *PROJECTIONS,
        *(f"{name}_bias" for name in PROJECTIONS),
        "readout",
        "readout_bias",
    ),
    "layer": ("attention", "scale", "residual", "heads", "transposed"),
    "before": _NORM,
    "after": _NORM,
    "readout": ("kind",),
}
_LARGEST = 1 << 20


@dataclass(frozen=True)
class NormSettings:
    """What is said of one norm; None is left to the file."""

    kind: Literal["layer", "rms"] | None = None
    epsilon: Fraction | None = None
    weight: str | None = None
    bias: str | None = None


@dataclass(frozen=True)
class Settings:
    """A config whose every value has been checked; None is left to the file.

    Attributes:
        boundary, counted, fillers, names: of [tokens].
        tensors: the tensor of each role.
        filler_vectors: the fillers' tensors, where they are given by themselves.
        attention, heads, residual, transposed: of [layer].
        scale: the factor of the scores, "none" or "1/sqrt(d_k)".
        before, after: the norms that are there.
        kind: of the read-out.
        ignore: names and patterns.
    """

    boundary: int | None = None
    counted: int | None = None
    fillers: tuple[int, ...] | None = None
    names: tuple[str, ...] | None = None
    tensors: dict[str, str] = field(default_factory=dict)
    filler_vectors: tuple[str, ...] = ()
    attention: Literal["softmax", "linear"] | None = None
    scale: Fraction | Literal["none", "1/sqrt(d_k)"] | None = None
    heads: int | None = None
    residual: bool | None = None
    transposed: tuple[str, ...] = ()
    before: NormSettings | None = None
    after: NormSettings | None = None
    kind: Literal["regression", "classification"] | None = None
    ignore: tuple[str, ...] = ()


def read_config(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a `.toml` or `.json` file; decimals stay the texts that were written.

    Raises:
        InputError: if the file cannot be read, has another suffix or more than 1 MiB, or
            is not valid.
    """
    name = os.fspath(path)
    suffix = os.path.splitext(name)[1].lower()
    if suffix not in (".toml", ".json"):
        raise InputError(f"The config file {name!r} needs the suffix .toml or .json.")
    data = read_bytes(name, _LARGEST)
    if suffix == ".json":
        return parse_json(data, f"The config file {name}")
    try:
        return tomllib.loads(data.decode(), parse_float=str)
    except (ValueError, RecursionError) as error:
        raise InputError(f"The config file {name} is not valid TOML: {error}.") from None


def parse_json(data: str | bytes, what: str) -> dict[str, Any]:
    """Read a JSON object; decimals stay the texts that were written.

    Args:
        data: the text, in UTF-8.
        what: what it is, for the message.

    Raises:
        InputError: if it is not valid, no object, or says a key twice.
    """
    try:
        text = data if isinstance(data, str) else data.decode()
        found = json.loads(text, parse_float=str, parse_constant=str, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{what} is not valid JSON: {error}.") from None
    if not isinstance(found, dict):
        raise InputError(f'{what} needs to be a JSON object, such as {{"layer": {{}}}}.')
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"a key is said twice among {', '.join(key for key, _ in pairs)}")
    return found


def check_config(config: Mapping[str, Any]) -> Settings:
    """Check every key and value of a config.

    Args:
        config: as `read_config` returns it; a float stands for the decimal it is printed as.

    Raises:
        InputError: if a key is unknown, or a value out of range.
    """
    _check_keys(config, (*_KNOWN, "ignore"), "the config")
    tables = {name: _table(config, name) for name in _KNOWN}
    tokens, tensors, layer = tables["tokens"], tables["tensors"], tables["layer"]
    named = dict(tensors)
    vectors: tuple[str, ...] = ()
    if "fillers" in named:
        given = named.pop("fillers")
        vectors = _texts(
            [given] if isinstance(given, str) else given, "[tensors] fillers", "a tensor's name"
        )
    for role, name in named.items():
        _text(name, f"[tensors] {role}", "a tensor's name")
    _check_vectors(named, vectors, tokens)
    heads = layer.get("heads")
    if heads is not None and (heads != 1 or not is_integer(heads)):
        raise InputError(
            f"[layer] heads is {shorten(repr(heads))}; only a layer with 1 head can be audited."
        )
    transposed = _texts(layer.get("transposed", []), "[layer] transposed", "a role")
    for role in transposed:
        if role not in (*PROJECTIONS, "readout"):
            raise InputError(
                f"[layer] transposed names the role {shorten(repr(role))}; known are "
                f"{', '.join(PROJECTIONS)} and readout."
            )
    residual = layer.get("residual")
    if not (residual is None or isinstance(residual, bool)):
        raise InputError(f"[layer] residual is true or false, not {shorten(repr(residual))}.")
    return Settings(
        **_tokens(tokens),
        tensors=named,
        filler_vectors=vectors,
        attention=_choice(layer, "attention", "[layer]", ("softmax", "linear")),
        scale=_scale(layer.get("scale")),
        heads=heads,
        residual=residual,
        transposed=transposed,
        before=_norm(config, "before"),
        after=_norm(config, "after"),
        kind=_choice(tables["readout"], "kind", "[readout]", ("regression", "classification")),
        ignore=_texts(config.get("ignore", []), "ignore", "a tensor's name or a pattern"),
    )


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            if key == "ignore":  # TOML takes a line below a table for a part of it
                raise InputError(f"ignore stands above every table of the config, not in {where}.")
            raise InputError(
                f"{shorten(repr(key))} is no key of {where}; known are {', '.join(known)}."
            )


def _table(config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = config.get(name, {})
    if not isinstance(table, Mapping):
        raise InputError(
            f"{name} is a table of the config, with the keys {', '.join(_KNOWN[name])}, "
            f"not {shorten(repr(table))}."
        )
    _check_keys(table, _KNOWN[name], f"[{name}]")
    return table


def _check_vectors(
    named: Mapping[str, str], fillers: tuple[str, ...], tokens: Mapping[str, Any]
) -> None:
    """A token's vector comes from the embedding, or has a tensor of its own; never both."""
    given = [role for role in ("boundary", "counted") if role in named]
    given += ["fillers"] if fillers else []
    if not given:
        return
    if "embedding" in named:
        raise InputError(
            f"[tensors] names an embedding and {given[0]}; a token's vector comes from one of "
            "them: leave the other out."
        )
    missing = [role for role in ("boundary", "counted") if role not in named]
    if missing:
        raise InputError(
            f'[tensors] names {given[0]} without {missing[0]}; add {missing[0]} = "NAME".'
        )
    rows = [key for key in _VECTORS if key in tokens]
    if rows:
        raise InputError(
            f"[tokens] {rows[0]} is a row of an embedding, and here every token has a tensor of "
            f"its own; leave {rows[0]} out."
        )


def _tokens(table: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in ("boundary", "counted"):
        if key in table:
            found[key] = _row(table[key], f"[tokens] {key}")
    if "fillers" in table:
        rows = _items(table["fillers"], "[tokens] fillers", "rows of the embedding")
        found["fillers"] = tuple(_row(row, "[tokens] fillers") for row in rows)
    if "names" in table:
        names = _texts(table["names"], "[tokens] names", "a token's name")
        if len(set(names)) < len(names):
            raise InputError("[tokens] names calls two tokens the same; give each its own name.")
        found["names"] = names
    return found


def _norm(config: Mapping[str, Any], where: str) -> NormSettings | None:
    if where not in config:
        return None
    table = _table(config, where)
    epsilon = None
    if "epsilon" in table:
        epsilon = _number(table["epsilon"], f"[{where}] epsilon")
        if epsilon < 0:
            raise InputError(f"[{where}] epsilon is a number >= 0.")
    for key in ("weight", "bias"):
        if key in table:
            _text(table[key], f"[{where}] {key}", "a tensor's name")
    return NormSettings(
        kind=_choice(table, "kind", f"[{where}]", ("layer", "rms")),
        epsilon=epsilon,
        weight=table.get("weight"),
        bias=table.get("bias"),
    )


def _scale(value: Any) -> Fraction | Literal["none", "1/sqrt(d_k)"] | None:
    if value is None:
        return None
    if value == "none":
        return "none"
    if isinstance(value, str) and value.replace(" ", "") == "1/sqrt(d_k)":
        return "1/sqrt(d_k)"
    try:
        number = _number(value, "[layer] scale")
    except InputError:
        number = Fraction(0)
    if number <= 0:
        raise InputError(
            '[layer] scale is "1/sqrt(d_k)", "none", or a number > 0 such as 0.25 or "1/8", not '
            f"{shorten(repr(value))}."
        )
    return number


def _number(value: Any, what: str) -> Fraction:
    if is_integer(value):
        return Fraction(value)
    if isinstance(value, (str, float)):
        return parse_exact(str(value).replace("_", ""), what)  # as TOML groups digits
    raise InputError(f"{what} is a number, not {shorten(repr(value))}.")


def _choice(table: Mapping[str, Any], key: str, where: str, choices: tuple[str, ...]) -> Any:
    value = table.get(key)
    if value is not None and value not in choices:
        listed = " or ".join(f'"{choice}"' for choice in choices)
        raise InputError(f"{where} {key} is {listed}, not {shorten(repr(value))}.")
    return value


def _text(value: Any, what: str, meaning: str) -> str:
    if not isinstance(value, str) or not value:
        raise InputError(f'{what} is {meaning} in "...", not {shorten(repr(value))}.')
    return value


def _row(value: Any, what: str) -> int:
    if not is_integer(value) or value < 0:
        raise InputError(
            f"{what} is a row of the embedding, counted from 0, not {shorten(repr(value))}."
        )
    return int(value)


def _items(value: Any, what: str, meaning: str) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise InputError(f"{what} is a list [...] of {meaning}, not {shorten(repr(value))}.")
    return list(value)


def _texts(value: Any, what: str, meaning: str) -> tuple[str, ...]:
    return tuple(_text(item, what, meaning) for item in _items(value, what, "texts"))
