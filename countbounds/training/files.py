"""The folder of a training: every file in it is either whole or not there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from countbounds.errors import InputError
from countbounds.output import PARTIAL, partial_of, replace
from countbounds.training.recipe import Recipe

_ARGUMENTS = "training.json"


class Folder:
    """Where a training keeps its files.

    Attributes:
        path: the folder.
    """

    def __init__(self, path: str, recipe: Recipe) -> None:
        """Open the folder of a training, making it where it is missing.

        Raises:
            InputError: if it cannot be made or written, holds other files, or the files of
                a training with other arguments.
        """
        if not path:
            raise InputError("The folder's name is empty; name a folder.")
        self.path = Path(path)
        arguments = {"schema": 1, **recipe.as_dict()}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            held = {name for name in os.listdir(path) if not name.endswith(PARTIAL)}
        except OSError as error:
            raise _unusable(self.path, error) from error
        if _ARGUMENTS in held:
            self._require(arguments)
        elif held:
            raise InputError(
                f"The folder {path} holds other files; name a new or an empty one with --out."
            )
        else:
            text = json.dumps(arguments, indent=2) + "\n"
            self.write(self.path / _ARGUMENTS, text.encode())

    def _require(self, arguments: dict[str, Any]) -> None:
        try:
            found = json.loads((self.path / _ARGUMENTS).read_text("utf-8"))
        except OSError as error:
            raise _unusable(self.path, error) from error
        except ValueError:
            found = None
        if found != arguments:
            raise InputError(
                f"The folder {self.path} holds a training with other arguments (its "
                f"{_ARGUMENTS} lists them); name another with --out."
            )

    def checkpoint(self, seed: int) -> Path:
        """The file of the trained vectors."""
        return self.path / f"seed-{seed}.safetensors"

    def curve(self, seed: int) -> Path:
        """The file of the loss curve."""
        return self.path / f"seed-{seed}.csv"

    def state(self, seed: int) -> Path:
        """The file from which an interrupted training resumes."""
        return self.path / f"seed-{seed}.state"

    def forget(self, seed: int) -> None:
        """Delete the saved state of a finished seed, and what a killed process left of one."""
        state = self.state(seed)
        for path in (state, Path(partial_of(str(state)))):
            path.unlink(missing_ok=True)

    def write(self, path: Path, content: bytes) -> None:
        """Write a file in one step.

        Raises:
            InputError: if it cannot be written.
        """
        try:
            replace(content, str(path), redone=True)
        except OSError as error:
            raise _unusable(self.path, error) from error


def _unusable(path: Path, error: OSError) -> InputError:
    return InputError(
        f"The folder {path} cannot be used: {error.strerror or error}; name another with --out."
    )
