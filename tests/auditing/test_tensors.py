from __future__ import annotations

import io
import json
import math
import os
import pickle
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import safetensors
from hypothesis import given
from hypothesis import strategies as st

from countbounds.auditing import tensors
from countbounds.auditing.tensors import TensorFile, read_tensors
from countbounds.errors import InputError

CHECKPOINTS = Path(__file__).parent.parent / "data" / "checkpoints"
SAMPLES = [CHECKPOINTS / name for name in ("packed.safetensors", "vectors.npz", "nested.pt")]
CODES = {"float16": "F16", "float32": "F32", "float64": "F64", "bfloat16": "BF16", "int64": "I64"}

torch_only = pytest.mark.torch


def safe(header: object, body: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def one(dtype: str, shape: list[int], body: bytes, **metadata: str) -> bytes:
    entry = {"dtype": dtype, "shape": shape, "data_offsets": [0, len(body)]}
    return safe({"x": entry, "__metadata__": metadata}, body)


def archive(content: bytes, method: int = zipfile.ZIP_STORED, name: str = "x.npy") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as file:
        file.writestr(name, content)
    return stream.getvalue()


def npy(descr: str, shape: object, body: bytes = b"") -> bytes:
    header = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape!r}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body


def npz(**arrays: npt.NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=True, **arrays)
    return stream.getvalue()


def read(tmp_path: Path, name: str, data: bytes) -> TensorFile:
    path = tmp_path / name
    path.write_bytes(data)
    return read_tensors(path)


def refused(path: Path | str, message: str = ".") -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_tensors(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    assert caught.value.__cause__ is None


class Marker:
    """Unpickled, it would make a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, str]]:
        return open, (str(self.path), "w")


def same(found: npt.NDArray[np.float64], wanted: npt.NDArray[np.float64]) -> None:
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, wanted)  # which takes -0 for 0, and nan for nan
    number = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(wanted[number]))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_every_kind_of_number_is_exact(tmp_path: Path, dtype: str) -> None:
    info = np.finfo(dtype)
    values = [0.0, -0.0, 0.1, -1 / 3, info.max, info.tiny, info.smallest_subnormal, 3e-5]
    array = np.array(values, dtype=dtype).reshape(2, 4)
    wanted = np.array([[float(x) for x in row] for row in array])
    for name, data in (
        ("a.safetensors", one(CODES[dtype], [2, 4], array.tobytes())),
        ("a.npz", npz(x=array)),
        ("b.npz", npz(x=np.asfortranarray(array))),
        ("c.npz", npz(x=array.astype(array.dtype.newbyteorder(">")))),
    ):
        file = read(tmp_path, name, data)
        assert file.dtypes == {"x": dtype}
        same(file.array("x"), wanted)


def test_every_bfloat16_is_exact(tmp_path: Path) -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    file = read(tmp_path, "a.safetensors", one("BF16", [1 << 16], bits.tobytes()))
    assert file.dtypes == {"x": "bfloat16"}
    found = file.array("x")
    for pattern in range(1 << 16):
        sign = -1.0 if pattern >> 15 else 1.0
        power, fraction = pattern >> 7 & 255, pattern & 127
        if power == 255:
            assert not math.isfinite(found[pattern])
            continue
        significand = fraction + 128 if power else fraction
        assert found[pattern] == sign * math.ldexp(significand, max(power, 1) - 134)


@torch_only
def test_pytorch_files_are_exact(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    every = torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32).to(torch.int16)
    state = {
        "half": every.view(torch.float16).clone(),
        "brain": every.view(torch.bfloat16).clone(),
        "single": torch.tensor([[1e-45, 0.1], [-3e38, 1.0]]).T,
        "double": torch.nn.Parameter(torch.tensor([5e-324, 0.1], dtype=torch.float64)),
        "whole": torch.tensor(7),
        "mask": torch.tensor([True]),
    }
    for nested in (state, {"state_dict": state}, {"epoch": 1, "model_state_dict": state}):
        for name in ("a.pt", "a.pth", "a.bin"):
            torch.save(nested, tmp_path / name)
            file = read_tensors(tmp_path / name)
            for key in ("half", "brain", "single", "double", "whole"):
                same(file.array(key), state[key].detach().double().contiguous().numpy())
            assert file.dtypes["brain"] == "bfloat16"
            assert file.dtypes["half"] == "float16"
            with pytest.raises(InputError, match="'mask' has the dtype bool"):
                file.array("mask")


@pytest.mark.parametrize("dtype", ["bool", "complex64", "longdouble", "U3", "O", "M8[s]"])
def test_other_dtypes_are_refused_when_used(tmp_path: Path, dtype: str) -> None:
    file = read(tmp_path, "a.npz", npz(x=np.zeros(2, dtype=dtype), y=np.ones(1)))
    assert list(file.tensors) == ["y"]
    assert file.names == ("y", "x")
    with pytest.raises(InputError, match="'x'"):
        file.array("x")


def test_other_dtypes_of_safetensors(tmp_path: Path) -> None:
    for code in ("F8_E4M3", "BOOL"):
        file = read(tmp_path, "a.safetensors", one(code, [3], b"\0\1\1"))
        with pytest.raises(InputError, match=f"'x' has the dtype {code}"):
            file.array("x")


def test_integers_are_taken_where_doubles_hold_them(tmp_path: Path) -> None:
    for dtype in ("int64", "uint64"):
        for value, exact in ((1 << 53, True), ((1 << 53) + 1, False)):
            file = read(tmp_path, "a.npz", npz(x=np.array([3, value], dtype=dtype)))
            assert ("x" in file.tensors) == exact
            if not exact:
                with pytest.raises(InputError, match="beyond"):
                    file.array("x")
    file = read(tmp_path, "a.safetensors", one("I64", [1], struct.pack("<q", -5)))
    assert file.array("x").tolist() == [-5.0]


def test_metadata_and_tied_tensors(tmp_path: Path) -> None:
    data = one("F32", [1], struct.pack("<f", 2.0), countbounds="{}", head="x")
    file = read(tmp_path, "a.safetensors", data)
    assert file.metadata == {"countbounds": "{}", "head": "x"}
    assert file.array("head").tolist() == [2.0]
    with pytest.raises(InputError, match="no tensor 'y'; it holds x, head"):
        file.array("y")


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[2J", "a" * 201, "\ud800"])
def test_a_name_that_cannot_be_shown(tmp_path: Path, name: str) -> None:
    header = {name: {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}}
    path = tmp_path / "a.safetensors"
    path.write_bytes(safe(header, b"abcd"))
    refused(path)


HUGE = (1 << 31).to_bytes(8, "little")
BROKEN = {
    "empty": ("a.safetensors", b"", "is empty"),
    "empty npz": ("a.npz", b"", "is empty"),
    "empty pt": ("a.pt", b"", "is empty"),
    "short": ("a.safetensors", b"\1", "no whole .safetensors"),
    "header of 2 GB": ("a.safetensors", HUGE + b'{"x": 1}', "header too large"),
    "header of 2^64": ("a.safetensors", b"\xff" * 8 + b"{}", "header too large"),
    "text": ("a.safetensors", b"hello, world, this is no model", "no whole .safetensors"),
    "no JSON": ("a.safetensors", safe(b"{'x': 1}"), "no whole .safetensors"),
    "deep": ("a.safetensors", safe(b'{"x":' + b"[" * 90_000), "no whole .safetensors"),
    "claimed data": (
        "a.safetensors",
        safe({"x": {"dtype": "F32", "shape": [1 << 29], "data_offsets": [0, 1 << 31]}}),
        "no whole .safetensors",
    ),
    "overflow": (
        "a.safetensors",
        safe({"x": {"dtype": "F32", "shape": [1 << 62, 4], "data_offsets": [0, 0]}}),
        "no whole .safetensors",
    ),
    "shape": (
        "a.safetensors",
        safe({"x": {"dtype": "F32", "shape": [3], "data_offsets": [0, 4]}}, b"abcd"),
        "no whole .safetensors",
    ),
    "no zip": ("a.npz", b"\x93NUMPY\x01\x00", "no whole .npz"),
    "no array": ("a.npz", archive(b"", name="x"), "no array"),
    "no magic": ("a.npz", archive(b"abc"), "no whole .npz"),
    "version": ("a.npz", archive(b"\x93NUMPY\x09\x00" + b"x" * 99), "unknown version"),
    "shape of 2 GB": ("a.npz", archive(npy("<f4", (1 << 29,))), "claims the shape"),
    "shape of 2^200": ("a.npz", archive(npy("<f4", (1 << 100, 1 << 100))), "claims"),
    "negative shape": ("a.npz", archive(npy("<f4", (-1, -1), b"abcd")), "claims"),
    "no shape": ("a.npz", archive(npy("<f4", "abc")), "no whole .npz"),
    "no dtype": ("a.npz", archive(npy("f99", (1,))), "no whole .npz"),
    "deep header": (
        "a.npz",
        archive(b"\x93NUMPY\x01\x00\xf0\x1f" + b"(" * 8176),
        "no whole .npz",
    ),
    "long header": (
        "a.npz",
        archive(b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535),
        "no whole .npz",
    ),
    "lzma": ("a.npz", archive(npy("<f4", ()), zipfile.ZIP_LZMA), "unusual"),
    "npz as safetensors": ("a.safetensors", npz(x=np.ones(1)), "that of a .npz file; rename"),
    "npz as pt": ("a.pt", npz(x=np.ones(1)), "that of a .npz file; rename it"),
    "safetensors as npz": ("a.npz", one("F32", [1], b"abcd"), "of a .safetensors file; rename"),
    "pt as npz": ("a.npz", archive(b"", name="a/data.pkl"), "that of a .pt file; rename it"),
    "no pt": ("a.pt", b"hello", "no whole PyTorch"),
    "suffix": ("a.onnx", b"x", r"\.safetensors, \.npz, \.pt, \.pth or \.bin"),
    "no suffix": ("a", b"x", "needs a suffix"),
    "numpy's other format": ("a.npy", b"x", "needs a suffix"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file(tmp_path: Path, case: str) -> None:
    name, data, message = BROKEN[case]
    path = tmp_path / name
    path.write_bytes(data)
    refused(path, message)


def test_a_path_that_is_no_readable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(tmp_path / "a.npz", "There is no file")
    refused("a\0.npz", "null byte")
    (tmp_path / "b.npz").mkdir()
    refused(tmp_path / "b.npz", "is a folder")
    os.mkfifo(tmp_path / "c.npz")
    refused(tmp_path / "c.npz", "not a regular file")
    (tmp_path / "d.npz").symlink_to(tmp_path / "d.npz")
    refused(tmp_path / "d.npz", "cannot be read")
    with (tmp_path / "e.pt").open("wb") as file:
        file.truncate(tensors.LIMIT + 1)
    refused(tmp_path / "e.pt", "at most 1073741824 are read")

    def denied(*args: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "f.npz").write_bytes(b"x")
    monkeypatch.setattr("builtins.open", denied)
    refused(tmp_path / "f.npz", "Permission denied")


def test_too_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*args: object) -> None:
        raise MemoryError

    monkeypatch.setattr(safetensors, "deserialize", exhausted)
    refused(SAMPLES[0], "not enough memory")


def bomb(tmp_path: Path, name: str, member: str) -> Path:
    """An archive of about 2 MB that unpacks to 2 GiB."""
    path = tmp_path / name
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file,
        file.open(member, "w", force_zip64=True) as stream,
    ):
        stream.write(npy("<f4", (1 << 29,)))
        zeros = bytes(1 << 24)
        for _ in range(128):
            stream.write(zeros)
    return path


@pytest.mark.slow
def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    refused(bomb(tmp_path, "a.npz", "x.npy"), "would unpack to 2147483")


def test_a_small_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "LIMIT", 1 << 16)
    path = tmp_path / "a.npz"
    # Within the limit as it is stored, and four times as much in doubles.
    for size, message in ((1 << 15, "would unpack to"), (1 << 14, "as doubles")):
        path.write_bytes(archive(npy("<f2", (size,), bytes(2 * size)), zipfile.ZIP_DEFLATED))
        refused(path, message)


def test_a_member_larger_than_it_says(tmp_path: Path) -> None:
    data = archive(npy("<f8", (1000,), bytes(8000)), zipfile.ZIP_DEFLATED)
    size = struct.pack("<I", len(npy("<f8", (1000,))) + 8000)
    assert data.count(size) == 2
    path = tmp_path / "a.npz"
    path.write_bytes(data.replace(size, struct.pack("<I", 100)))
    refused(path, "no whole .npz")


def test_objects_are_not_unpickled(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    file = read(tmp_path, "a.npz", npz(x=np.array([Marker(marker)], dtype=object)))
    with pytest.raises(InputError, match="Python objects"):
        file.array("x")
    assert not marker.exists()


@torch_only
def test_code_in_a_pickle_is_not_run(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    marker, path = tmp_path / "marker", tmp_path / "a.pt"
    torch.save({"x": torch.ones(1), "y": Marker(marker)}, path)
    refused(path, "nothing in it was run")
    path.write_bytes(pickle.dumps(Marker(marker)))
    refused(path, "no whole PyTorch")
    torch.save({"x": Marker(marker)}, path, _use_new_zipfile_serialization=False)
    refused(path, "no whole PyTorch")
    torch.save(torch.nn.Linear(1, 1), path)
    refused(path, "state dict alone")
    assert not marker.exists()


@torch_only
def test_what_pytorch_may_hold_beside_a_state_dict(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path, x = tmp_path / "a.pt", torch.ones(1)
    for content, message in (
        (x, "no state dict but a Tensor"),
        ([x], "no state dict but a list"),
        ({3: x}, "where a tensor's name should be"),
        ({"model": {"x": x}, "state_dict": {"x": x}}, "more than one place"),
        ({"model": {"x": x}, "y": x}, "more than one place"),
    ):
        torch.save(content, path)
        refused(path, message)
    torch.save({"x": x, "n": 3, "s": torch.eye(2).to_sparse(), "c": x + 1j}, path)
    file = read_tensors(path)
    assert list(file.tensors) == ["x"]
    assert set(file.unusable) == {"n", "s", "c"}


@torch_only
def test_a_broadcast_tensor_is_a_bomb_too(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "a.pt"
    torch.save({"x": torch.ones(1).expand(1 << 30)}, path)
    assert path.stat().st_size < 10_000
    refused(path, "as doubles")


@torch_only
def test_a_compressed_pytorch_file(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path = tmp_path / "a.pt"
    path.write_bytes(archive(bytes(99), zipfile.ZIP_DEFLATED, "a/data.pkl"))
    refused(path, "compressed in an unusual way")


def test_pytorch_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    refused(SAMPLES[2], r"pip install 'countbounds\[torch\]'")


def test_pytorch_is_imported_for_its_own_files_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for path in SAMPLES[:2]:
        assert read_tensors(path).tensors


def damaged(path: Path, data: bytes, tmp: Path) -> None:
    """Whatever is in a file: tensors, or one sentence."""
    target = tmp / path.name
    target.write_bytes(data)
    try:
        read_tensors(target)
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017


@pytest.mark.parametrize("path", SAMPLES[:2], ids=lambda path: path.name)
@given(data=st.data())
def test_a_truncated_file(
    path: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = path.read_bytes()
    end = data.draw(st.integers(0, len(content) - 1))
    target = tmp_path_factory.getbasetemp() / path.name
    target.write_bytes(content[:end])
    refused(target)


@pytest.mark.parametrize("path", SAMPLES[:2], ids=lambda path: path.name)
@given(data=st.data())
def test_a_changed_byte(
    path: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    damaged(path, bytes(content), tmp_path_factory.getbasetemp())


@torch_only
@given(data=st.data())
def test_a_damaged_pytorch_file(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    pytest.importorskip("torch")
    content = bytearray(SAMPLES[2].read_bytes())
    del content[data.draw(st.integers(0, len(content))) :]
    for _ in range(data.draw(st.integers(0, 4)) if content else 0):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    damaged(SAMPLES[2], bytes(content), tmp_path_factory.getbasetemp())
