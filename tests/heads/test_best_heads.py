"""The bounds of any head against heads that linear programming finds, on inputs without letters.

For given values and weights of boundary and space the best classes maximise the smallest gap under
|c_k| <= B and |beta_k| <= B: a linear program, with a polygon inside the disc. Floats search here;
the bounds under test are enclosures.
"""

from __future__ import annotations

import math
from fractions import Fraction
from importlib import import_module
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from countbounds.expressions import evaluate
from countbounds.heads.bounds import largest_gap
from countbounds.rings import Enclosure

SIDES = 48


def best_gap(length: int, bound: float, values: Any, weight: float) -> float:
    """The largest smallest gap of classes in the plane of two values."""
    linprog = import_module("scipy.optimize").linprog
    classes = length + 1
    size = 3 * classes + 1  # c_k, beta_k, and the gap
    boundary, space = (np.array(value) for value in values)
    states = [(weight * boundary + n * space) / (weight + n) for n in range(classes)]
    rows, limits = [], []
    for n, k in permutations(range(classes), 2):
        row = np.zeros(size)
        row[2 * n : 2 * n + 2], row[2 * k : 2 * k + 2] = -states[n], states[n]
        row[2 * classes + n], row[2 * classes + k], row[-1] = -1, 1, 1
        rows.append(row)
        limits.append(0.0)
    inside = bound * math.cos(math.pi / SIDES)
    for k in range(classes):
        for side in range(SIDES):
            row = np.zeros(size)
            angle = 2 * math.pi * side / SIDES
            row[2 * k : 2 * k + 2] = math.cos(angle), math.sin(angle)
            rows.append(row)
            limits.append(inside)
    box = [(-bound, bound)] * (3 * classes) + [(None, None)]
    found = linprog(-np.eye(size)[-1], A_ub=np.array(rows), b_ub=limits, bounds=box)
    assert found.status == 0
    return float(-found.fun)


def limit(name: str, length: int, dim: int, bound: str) -> float:
    with Enclosure(64) as ring:
        return float(evaluate(largest_gap(name, length, dim, Fraction(bound)), ring))


@pytest.mark.parametrize("bound", ["0.01", "1", "4"])
@pytest.mark.parametrize(("length", "dim"), [(1, 3), (2, 3), (3, 16), (5, 4)])
def test_softmax_without_a_norm(length: int, dim: int, bound: str) -> None:
    size, most, found = float(bound), limit("softmax", length, dim, bound), [0.0]
    for share in (0.3, 1.0):
        for angle in np.linspace(0, math.pi, 5):
            values = (share * size, 0.0), (size * math.cos(angle), size * math.sin(angle))
            score = share * size * size * (share - math.cos(angle)) / math.sqrt(dim)
            found.append(best_gap(length, size, values, math.exp(score)))
    assert max(found) <= most
    if length > 1 and bound == "0.01":  # from inputs without letters nothing more follows
        assert max(found) > 0.99 * most


@pytest.mark.parametrize(("length", "dim"), [(1, 3), (2, 3), (3, 16), (3, 10_000), (5, 4)])
def test_bare_pre_ln(length: int, dim: int) -> None:
    radius, most, found = math.sqrt(dim), limit("softmax-pre-ln", length, dim, "1"), [0.0]
    for difference in (0.2, 0.5, 1.0, 1.5, 2.5, 3.4):
        cosine = 1 - difference / radius
        sine = math.sqrt(max(0.0, 1 - cosine * cosine))
        values = (radius, 0.0), (radius * cosine, radius * sine)
        found.append(best_gap(length, 1.0, values, math.exp(difference)))
    assert max(found) <= most
    if length > 1:
        assert max(found) > 0.6 * most
