"""Finding the tensors of a checkpoint by the names that modules usually have."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Sequence

from countbounds.auditing.config import PROJECTIONS, Settings
from countbounds.auditing.tensors import Array, TensorFile
from countbounds.errors import InputError

# The last part of a module's name, in lower case.
_NAMES = {
    "embedding": "embedding embeddings embed emb embed_tokens tok_emb tok_embed tok_embedding "
    "tok_embeddings token_emb token_embed token_embedding token_embeddings word_embedding "
    "word_embeddings wte w_e",
    "query": "q_proj query query_proj w_q wq to_q q",
    "key": "k_proj key key_proj w_k wk to_k k",
    "value": "v_proj value value_proj w_v wv to_v v",
    "output": "out_proj o_proj output output_proj w_o wo to_out o",
    "readout": "readout read_out head lm_head fc linear classifier decoder regressor predictor out "
    "unembed w w_out",
    "before": "norm1 norm_1 ln1 ln_1 layernorm1 layer_norm1 layer_norm_1 pre_norm prenorm "
    "norm_pre pre_ln ln_pre norm_before before_norm ln_before attn_norm attention_norm "
    "input_layernorm",
    "after": "norm2 norm_2 ln2 ln_2 layernorm2 layer_norm2 layer_norm_2 post_norm postnorm "
    "norm_post post_ln ln_post norm_after after_norm ln_after final_norm norm_final "
    "final_layernorm ln_f norm_f ln_final post_attention_layernorm",
    "norm": "norm ln layernorm layer_norm rmsnorm rms_norm",
}
_MODULES = {role: frozenset(names.split()) for role, names in _NAMES.items()}
_SEPARATE = {"q_proj_weight": "query", "k_proj_weight": "key", "v_proj_weight": "value"}
_ADDED = ("bias_k", "bias_v")
_LISTED = 20


def toml(key: str, value: str) -> str:
    """The line of a config that names a tensor; the key may be TABLE.KEY, else of [tensors]."""
    table, _, leaf = key.rpartition(".")
    return f"[{table or 'tensors'}] {leaf} = {json.dumps(value, ensure_ascii=False)}"


def listed(names: Sequence[str], word: str = ", ") -> str:
    """Some names for a message, and how many more there are."""
    more = len(names) - _LISTED
    rest = f" and {more} more" if more > 0 else ""
    return word.join(names[:_LISTED]) + rest


class Finder:
    """Takes tensors out of a file, role by role, and keeps account of them.

    Attributes:
        file: the tensors.
        used: the names that were taken.
        ignored: the names that the config ignores.
    """

    def __init__(self, file: TensorFile, settings: Settings) -> None:
        """Set aside what the config ignores, and what it gives a role.

        Raises:
            InputError: if it does both to one tensor.
        """
        self.file = file
        self.used: set[str] = set()
        self.ignored = [
            name
            for name in file.names
            if any(name == p or fnmatch.fnmatchcase(name, p) for p in settings.ignore)
        ]
        norms = [norm for norm in (settings.before, settings.after) if norm is not None]
        named = [*settings.tensors.values(), *settings.filler_vectors]
        named += [name for norm in norms for name in (norm.weight, norm.bias) if name is not None]
        for name in named:
            if name in self.ignored:
                raise InputError(
                    f"The config gives {name!r} a role and ignores it; leave one of the two out."
                )
        self._reserved = set(named)

    def shown(self, name: str) -> str:
        """A tensor's name, shape and dtype."""
        shape = " x ".join(str(size) for size in self.file.array(name).shape) or "one number"
        return f"{name} ({shape}, {self.file.dtypes.get(name, 'float64')})"

    def _free(self, name: str) -> bool:
        return not (name in self._reserved or name in self.used or name in self.ignored)

    def modules(self, role: str) -> list[str]:
        """The free tensors whose names say that they are a role's weight.

        Args:
            role: a projection, "embedding", "readout", "before", "after", or "norm" for a
                norm whose name does not say where it stands.
        """
        found = []
        for name in self.file.names:
            stem, _, leaf = name.rpartition(".")
            bare = leaf.lower() in _MODULES[role]
            if leaf == "weight":
                matches = stem.rpartition(".")[2].lower() in _MODULES[role]
            elif role in PROJECTIONS:  # a bare matrix may be W x or x W: that needs a config
                matches = _SEPARATE.get(leaf) == role
            elif role == "readout":
                matches = bare and self._is_row(name)
            else:
                matches = bare and role == "embedding"
            if matches and self._free(name):
                found.append(name)
        return found

    def _is_row(self, name: str) -> bool:
        array = self.file.tensors.get(name)
        return array is not None and (array.ndim == 1 or array.shape[:1] == (1,))

    def one(self, role: str, label: str, key: str) -> str | None:
        """The one free tensor that a role's names fit, if any does.

        Args:
            role: as for `modules`.
            label: what to call it in a message.
            key: of the config that would name it.

        Raises:
            InputError: if several fit.
        """
        return self._only(self.modules(role), label, key)

    def packed(self, key: str) -> str | None:
        """The one free tensor with this last part of its name, if there is any."""
        found = [n for n in self.file.names if n.rpartition(".")[2] == key and self._free(n)]
        return self._only(found, key, key)

    @staticmethod
    def _only(found: list[str], label: str, key: str) -> str | None:
        if len(found) > 1:
            raise InputError(
                f"The {label} may be {listed(found, ' or ')}; name the right one in a config "
                f"file, {toml(key, found[0])}, and those that are no part of this layer under "
                "ignore."
            )
        return found[0] if found else None

    def bias_beside(self, weight: str | None) -> str | None:
        """The free bias beside a module's weight, if there is one."""
        stem, dot, leaf = (weight or "").rpartition(".")
        bias = f"{stem}.bias"
        there = leaf == "weight" and dot and bias in self.file.names and self._free(bias)
        return bias if there else None

    def take(self, name: str, label: str, key: str, shape: tuple[int | str, ...]) -> Array:
        """A tensor's numbers.

        Args:
            name: the tensor.
            label: what to call it in a message.
            key: of the config that names it.
            shape: what it must have; a text stands for any number.

        Raises:
            InputError: if it is not there, or has another shape or dtype.
        """
        if name not in self.file.names:
            raise InputError(
                f"The file has no tensor {name!r} for the {label}; it holds "
                f"{listed(self.file.names) or 'nothing'}."
            )
        array = self.file.array(name)
        fits = len(array.shape) == len(shape) and all(
            isinstance(want, str) or want == size
            for want, size in zip(shape, array.shape, strict=True)
        )
        if not fits:
            wanted = ", ".join(str(size) for size in shape) + "," * (len(shape) == 1)
            hint = ""
            if key in (*PROJECTIONS, "readout") and array.shape[:1] == shape[1:]:
                hint = f', or, if it stands for x W, [layer] transposed = ["{key}"]'
                if key in ("key", "value"):
                    hint += f"; a layer whose {key}s are not of its embeddings cannot be audited"
            raise InputError(
                f"The {label} needs the shape ({wanted}), and {name} has the shape "
                f"{array.shape}; name the right tensor in a config file, {toml(key, 'NAME')}{hint}."
            )
        if not array.size:
            raise InputError(
                f"The {label} {name} is empty, of shape {array.shape}; name the right tensor in a "
                f"config file, {toml(key, 'NAME')}."
            )
        self.used.add(name)
        return array

    def missing(self, label: str, key: str) -> InputError:
        """The error that no tensor has a role."""
        return InputError(
            f"No tensor of the file has a usual name of the {label}; name it in a config file, "
            f"{toml(key, 'NAME')}; the file holds {listed(self.file.names) or 'nothing'}."
        )

    def account(self) -> None:
        """Check that every tensor was taken or is ignored.

        Raises:
            InputError: otherwise.
        """
        left = [n for n in self.file.names if n not in self.used and n not in self.ignored]
        if not left:
            return
        added = [name for name in left if name.rpartition(".")[2] in _ADDED]
        hint = f" ({added[0]} adds a token, which cannot be audited)" if added else ""
        quoted = [json.dumps(name, ensure_ascii=False) for name in left]
        raise InputError(
            f"The file holds {listed(left)}, of no known role in the layer{hint}; name the role "
            "in a config file, or, if the output does not depend on it, write "
            f"ignore = [{listed(quoted)}]."
        )
