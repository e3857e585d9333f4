"""Fixtures and settings shared by all tests."""

from collections.abc import Iterator

import flint
import mpmath
import pytest

from tests.tiers import load_profile

load_profile()


@pytest.fixture(autouse=True)
def _precision_is_left_alone() -> Iterator[None]:
    """Fail a test after which a library's global precision is not what it was before."""
    before = flint.ctx.prec, mpmath.mp.prec
    yield
    after = flint.ctx.prec, mpmath.mp.prec
    flint.ctx.prec, mpmath.mp.prec = before
    assert after == before, f"global precision (flint, mpmath) went from {before} to {after}"
