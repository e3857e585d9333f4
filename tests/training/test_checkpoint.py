"""Checkpoint files, written and read without PyTorch."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open

from countbounds.errors import InputError
from countbounds.training.checkpoint import as_bytes, config, read, within
from countbounds.training.recipe import Recipe
from countbounds.variants import NAMES, variant

Vectors = dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]


def vectors(name: str, dim: int, size: float = 1.0) -> Vectors:
    rng = np.random.default_rng(7)
    learned = ("gain", "bias") if variant(name).layer.learned else ()
    rows = ("boundary", "space", "letter", "readout", *learned)
    return {row: size * rng.standard_normal(dim) for row in rows}


def exact_square(vector: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Fraction:
    return sum((Fraction(x) ** 2 for x in vector.tolist()), Fraction(0))


@given(
    st.lists(st.floats(-1, 1), min_size=3, max_size=20).filter(lambda x: max(x) > 0.01),
    st.fractions(Fraction(1, 1000), 1000),
)
def test_no_norm_exceeds_the_cap(entries: list[float], bound: Fraction) -> None:
    vector = np.array(entries)
    vector *= float(bound) / float(np.linalg.norm(vector))
    kept = within(vector, bound)
    assert exact_square(kept) <= bound**2
    assert np.allclose(kept, vector, rtol=1e-12, atol=1e-300)


def test_a_vector_below_the_cap_is_left_alone() -> None:
    vector = np.array([3.0, 4.0, 0.0])
    assert within(vector, Fraction(5)) is vector
    assert within(vector, Fraction(5) - Fraction(1, 10**18)) is not vector


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read(name: str, tmp_path: Path) -> None:
    recipe = Recipe.of(name, 12, 5, "1e9")
    given = vectors(name, 5)
    content = as_bytes(recipe, 3, 77, given)
    assert content == as_bytes(recipe, 3, 77, given)
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    found = read(path)
    assert (found.variant, found.length, found.dim, found.seed) == (name, 12, 5, 3)
    assert (found.bound, found.optimizer, found.steps) == (Fraction(10**9), "lbfgs", 77)
    assert found.model.layer == variant(name).layer
    for row, vector in found.parameters.vectors().items():
        assert [entry.value for entry in vector.entries()] == given[row].tolist()


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_one_of_safetensors_and_says_what_it_holds(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(as_bytes(Recipe.of(name, 12, 5), 0, 1, vectors(name, 5)))
    layer = variant(name).layer
    with safe_open(path, framework="numpy") as file:
        said = file.metadata()
        shapes = {key: file.get_tensor(key).shape for key in file.keys()}  # noqa: SIM118
    norm = {"norm.weight": (5,), "norm.bias": (5,)} if layer.learned else {}
    assert shapes == {"embedding.weight": (3, 5), "readout.weight": (1, 5), **norm}
    assert said["bound"] == "none"
    assert json.loads(said["countbounds"]) == config(layer)
    where = {"pre": "before", "post": "after"}.get(layer.placement)
    assert [key for key in config(layer) if key in ("before", "after")] == ([where] * bool(where))


def test_the_cap_is_kept_in_the_file(tmp_path: Path) -> None:
    given = vectors("softmax", 16)
    given = {name: vector / np.linalg.norm(vector) / 3 for name, vector in given.items()}
    bound = Fraction(1, 3) - Fraction(1, 10**17)
    path = tmp_path / "x.safetensors"
    path.write_bytes(as_bytes(Recipe.of("softmax", 12, 16, bound), 0, 1, given))
    for vector in read(path).parameters.vectors().values():
        assert vector.dot(vector).value <= bound**2


@pytest.mark.parametrize("content", [b"", b"x" * 100, b"\x02" + b"\0" * 7 + b"{}"])
def test_what_is_no_checkpoint(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is no checkpoint of a training"):
        read(path)


def test_a_checkpoint_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "none.safetensors")
