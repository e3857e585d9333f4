"""The forward pass on tensors, the cap, the start and the inputs."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest

from countbounds import Model, Parameters
from countbounds.rings import HighPrecision
from countbounds.training.inputs import as_floats, training_inputs
from countbounds.training.losses import error_loss
from countbounds.training.network import capped, initial, names, outputs
from countbounds.training.recipe import Recipe
from countbounds.variants import NAMES, variant

torch: Any = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

AT = ((0, 0), (0, 1), (1, 0), (3, 4), (0, 50), (50, 0), (17, 900))


def generator(seed: int) -> Any:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [0.3, 1.0, 8.0])
@pytest.mark.parametrize("name", NAMES)
def test_the_forward_pass_is_that_of_the_model(name: str, size: float, seed: int) -> None:
    layer = variant(name).layer
    rows = size * torch.randn(len(names(layer)), 6, generator=generator(seed), dtype=torch.float64)
    found = outputs(layer, rows, *as_floats(torch.tensor(AT)))
    model = Model(
        layer, Parameters.of(**{n: r.tolist() for n, r in zip(names(layer), rows, strict=True)})
    )
    with mpmath.workdps(50):
        exact = [float(model.forward(n, m, HighPrecision(50))) for n, m in AT]
    largest = max(1.0, *map(abs, exact))
    assert found.tolist() == pytest.approx(exact, rel=1e-12, abs=1e-12 * largest)


def test_large_scores_do_not_overflow() -> None:
    rows = 1e3 * torch.eye(4, dtype=torch.float64)
    y = outputs(variant("softmax").layer, rows, *as_floats(torch.tensor([(0, 0), (5, 5)])))
    assert torch.isfinite(y).all()


@pytest.mark.parametrize("name", NAMES)
def test_gradients_are_finite_at_the_start(name: str) -> None:
    recipe = Recipe.of(name, 30, 16, 10)
    free = initial(recipe, generator(0)).requires_grad_()
    pairs = torch.tensor(AT[:-1])
    errors = outputs(variant(name).layer, capped(free, 10.0), *as_floats(pairs)) - pairs[:, 0]
    error_loss(errors, "worst", 256).backward()
    assert torch.isfinite(free.grad).all()
    assert free.grad.abs().max() > 0


@pytest.mark.parametrize("bound", [0.01, 1.0, 30.0])
def test_the_cap_is_open_and_can_be_come_near_to(bound: float) -> None:
    free = torch.diag(torch.tensor([1e-3, 1.0, 1e3, 1e6], dtype=torch.float64))
    norms = capped(free, bound).norm(dim=1)
    assert (norms <= bound).all()
    assert norms[-1] > bound * (1 - 1e-7)
    assert norms[0] == pytest.approx(1e-3, rel=0.01)
    assert capped(free, None) is free


@pytest.mark.parametrize("bound", [None, "0.5", 10, 10**6])
@pytest.mark.parametrize("name", NAMES)
def test_the_start_is_random_and_sensibly_long(name: str, bound: Any) -> None:
    recipe = Recipe.of(name, 100, 16, bound)
    rows, again, other = (initial(recipe, generator(seed)) for seed in (0, 0, 1))
    assert torch.equal(rows, again)
    assert not torch.equal(rows, other)
    assert rows.dtype == torch.float64
    norms = dict(zip(names(variant(name).layer), rows.norm(dim=1).tolist(), strict=True))
    assert norms["readout"] == pytest.approx(recipe.scale / 2)
    assert norms["boundary"] == pytest.approx(min(1, recipe.scale))


@pytest.mark.parametrize("length", [1, 2, 50, 198])
def test_a_small_domain_is_trained_on_whole(length: int) -> None:
    pairs = {tuple(pair) for pair in training_inputs(length, generator(0)).tolist()}
    assert pairs == {(n, m) for n in range(length + 1) for m in range(length + 1 - n)}


@pytest.mark.parametrize("length", [199, 4000, 4001, 10**6])
def test_of_a_large_domain_edges_and_a_sample(length: int) -> None:
    pairs = training_inputs(length, generator(0)).tolist()
    found = {(n, m) for n, m in pairs}
    assert len(found) == len(pairs) <= 21_000
    assert all(n >= 0 and m >= 0 and n + m <= length for n, m in found)
    counts = {n for n, _ in found}
    assert {0, 1, length} <= counts
    assert all({(n, 0), (n, length - n)} <= found for n in counts)
    assert length > 4000 or counts == set(range(length + 1))
    assert found == {(n, m) for n, m in training_inputs(length, generator(0)).tolist()}
    assert found != {(n, m) for n, m in training_inputs(length, generator(1)).tolist()}


def test_losses() -> None:
    errors = torch.tensor([3.0, -4.0, 0.0], dtype=torch.float64)
    assert float(error_loss(errors, "mse", 2)) == pytest.approx(25 / 3)
    assert float(error_loss(errors, "worst", 2)) == pytest.approx((25 / 3) ** 0.5)
    assert float(error_loss(1e200 * errors, "worst", 256)) == pytest.approx(4e200, rel=0.01)
    assert float(error_loss(0 * errors, "worst", 8)) == 0
