"""How much work the running tier asks of a test.

The profile is named by HYPOTHESIS_PROFILE: `ci` (the default) and `sample` repeat the same
few examples on every run, `slow` tries many, `dev` draws new ones each time.
"""

import os
from typing import Final, TypeVar

from hypothesis import HealthCheck, settings

T = TypeVar("T")

PROFILE: Final = os.environ.get("HYPOTHESIS_PROFILE") or "ci"


def load_profile() -> None:
    """Register the profiles and load the one that was asked for."""
    # The first example of a worker pays for imports: too_slow would measure those.
    quiet = [HealthCheck.too_slow]
    for name, examples in (("ci", 50), ("sample", 20), ("slow", 2000)):
        settings.register_profile(
            name,
            derandomize=True,
            database=None,
            deadline=None,
            max_examples=examples,
            suppress_health_check=quiet,
        )
    settings.register_profile(
        "dev", deadline=None, max_examples=200, print_blob=True, suppress_health_check=quiet
    )
    settings.load_profile(PROFILE)


def by_tier(full: T, *, sample: T) -> T:
    """The full extent of a slow test, or its stand-in where only a sample is wanted."""
    return sample if PROFILE == "sample" else full
