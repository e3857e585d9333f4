"""Packages that only some commands need, imported when such a command begins."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from countbounds.errors import InputError


def load(module: str, *, what: str, package: str, extra: str, instead: str = "") -> Any:
    """A module of an optional package.

    Args:
        module: its name.
        what: what needs it, as a sentence begins.
        package: the package, as people call it.
        extra: the extra of countbounds that installs it.
        instead: what else one can do, in words that follow a comma.

    Raises:
        InputError: if it is not installed, or does not work here.
    """
    try:
        return import_module(module)
    except (ImportError, OSError):  # missing, or a library below it is
        advice = f"install the extra, pip install 'countbounds[{extra}]'"
        other = f", {instead}" if instead else ""
        raise InputError(f"{what} needs {package}; {advice}{other}.") from None
