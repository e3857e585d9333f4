"""Which tensor plays which role: a checkpoint becomes a `TrainedLayer`.

Roles come from a config (`countbounds.auditing.config` says what it holds) and, where that is
silent, from the names PyTorch's modules and common code give their tensors, under any prefix.
Every tensor of the file is either used or ignored by name: what nobody accounts for would
make the audit one of another layer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from countbounds.auditing.config import (
    PROJECTIONS,
    NormSettings,
    Settings,
    check_config,
    parse_json,
    read_config,
)
from countbounds.auditing.finding import Finder, listed, toml
from countbounds.auditing.layer import Affine, TrainedLayer, TrainedNorm
from countbounds.auditing.tensors import Array, TensorFile, read_tensors
from countbounds.decimals import decimal
from countbounds.errors import InputError

Side = Literal["before", "after"]

_WIDTH = 13


@dataclass(frozen=True)
class Interpretation:
    """A checkpoint as it was understood.

    Attributes:
        layer: the layer.
        lines: what was understood, in words, and what was assumed by default.
    """

    layer: TrainedLayer
    lines: list[str]


def load(
    path: str | os.PathLike[str], config_path: str | os.PathLike[str] | None = None
) -> Interpretation:
    """Read a checkpoint, and its config where there is one.

    Raises:
        InputError: if a file cannot be read, or the layer in it is not understood.
    """
    config = None if config_path is None else read_config(config_path)
    return interpret(read_tensors(path), config)


def interpret(file: TensorFile, config: Mapping[str, Any] | None = None) -> Interpretation:
    """Find the layer in a checkpoint.

    Args:
        file: the tensors.
        config: what the file does not say; by default the JSON that a safetensors file may
            carry under the key "countbounds" of its metadata.

    Raises:
        InputError: if the config is wrong, a role cannot be filled or could be filled in two
            ways, a shape does not fit, or a tensor of the file is neither used nor ignored.
    """
    carried = config is None and "countbounds" in file.metadata
    if carried:
        config = parse_json(file.metadata["countbounds"], "The config in the file's metadata")
    reader = _Reader(file, check_config(config or {}))
    layer = reader.layer()
    if carried:
        reader.say("config", "in the file's own metadata")
    return Interpretation(layer, reader.lines)


@dataclass(frozen=True)
class _Projection:
    """A projection without its bias; what to say of it (nothing if assumed); its tensor."""

    shown: str
    affine: Affine
    name: str | None = None


class _Reader:
    """Puts the layer together, and says how."""

    def __init__(self, file: TensorFile, settings: Settings) -> None:
        self.find = Finder(file, settings)
        self.file = file
        self.settings = settings
        self.lines: list[str] = []

    def layer(self) -> TrainedLayer:
        """The layer, once every tensor is accounted for."""
        settings = self.settings
        embedding, names, dtype = self._tokens()
        d = int(embedding.shape[1])
        projections = self._projections(d)
        d_k = projections["query"].size(d)
        d_out = projections["output"].size(projections["value"].size(d))
        scale = settings.scale or "1/sqrt(d_k)"
        if scale == "1/sqrt(d_k)":
            square, factor = Fraction(1, d_k), f"scaled by 1/sqrt({d_k})"
        elif scale == "none":
            square, factor = Fraction(1), "not scaled"
        else:
            square, factor = scale**2, f"scaled by {decimal(scale)}"
        self.say("attention", (settings.attention or "softmax") + self._by(settings.attention))
        self.say(
            "heads", "1" + (" (assumed: the file does not say)" if settings.heads is None else "")
        )
        self.say("scores", factor + self._by(settings.scale))
        before = self._norm("before", d, dtype)
        self.say("residual", ("yes" if settings.residual else "none") + self._by(settings.residual))
        after = self._norm("after", d_out, dtype)
        readout, readout_bias, classifies = self._readout(d_out)
        self.find.account()
        if self.find.ignored:
            self.say("ignored", listed(self.find.ignored))
        return TrainedLayer(
            embedding=embedding,
            names=names,
            readout=readout,
            readout_bias=readout_bias,
            classifies=classifies,
            attention=settings.attention or "softmax",
            scale_square=square,
            before=before,
            after=after,
            residual=bool(settings.residual),
            **projections,
        )

    def say(self, label: str, text: str) -> None:
        """Add a line to what was understood."""
        self.lines.append(f"{label:<{_WIDTH}} {text}")

    @staticmethod
    def _by(given: object) -> str:
        return " (assumed)" if given is None else ""

    def _tokens(self) -> tuple[Array, tuple[str, ...], str]:
        """The rows of the tokens in order, their names, and how they are stored."""
        settings = self.settings
        if "boundary" in settings.tensors:
            return self._vectors()
        key = "embedding"
        name = settings.tensors.get(key) or self.find.one(key, key, key)
        if name is None:
            raise self.find.missing(key, key)
        table = self.find.take(name, key, key, ("tokens", "d"))
        count = len(table)
        boundary = 0 if settings.boundary is None else settings.boundary
        counted = 1 if settings.counted is None else settings.counted
        fillers = settings.fillers
        if fillers is None:
            fillers = tuple(row for row in range(count) if row not in (boundary, counted))
        rows = (boundary, counted, *fillers)
        for row in rows:
            if row >= count:
                raise InputError(
                    f"The embedding {name} has {count} rows, counted from 0, and [tokens] asks "
                    f"for row {row}; choose among them."
                )
        if len(set(rows)) < len(rows):
            raise InputError(
                f"[tokens] needs different rows for boundary ({boundary}), counted ({counted}) and "
                f"fillers ({', '.join(map(str, fillers)) or 'none'}); say which is which."
            )
        names = self._names(count, rows)
        self.say("embedding", self.find.shown(name))
        assumed = (settings.boundary, settings.counted, settings.fillers)
        self._say_tokens(tuple(names[row] for row in rows), rows, assumed)
        left = [names[row] for row in range(count) if row not in rows]
        if left:
            self.say("", f"left out by the config: {', '.join(map(_quoted, left))}")
        return table[list(rows)], tuple(names[row] for row in rows), self.file.dtypes.get(name, "")

    def _vectors(self) -> tuple[Array, tuple[str, ...], str]:
        tensors = self.settings.tensors
        boundary = self.find.take(tensors["boundary"], "boundary token", "boundary", ("d",))
        d = len(boundary)
        rows = [
            boundary[None],
            self.find.take(tensors["counted"], "counted token", "counted", (d,))[None],
        ]
        used = [tensors["boundary"], tensors["counted"]]
        for name in self.settings.filler_vectors:
            matrix = name in self.file.tensors and self.file.tensors[name].ndim == 2
            shape: tuple[int | str, ...] = ("tokens", d) if matrix else (d,)
            rows.append(self.find.take(name, "filler", "fillers", shape).reshape(-1, d))
            used.append(name)
        table = np.concatenate(rows)
        order = tuple(range(len(table)))
        names = self._names(len(table), order)
        self.say("embedding", ", ".join(self.find.shown(name) for name in used))
        self._say_tokens(tuple(names), (), (0, 1, order[2:]))
        return table, tuple(names), self.file.dtypes.get(used[0], "")

    def _names(self, count: int, rows: tuple[int, ...]) -> list[str]:
        """A name for every row."""
        names = self.settings.names
        if names is None:
            default = {rows[0]: "#", rows[1]: "counted"}
            return [default.get(row, f"filler {row}") for row in range(count)]
        if len(names) != count:
            raise InputError(
                f"[tokens] names has {len(names)} names, and there are {count} tokens; name each, "
                "in the order of the rows."
            )
        return list(names)

    def _say_tokens(
        self, names: tuple[str, ...], rows: tuple[int, ...], given: tuple[object, ...]
    ) -> None:
        roles = ("boundary", "counted", "fillers" if len(names) > 3 else "filler")
        parts = ([0], [1], list(range(2, len(names))))
        for role, part, said in zip(roles, parts, given, strict=True):
            shown = ", ".join(
                _quoted(names[i]) + (f" (row {rows[i]})" if rows else "") for i in part
            )
            self.say(role, (shown or "none") + self._by(said))

    def _projections(self, d: int) -> dict[str, Affine]:
        """Query, key, value and output: the matrices first, since they give the sizes."""
        found = self._packed_weights(d)
        for role in PROJECTIONS[len(found) :]:
            inputs = found["value"].affine.size(d) if role == "output" else d
            found[role] = self._weight(role, inputs)
        missing = [role for role in PROJECTIONS[:3] if not found[role].shown]
        if 0 < len(missing) < 3:
            raise InputError(
                f"The file holds no {missing[0]} projection beside the others; name it in a "
                f"config file, {toml(missing[0], 'NAME')}, or say "
                f"{toml(missing[0], 'identity')}."
            )
        packed = self.settings.tensors.get("in_proj_bias") or self.find.packed("in_proj_bias")
        thirds: dict[str, Array] = {}
        if packed is not None:
            label = "packed bias of query, key and value"
            whole = self.find.take(packed, label, "in_proj_bias", (3 * d,))
            thirds = dict(zip(PROJECTIONS, np.split(whole, 3), strict=False))
        complete = {}
        for role in PROJECTIONS:
            inputs = found["value"].affine.size(d) if role == "output" else d
            weight = found[role].affine
            name = self.settings.tensors.get(f"{role}_bias")
            name = name or self.find.bias_beside(found[role].name)
            bias, shown = thirds.get(role), f", bias in {packed}" if role in thirds else ""
            if name is not None:
                if bias is not None:
                    raise InputError(
                        f"The {role} bias is both in {packed} and in {name}; ignore the one that "
                        f"is no part of this layer, ignore = [{_quoted(name)}]."
                    )
                size = weight.size(inputs)
                bias = self.find.take(name, f"{role} bias", f"{role}_bias", (size,))
                shown = f", bias {self.find.shown(name)}"
            self.say(role, (found[role].shown or "the identity (assumed)") + shown)
            complete[role] = Affine(weight.weight, bias)
        return complete

    def _packed_weights(self, d: int) -> dict[str, _Projection]:
        """Query, key and value from one tensor, or nothing."""
        tensors = self.settings.tensors
        name = tensors.get("in_proj_weight") or self.find.packed("in_proj_weight")
        if name is None:
            return {}
        apart = [tensors[role] for role in PROJECTIONS[:3] if role in tensors]
        apart += [module for role in PROJECTIONS[:3] for module in self.find.modules(role)]
        if apart:
            raise InputError(
                f"Query, key and value are packed in {name}, and {apart[0]} is one of them too; "
                "ignore the one that is no part of this layer in a config file, "
                f"ignore = [{_quoted(name)}]."
            )
        for role in self.settings.transposed:
            if role in PROJECTIONS[:3]:
                raise InputError(
                    f"[layer] transposed names {role}, which is packed in {name}; leave it out: "
                    "packed matrices are stored as nn.MultiheadAttention does."
                )
        label = "packed query, key and value"
        whole = self.find.take(name, label, "in_proj_weight", (3 * d, d))
        found = {}
        for i, (role, part) in enumerate(zip(PROJECTIONS, np.split(whole, 3), strict=False)):
            shown = f"rows {i * d} to {(i + 1) * d - 1} of {self.find.shown(name)}"
            found[role] = _Projection(shown, Affine(part))
        return found

    def _weight(self, role: str, inputs: int) -> _Projection:
        name = self.settings.tensors.get(role) or self.find.one(role, f"{role} projection", role)
        transposed = role in self.settings.transposed
        if name is None or name == "identity":
            if transposed:
                raise InputError(
                    f"[layer] transposed names {role}, which has no matrix in the file; name it, "
                    f"{toml(role, 'NAME')}."
                )
            return _Projection("the identity" if name else "", Affine())
        shape = (inputs, "outputs") if transposed else ("outputs", inputs)
        array = self.find.take(name, f"{role} projection", role, shape)
        if transposed:
            return _Projection(f"{self.find.shown(name)}, transposed", Affine(array.T), name)
        return _Projection(self.find.shown(name), Affine(array), name)

    def _norm(self, side: Side, size: int, dtype: str) -> TrainedNorm | None:
        label = f"norm {side}"
        wanted = self.settings.before if side == "before" else self.settings.after
        weight = wanted.weight if wanted else None
        if weight is None:
            weight = self.find.one(side, f"norm {side} attention", f"{side}.weight")
            weight = weight or self._bare(side, wanted)
        if weight is None and wanted is None:
            self.say(label, "none (assumed; a norm without weights needs a config)")
            return None
        wanted = wanted or NormSettings()
        bias = wanted.bias or self.find.bias_beside(weight)
        kind = wanted.kind
        if kind is None and weight is not None and bias is None:
            raise InputError(
                f"The norm {weight} has no bias, and may be an RMSNorm or a LayerNorm without "
                f"one; say which in a config file, {_inline(side, weight, None, 'rms')} or "
                f"{_inline(side, weight, None, 'layer')}."
            )
        self.say(label, ("RMSNorm" if kind == "rms" else "LayerNorm") + self._by(kind))
        epsilon, origin = wanted.epsilon, ""
        if epsilon is None:
            stored = self.file.dtypes.get(weight, "") if weight else dtype
            epsilon, origin = self._epsilon(side, kind or "layer", stored)
        self.say("", f"epsilon {decimal(epsilon)}{origin}")
        arrays: list[Array | None] = []
        for what, name in (("weight", weight), ("bias", bias)):
            if name is None:
                arrays.append(None)
                self.say("", f"no {what}")
                continue
            full = f"{what} of the norm {side} attention"
            arrays.append(self.find.take(name, full, f"{side}.{what}", (size,)))
            self.say("", f"{what} {self.find.shown(name)}")
        return TrainedNorm(kind or "layer", epsilon, arrays[0], arrays[1])

    def _bare(self, side: Side, wanted: NormSettings | None) -> str | None:
        """A norm whose name does not say where it stands: the config has to."""
        found = self.find.modules("norm")
        if not found:
            return None
        tables = [norm for norm in (self.settings.before, self.settings.after) if norm is not None]
        if len(found) == len(tables) == 1:
            return found[0] if wanted is not None and wanted.weight is None else None
        bias = self.find.bias_beside(found[0])
        raise InputError(
            f"The norm {found[0]} may stand before or after attention; say where in a config file, "
            f"{_inline('before', found[0], bias)} or {_inline('after', found[0], bias)}."
        )

    @staticmethod
    def _epsilon(side: Side, kind: str, stored: str) -> tuple[Fraction, str]:
        if kind == "layer":
            return Fraction(1, 10**5), " (assumed: PyTorch's default)"
        power = {"float32": 23, "float64": 52}.get(stored)
        if power is None:  # 2^-10 or 2^-7 by PyTorch's documentation, 2^-23 by some versions
            raise InputError(
                f"The RMSNorm {side} attention is stored as {stored or 'no float'}, for which "
                "PyTorch's versions have different defaults; write its epsilon in a config file, "
                f"[{side}] epsilon = 1e-6."
            )
        return Fraction(1, 1 << power), f" (assumed: 2^-{power}, PyTorch's default for {stored})"

    def _readout(self, d_out: int) -> tuple[Array, Array | None, bool]:
        settings = self.settings
        name = settings.tensors.get("readout") or self.find.one("readout", "read-out", "readout")
        if name is None:
            raise self.find.missing("read-out", "readout")
        transposed = "readout" in settings.transposed
        if name in self.file.tensors and self.file.tensors[name].ndim == 1:
            rows = self.find.take(name, "read-out", "readout", (d_out,))[None]
        elif transposed:
            rows = self.find.take(name, "read-out", "readout", (d_out, "outputs")).T
        else:
            rows = self.find.take(name, "read-out", "readout", ("outputs", d_out))
        classifies = len(rows) > 1 if settings.kind is None else settings.kind == "classification"
        kind = (
            f"classification, a row for each count from 0 to {len(rows) - 1}"
            if classifies
            else "regression, rounded"
        )
        self.say("read-out", kind + self._by(settings.kind))
        self.say("", self.find.shown(name) + (", transposed" if transposed else ""))
        bias_name = settings.tensors.get("readout_bias") or self.find.bias_beside(name)
        if bias_name is None:
            return rows, None, classifies
        single = bias_name in self.file.tensors and self.file.tensors[bias_name].ndim == 0
        shape = () if single and len(rows) == 1 else (len(rows),)
        bias = self.find.take(bias_name, "read-out bias", "readout_bias", shape).reshape(-1)
        self.say("", f"bias {self.find.shown(bias_name)}")
        return rows, bias, classifies


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _inline(side: Side, weight: str, bias: str | None, kind: str = "layer") -> str:
    parts = {"kind": kind, "weight": weight} | ({"bias": bias} if bias else {})
    inner = ", ".join(f"{key} = {_quoted(value)}" for key, value in parts.items())
    return f"{side} = {{ {inner} }}"
