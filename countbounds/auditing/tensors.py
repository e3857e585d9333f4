"""Checkpoints as they lie on disk: every number read exactly, nothing executed.

Three formats: `.safetensors`, numpy's `.npz`, and what `torch.save` writes of a state dict
(`.pt`, `.pth`, `.bin`; the only one that needs PyTorch).
"""

from __future__ import annotations

import io
import json
import math
import os
import stat
import warnings
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from countbounds.decimals import shorten
from countbounds.errors import InputError
from countbounds.extras import load

Array = npt.NDArray[np.float64]
Kind = Literal["safetensors", "npz", "torch"]

LIMIT = 1 << 30
"""The largest file that is read, and the most its tensors may take as doubles, in bytes."""

SUFFIXES: dict[str, Kind] = {
    ".safetensors": "safetensors",
    ".npz": "npz",
    ".pt": "torch",
    ".pth": "torch",
    ".bin": "torch",
}
_NESTED = ("state_dict", "model_state_dict", "model")
_FLOATS = ("float16", "float32", "float64")
_SAFETENSORS = {"BF16": "bfloat16"} | {
    f"{letter}{bits}": f"{kind}{bits}"
    for letter, kind in (("F", "float"), ("I", "int"), ("U", "uint"))
    for bits in (8, 16, 32, 64)
    if (letter, bits) != ("F", 8)
}
_LARGEST_INTEGER = 1 << 53
_LONGEST_NAME = 200


@dataclass(frozen=True, eq=False)
class TensorFile:
    """The tensors of one file.

    Attributes:
        tensors: each tensor as doubles that equal the stored numbers.
        dtypes: how each tensor is stored ("float16", "bfloat16", "float32", "float64",
            "int64", ...), those of `unusable` included.
        metadata: the texts a safetensors file carries beside its tensors.
        unusable: what is in the file and cannot be used, with the reason as a sentence.
    """

    tensors: dict[str, Array]
    dtypes: dict[str, str] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)
    unusable: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name in the file, in its order where the file has one."""
        return tuple(self.tensors) + tuple(self.unusable)

    def array(self, name: str) -> Array:
        """The numbers of one tensor.

        Raises:
            InputError: if there is no such tensor, or its dtype has no exact doubles.
        """
        if name in self.unusable:
            raise InputError(self.unusable[name])
        if name not in self.tensors:
            held = ", ".join(self.names) or "nothing"
            raise InputError(f"The file has no tensor {name!r}; it holds {held}.")
        return self.tensors[name]


def read_tensors(path: str | os.PathLike[str]) -> TensorFile:
    """Read every tensor of a checkpoint; its suffix names its format.

    Args:
        path: a `.safetensors`, `.npz`, `.pt`, `.pth` or `.bin` file of at most 1 GiB,
            whose tensors take at most 1 GiB as doubles. In a PyTorch file the state dict
            may lie one level down, under "state_dict", "model_state_dict" or "model".

    Raises:
        InputError: if the file is missing, unreadable, too large or damaged, is not what
            its suffix says, or holds anything but tensors (a pickle with code is refused,
            not run), or if PyTorch is needed and missing.
    """
    name = os.fspath(path)
    suffix = os.path.splitext(name)[1].lower()
    if suffix not in SUFFIXES:
        known = ", ".join(list(SUFFIXES)[:-1])
        raise InputError(
            f"The file {name!r} needs a suffix that names its format: {known} or .bin."
        )
    kind = SUFFIXES[suffix]
    try:
        data = read_bytes(name, LIMIT)
        found = _sniff(data)
        if found is not None and found != kind:
            right = next(key for key, value in SUFFIXES.items() if value == found)
            raise InputError(
                f"The file {name} is not what its suffix {suffix} says: its content is that "
                f"of a {right} file; rename it."
            )
        file = _READERS[kind](data, name)
    except MemoryError:
        raise InputError(
            f"There is not enough memory to read {name}; save the one layer alone in a file."
        ) from None
    for tensor in file.names:  # which go to the terminal
        if not tensor.isprintable() or len(tensor) > _LONGEST_NAME:
            raise InputError(
                f"The file {name} calls a tensor {shorten(ascii(tensor))}; a name has printable "
                f"characters only, and at most {_LONGEST_NAME} of them: save it under another."
            )
    return file


def read_bytes(name: str, limit: int) -> bytes:
    """The content of a regular file.

    Raises:
        InputError: if it is missing, no regular file, unreadable, empty, or larger than
            the limit in bytes.
    """
    if os.path.isdir(name):
        raise InputError(f"{name} is a folder; name a file in it.")
    try:
        status = os.stat(name)
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{name} is not a regular file; save its content to one.")
        if status.st_size > limit:
            raise InputError(
                f"The file {name} has {status.st_size} bytes and at most {limit} are read; "
                "save the one layer alone in a file."
            )
        with open(name, "rb") as file:
            data = file.read(status.st_size)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"There is no file {name!r}; check its name.") from None
    except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"The file {name!r} cannot be read ({reason}); check its name and permissions."
        ) from None
    if not data:
        raise InputError(f"The file {name} is empty; save it again.")
    return data


def _sniff(data: bytes) -> Kind | None:
    """The format a content shows by its first bytes, or None."""
    if data[8:9] == b"{":
        return "safetensors"
    if data.startswith(b"PK\x03\x04"):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                names = archive.namelist()
        except Exception:  # damaged: the format's own reader says so
            return None
        if any(name.endswith("data.pkl") for name in names):
            return "torch"
        if names and all(name.endswith(".npy") for name in names):
            return "npz"
    return None


def _damaged(name: str, kind: str, reason: object) -> InputError:
    text = " ".join(str(reason).split()).rstrip(".")
    text = text if len(text) <= 150 else text[:150] + "..."
    return InputError(f"The file {name} is no whole {kind} file ({text}); save it again.")


def _extremes(values: npt.NDArray[Any]) -> tuple[Any, ...]:
    return (values.min(), values.max()) if values.size else ()


class _Collector:
    """Gathers the tensors of one file, within the limit on their size as doubles."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.file = TensorFile({})
        self._left = LIMIT

    def take(
        self, tensor: str, dtype: str, size: int, array: Callable[[], npt.NDArray[Any]]
    ) -> None:
        """Add one tensor.

        Args:
            tensor: its name.
            dtype: how it is stored.
            size: the number of its entries.
            array: its numbers, asked for only if they fit.
        """
        if tensor in self.file.dtypes:
            raise _damaged(self.name, "checkpoint", f"it holds {tensor!r} twice")
        self.file.dtypes[tensor] = dtype
        integer = dtype.removeprefix("u").startswith("int")
        if not (dtype in _FLOATS or dtype == "bfloat16" or integer):
            self.refuse(
                tensor,
                f"The tensor {tensor!r} has the dtype {dtype}; only float16, bfloat16, float32, "
                "float64 and integers can be audited.",
            )
            return
        self._left -= 8 * size
        if self._left < 0:
            raise InputError(
                f"The tensors of {self.name} take more than {LIMIT} bytes as doubles; save the "
                "one layer alone in a file."
            )
        values = array()
        if integer and any(abs(int(value)) > _LARGEST_INTEGER for value in _extremes(values)):
            self.refuse(
                tensor,
                f"The tensor {tensor!r} holds integers beyond 2^53, which doubles do not hold "
                "exactly; store it as float64.",
            )
            return
        with np.errstate(all="ignore"):  # a signalling nan, refused later
            self.file.tensors[tensor] = np.array(values, dtype=np.float64, order="C")

    def refuse(self, tensor: str, reason: str) -> None:
        """Remember why a tensor cannot be used."""
        self.file.unusable[tensor] = reason


def _read_safetensors(data: bytes, name: str) -> TensorFile:
    import safetensors

    deserialize: Callable[[bytes], list[tuple[str, dict[str, Any]]]] = safetensors.deserialize
    try:
        tensors = deserialize(data)
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    except MemoryError:
        raise
    except Exception as error:
        reason = str(error).removeprefix("Error while deserializing: ")
        raise _damaged(name, ".safetensors", reason) from None
    collector = _Collector(name)
    for tensor, info in sorted(tensors, key=lambda pair: pair[0]):
        dtype = _SAFETENSORS.get(info["dtype"], info["dtype"])
        array = partial(_little_endian, info["data"], dtype, info["shape"])
        collector.take(tensor, dtype, math.prod(info["shape"]), array)
    metadata = {str(key): str(value) for key, value in header.get("__metadata__", {}).items()}
    file = collector.file
    for alias, kept in metadata.items():  # how safetensors.torch.save_model stores tied weights
        if kept in file.tensors and alias not in (*file.dtypes, "format"):
            file.tensors[alias] = file.tensors[kept]
            file.dtypes[alias] = file.dtypes[kept]
    file.metadata.update(metadata)
    return file


def _little_endian(data: bytes, dtype: str, shape: list[int]) -> npt.NDArray[Any]:
    if dtype != "bfloat16":
        return np.frombuffer(data, dtype=np.dtype(dtype).newbyteorder("<")).reshape(shape)
    upper = np.frombuffer(data, dtype="<u2").astype(np.uint32)  # the upper half of a float32
    return (upper << 16).view(np.float32).reshape(shape)


def _read_npz(data: bytes, name: str) -> TensorFile:
    collector = _Collector(name)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_archive(archive, name, (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
            for member in archive.infolist():
                if not member.filename.endswith(".npy"):
                    raise ValueError(f"{shorten(member.filename)} in it is no array")
                tensor = member.filename.removesuffix(".npy")
                _take_npy(collector, tensor, archive.read(member))
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise _damaged(name, ".npz", error) from None
    return collector.file


def _take_npy(collector: _Collector, tensor: str, data: bytes) -> None:
    """Read one array: its header first, whose claim must be what follows it."""
    stream = io.BytesIO(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about headers written by Python 2
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
        elif version == (2, 0):
            shape, fortran, dtype = np.lib.format.read_array_header_2_0(stream)
        else:
            raise ValueError(f"{tensor} is of the unknown version {version}")
    if dtype.hasobject:
        collector.file.dtypes[tensor] = "object"
        collector.refuse(
            tensor,
            f"The tensor {tensor!r} holds Python objects, not numbers; save it as an array of "
            "floats.",
        )
        return
    size = math.prod(shape)
    rest = data[stream.tell() :]
    if size < 0 or min(shape, default=0) < 0 or size * dtype.itemsize != len(rest):
        raise ValueError(f"{tensor} claims the shape {shape}, and holds {len(rest)} bytes")

    def array() -> npt.NDArray[Any]:
        return np.frombuffer(rest, dtype=dtype).reshape(shape, order="F" if fortran else "C")

    collector.take(tensor, dtype.name, size, array)


def _check_archive(archive: zipfile.ZipFile, name: str, methods: tuple[int, ...]) -> None:
    """Refuse an archive that would unpack to more than the limit, before unpacking it."""
    total = sum(member.file_size for member in archive.infolist())
    if total > LIMIT:
        raise InputError(
            f"The file {name} would unpack to {total} bytes and at most {LIMIT} are read; save "
            "the one layer alone in a file."
        )
    for member in archive.infolist():
        if member.compress_type not in methods:
            raise ValueError(f"{shorten(member.filename)} in it is compressed in an unusual way")


def _read_torch(data: bytes, name: str) -> TensorFile:
    if _sniff(data) != "torch":
        raise _damaged(name, "PyTorch", "it is no archive as torch.save writes it since 1.6")
    instead = "or save the layer as .safetensors"
    torch = load("torch", what=f"Reading {name}", package="PyTorch", extra="torch", instead=instead)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            # PyTorch writes its members as they are, so a compressed one is no work of it.
            _check_archive(archive, name, (zipfile.ZIP_STORED,))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            content = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except (InputError, MemoryError):
        raise
    except Exception as error:
        text = str(error)
        if "eights only load failed" in text or "weights_only" in text:
            raise InputError(
                f"The file {name} holds more than tensors, and nothing in it was run; save the "
                "state dict alone, as torch.save(model.state_dict(), FILE) does."
            ) from None
        raise _damaged(name, "PyTorch", text.split("\n", maxsplit=1)[0]) from None
    state = _state_dict(content, name, torch)
    collector = _Collector(name)
    for tensor, value in state.items():
        if not isinstance(tensor, str):
            raise InputError(
                f"The file {name} holds a {type(tensor).__name__} where a tensor's name should "
                "be; save the layer's state dict."
            )
        _take_torch(collector, tensor, value, torch)
    return collector.file


def _state_dict(content: object, name: str, torch: Any) -> Mapping[object, object]:
    """The state dict in what was loaded: that itself, or one level down."""
    if not isinstance(content, Mapping):
        raise InputError(
            f"The file {name} holds no state dict but a {type(content).__name__}; save "
            "model.state_dict()."
        )
    nested = [key for key in _NESTED if isinstance(content.get(key), Mapping)]
    if not nested:
        return content
    if len(nested) > 1 or any(isinstance(value, torch.Tensor) for value in content.values()):
        raise InputError(
            f"The file {name} holds tensors in more than one place; save the layer's state dict "
            "alone."
        )
    inner: Mapping[object, object] = content[nested[0]]
    return inner


def _take_torch(collector: _Collector, tensor: str, value: Any, torch: Any) -> None:
    if not isinstance(value, torch.Tensor):
        collector.file.dtypes[tensor] = type(value).__name__
        collector.refuse(
            tensor,
            f"{tensor!r} is no tensor but a {type(value).__name__}; only tensors can be audited.",
        )
        return
    dtype = str(value.dtype).removeprefix("torch.")
    if value.layout != torch.strided or value.is_quantized or value.device.type != "cpu":
        collector.file.dtypes[tensor] = dtype
        collector.refuse(
            tensor,
            f"The tensor {tensor!r} is sparse, quantized or without numbers; store it as a dense "
            "tensor of floats.",
        )
        return

    def array() -> npt.NDArray[Any]:
        plain = value.detach().resolve_conj().resolve_neg()
        if plain.dtype == torch.bfloat16:
            plain = plain.to(torch.float32)
        numbers: npt.NDArray[Any] = plain.numpy()
        return numbers

    collector.take(tensor, dtype, int(value.numel()), array)


_READERS: dict[Kind, Callable[[bytes, str], TensorFile]] = {
    "safetensors": _read_safetensors,
    "npz": _read_npz,
    "torch": _read_torch,
}
