"""One training of one seed, a few steps at a time, and resumable between them."""

from __future__ import annotations

import io
import math
from typing import Any

from countbounds.errors import InputError
from countbounds.training.extra import Tensor, load_torch
from countbounds.training.inputs import as_floats, training_inputs
from countbounds.training.losses import SHARPNESS, error_loss
from countbounds.training.network import capped, initial, names, outputs
from countbounds.training.recipe import Recipe, float_below
from countbounds.variants import variant as variant_named

# A little below 1/2, so that inputs that were not trained on count, too.
TARGET = 0.45
MOST_ROWS = 100

_CHUNK = {"lbfgs": 20, "adam": 100}
_MEMORY = 20
_EVALUATIONS = 25  # of the loss for one iteration of L-BFGS, at most
_PATIENCE = 200
_WORTH = 0.02
_IDLE_ROUNDS = 3
_PROGRESS = 1e-3  # relative decrease of the loss that makes it worth to go on


class Curve:
    """The loss curve: at most 100 rows, evenly spaced, and the last one.

    Attributes:
        rows: (step, exponent, loss, worst error on the training inputs).
        stride: every how many measurements one is kept.
        seen: the measurements so far.
        last: the latest of them.
    """

    def __init__(self) -> None:
        """An empty curve."""
        self.rows: list[list[float]] = []
        self.stride = 1
        self.seen = 0
        self.last: list[float] = []

    def add(self, row: list[float]) -> None:
        """Take one more measurement."""
        self.last = row
        if self.seen % self.stride == 0:
            self.rows.append(row)
        self.seen += 1
        if len(self.rows) >= MOST_ROWS:
            self.rows = self.rows[::2]
            self.stride *= 2

    def as_csv(self) -> str:
        """The rows with a heading."""
        rows = self.rows if not self.last or self.rows[-1] == self.last else [*self.rows, self.last]
        lines = (f"{step},{power},{loss:.6g},{worst:.6g}\n" for step, power, loss, worst in rows)
        return "step,exponent,loss,worst_error\n" + "".join(lines)


class Training:
    """The state of one training.

    Attributes:
        step: the optimiser steps so far.
        best_error: the least worst error on the training inputs so far.
        finished: whether there is nothing left to do.
        curve: the loss curve.
    """

    def __init__(self, recipe: Recipe, seed: int) -> None:
        """Start from the seed's initial parameters.

        Args:
            recipe: what is trained, and how.
            seed: the seed of everything random.

        Raises:
            InputError: if PyTorch is missing.
        """
        torch = load_torch()
        self._recipe, self._seed = recipe, seed
        self._layer = variant_named(recipe.variant).layer
        self._bound = None if recipe.bound is None else float_below(recipe.bound)
        self._generator = torch.Generator().manual_seed(seed)
        self._free = initial(recipe, self._generator).requires_grad_()
        self._inputs, self._logs = as_floats(training_inputs(recipe.length, self._generator))
        self._stages = SHARPNESS[recipe.loss]
        self.step = 0
        self._stage = 0
        self._since, self._level = 0, math.inf
        self._idle, self._round = 0, math.inf
        self._optimizer = self._fresh()
        self.finished = False
        self.curve = Curve()
        self.best_error = math.inf
        self._best = self._free.detach().clone()
        self._measure()

    def advance(self) -> None:
        """Make a few steps, measure, and decide how to go on."""
        if self._recipe.optimizer == "lbfgs":
            self._advance_lbfgs()
        else:
            self._advance_adam()
        if self.best_error < TARGET or self.step >= self._recipe.steps:
            self.finished = True

    def vectors(self) -> dict[str, Any]:
        """The best vectors so far as numpy arrays, by the names of `Parameters`."""
        rows = capped(self._best, self._bound).numpy()
        return dict(zip(names(self._layer), rows, strict=True))

    # --- steps ------------------------------------------------------------------------

    def _advance_lbfgs(self) -> None:
        asked = min(_CHUNK["lbfgs"], self._recipe.steps - self.step)
        self._optimizer.param_groups[0].update(max_iter=asked, max_eval=_EVALUATIONS * asked)
        before = self._iterations()
        self._optimizer.step(self._closure)
        done = self._iterations() - before
        self.step += done
        loss = self._measure()
        if not math.isfinite(loss):
            self._set(self._best)
            self._next_stage()
        elif done < asked:
            # Stuck: with a fresh memory it often gets further; if not, this stage is over.
            if loss < self._level * (1 - _PROGRESS):
                self._since, self._level = self.step, loss
                self._optimizer = self._fresh()
            else:
                self._next_stage()
        elif self.step - self._since >= _PATIENCE:
            if loss > self._level * (1 - _WORTH):
                self._next_stage()
            else:
                self._since, self._level = self.step, loss

    def _advance_adam(self) -> None:
        recipe = self._recipe
        for _ in range(min(_CHUNK["adam"], recipe.steps - self.step)):
            share = self.step / recipe.steps
            self._stage = int(share * len(self._stages))
            rate = float(recipe.rate) * (1 + math.cos(math.pi * share)) / 2
            self._optimizer.param_groups[0]["lr"] = rate
            self._optimizer.step(self._closure)
            self.step += 1
        if not math.isfinite(self._measure()):
            self.finished = True

    def _closure(self) -> Tensor:
        torch = load_torch()
        self._optimizer.zero_grad()
        inputs, logs = self._inputs, self._logs
        batch = self._recipe.batch
        if batch is not None and batch < len(inputs):
            chosen = torch.randint(len(inputs), (batch,), generator=self._generator)
            inputs, logs = inputs[chosen], logs[chosen]
        loss = self._loss(self._errors(inputs, logs))
        loss.backward()
        return loss

    def _errors(self, inputs: Tensor, logs: Tensor) -> Tensor:
        vectors = capped(self._free, self._bound)
        return outputs(self._layer, vectors, inputs, logs) - inputs[:, 1]

    def _loss(self, errors: Tensor) -> Tensor:
        exponent = self._stages[min(self._stage, len(self._stages) - 1)]
        return error_loss(errors, self._recipe.loss, exponent)

    def _measure(self) -> float:
        """Log where the training stands, and keep the best; the loss is returned."""
        with load_torch().no_grad():
            errors = self._errors(self._inputs, self._logs)
            loss, worst = float(self._loss(errors)), float(errors.abs().max())
        exponent = self._stages[min(self._stage, len(self._stages) - 1)]
        self.curve.add([self.step, exponent, loss, worst])
        if worst < self.best_error:
            self.best_error = worst
            self._best = self._free.detach().clone()
        return loss

    def _next_stage(self) -> None:
        """Go on to the next exponent, and after the last one begin another round."""
        self._stage += 1
        if self._stage >= len(self._stages):
            self._stage = 0
            self._idle += 1
            if self.best_error < self._round * (1 - _PROGRESS):
                self._idle, self._round = 0, self.best_error
            self.finished = self._idle >= _IDLE_ROUNDS
        self._since, self._level = self.step, math.inf
        self._optimizer = self._fresh()

    def _fresh(self) -> Any:
        """An optimiser without memory."""
        torch = load_torch()
        rate = float(self._recipe.rate)
        if self._recipe.optimizer == "adam":
            return torch.optim.Adam([self._free], lr=rate)
        return torch.optim.LBFGS(
            [self._free],
            lr=rate,
            history_size=_MEMORY,
            tolerance_grad=1e-14,
            tolerance_change=1e-14,
            line_search_fn="strong_wolfe",
        )

    def _iterations(self) -> int:
        state = self._optimizer.state_dict()["state"]
        return int(state[0].get("n_iter", 0)) if state else 0

    def _set(self, free: Tensor) -> None:
        with load_torch().no_grad():
            self._free.copy_(free)

    # --- interruption -----------------------------------------------------------------

    def save(self) -> bytes:
        """Everything that the steps to come depend on."""
        buffer = io.BytesIO()
        load_torch().save(
            {
                "arguments": {**self._recipe.as_dict(), "seed": self._seed},
                "free": self._free.detach(),
                "best": self._best,
                "best_error": self.best_error,
                "step": self.step,
                "stage": [self._stage, self._since, self._level, self._idle, self._round],
                "optimizer": self._optimizer.state_dict(),
                "generator": self._generator.get_state(),
                "curve": [self.curve.rows, self.curve.stride, self.curve.seen, self.curve.last],
                "finished": self.finished,
            },
            buffer,
        )
        return buffer.getvalue()

    def load(self, content: bytes) -> None:
        """Go back to a saved state of a training with the same arguments.

        Raises:
            InputError: if the content is no such state.
        """
        torch = load_torch()
        try:
            saved = torch.load(io.BytesIO(content), weights_only=True)
            if saved["arguments"] != {**self._recipe.as_dict(), "seed": self._seed}:
                raise ValueError
            self._set(saved["free"])
            self._best = saved["best"]
            self.best_error = saved["best_error"]
            self.step = saved["step"]
            self._stage, self._since, self._level, self._idle, self._round = saved["stage"]
            self._optimizer = self._fresh()
            self._optimizer.load_state_dict(saved["optimizer"])
            self._generator.set_state(saved["generator"])
            curve = self.curve = Curve()
            curve.rows, curve.stride, curve.seen, curve.last = saved["curve"]
            self.finished = saved["finished"]
        except Exception as error:  # whatever torch makes of a damaged file
            raise InputError(
                f"The saved state of seed {self._seed} is damaged; delete its .state file to "
                "train that seed from the start."
            ) from error
