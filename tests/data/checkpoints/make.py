"""Make the checkpoints of this folder: `python tests/data/checkpoints/make.py` (needs PyTorch).

Each NAME.safetensors, .npz or .pt is one small layer, with NAME.toml or NAME.config.json where
its names do not say everything. NAME.expected.json holds what PyTorch's own modules give for
its stored weights, in float64, on real sequences read at the boundary token. Seeds are fixed;
another version of PyTorch may still train other digits.

- counts-to-10 and counts-to-100 are trained until they count on every input with n + m <= 10,
  or 100.
- nearly-100 is trained until it counts on 99 % of the inputs with n + m <= 100, and no
  further: nearly-100.sample.json holds what a sample says of it, and inputs that fail.
"""

# Types are checked where PyTorch is not installed.
# mypy: ignore-errors

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

FOLDER = Path(__file__).parent
INPUTS = 8
LONGEST = 24


class CountingLayer(nn.Module):
    """One attention layer with one head, read at the boundary token, which comes first."""

    def __init__(
        self,
        d: int,
        *,
        tokens: int = 3,
        attention: str = "softmax",
        projections: str = "packed",
        bias: bool = True,
        d_k: int | None = None,
        scale: float | None = None,
        before: Callable[[int], nn.Module] | None = None,
        after: Callable[[int], nn.Module] | None = None,
        residual: bool = False,
        outputs: int = 1,
        readout_bias: bool = True,
        boundary: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(tokens, d)
        self.norm_before = before(d) if before else nn.Identity()
        self.projections = projections
        if projections == "packed":
            self.attn = nn.MultiheadAttention(d, 1, bias=bias, batch_first=True)
        elif projections == "separate":
            self.q_proj = nn.Linear(d, d_k or d, bias=bias)
            self.k_proj = nn.Linear(d, d_k or d, bias=bias)
            self.v_proj = nn.Linear(d, d, bias=bias)
            self.o_proj = nn.Linear(d, d, bias=bias)
        self.norm_after = after(d) if after else nn.Identity()
        self.readout = nn.Linear(d, outputs, bias=readout_bias)
        self.attention, self.residual, self.boundary = attention, residual, boundary
        self.scale = 1 / math.sqrt(d_k or d) if scale is None else scale
        for name, parameter in self.named_parameters():  # PyTorch starts biases at zero
            if name.endswith("bias") or "norm" in name:
                nn.init.normal_(parameter, 1.0 if name.endswith("weight") else 0.0, 0.3)

    def forward(self, tokens: Tensor, logarithms: Tensor | None = None) -> Tensor:
        """Outputs for token sequences; with logarithms, a token stands for as many as it says."""
        raw = self.embedding(tokens)
        x = self.norm_before(raw)
        first = x[:, :1]
        mask = None if logarithms is None else logarithms[:, None]
        if self.projections == "packed":
            y, _ = self.attn(first, x, x, need_weights=False, attn_mask=mask)
        else:
            separate = self.projections == "separate"
            q = self.q_proj(first) if separate else first
            k = self.k_proj(x) if separate else x
            v = self.v_proj(x) if separate else x
            weights = q @ k.transpose(1, 2) * self.scale
            if self.attention == "softmax":
                weights = torch.softmax(weights if mask is None else weights + mask, dim=-1)
            y = weights @ v
            y = self.o_proj(y) if separate else y
        if self.residual:
            y = y + raw[:, :1]
        return self.readout(self.norm_after(y))[:, 0]

    def on_counts(self, counts: Tensor) -> Tensor:
        """Outputs for rows of counts (n, m), by the one sequence that holds each token once."""
        tokens = torch.arange(3).expand(len(counts), 3)
        every = torch.cat([torch.ones(len(counts), 1), counts], dim=1).double()
        return self(tokens, torch.log(every))


@dataclass
class Case:
    """A checkpoint to make.

    Attributes:
        name: of the file, with its suffix.
        options: of the layer.
        dtype: in which the weights are stored.
        config: the text of its TOML file, or a JSON object.
        order: rows of the embedding: boundary, counted, fillers.
        rename: turns the state dict into what is stored.
        metadata: whether the config goes into the file itself.
    """

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    dtype: torch.dtype = torch.float32
    config: str | dict[str, Any] | None = None
    order: Sequence[int] = (0, 1, 2)
    rename: Callable[[dict[str, Tensor]], dict[str, Tensor]] = lambda state: state
    metadata: bool = False


def layer_norm(eps: float = 1e-5, affine: bool = True, bias: bool = True) -> Any:
    return lambda d: nn.LayerNorm(d, eps=eps, elementwise_affine=affine, bias=bias)


def rms_norm(eps: float | None = None, affine: bool = True) -> Any:
    return lambda d: nn.RMSNorm(d, eps=eps, elementwise_affine=affine)


def vectors(state: dict[str, Tensor]) -> dict[str, Tensor]:
    x = state["embedding.weight"]
    return {"x_hash": x[0], "x_space": x[1], "x_q": x[2], "w": state["readout.weight"][0]}


def transposed(state: dict[str, Tensor]) -> dict[str, Tensor]:
    names = {"q": "W_Q", "k": "W_K", "v": "W_V", "o": "W_O"}
    found = {"W_E": state["embedding.weight"], "W_U": state["readout.weight"].T}
    return found | {f"attn.{new}": state[f"{old}_proj.weight"].T for old, new in names.items()}


def prefixed(state: dict[str, Tensor]) -> dict[str, Tensor]:
    found = {f"model.{name}": tensor for name, tensor in state.items()}
    return found | {"model.pos.weight": torch.zeros(16, 8)}


CASES = [
    Case("packed.safetensors"),
    Case("packed-after.safetensors", {"after": layer_norm()}),
    Case(
        "separate-before.safetensors",
        {"projections": "separate", "bias": False, "before": layer_norm(), "residual": True},
        config='[layer]\nresidual = true\nscale = "1/sqrt(d_k)"\n',
    ),
    Case(
        "both.safetensors",
        {
            "projections": "separate",
            "d_k": 3,
            "before": layer_norm(eps=1e-3),
            "after": layer_norm(eps=0.0625),
            "residual": True,
            "readout_bias": False,
        },
        config="[layer]\nresidual = true\n\n"
        "[before]\nepsilon = 1e-3\n\n[after]\nepsilon = 0.0625\n",
    ),
    Case(
        "rms-before.safetensors",
        {"before": rms_norm()},
        torch.float64,
        '[before]\nkind = "rms"\n',
    ),
    Case(
        "rms-after-plain.safetensors",
        {"after": rms_norm(1e-6, affine=False), "residual": True},
        config='[layer]\nresidual = true\n\n[after]\nkind = "rms"\nepsilon = 1e-6\n',
    ),
    Case(
        "identity-after-plain.safetensors",
        {"projections": "identity", "after": layer_norm(affine=False), "readout_bias": False},
        config="[after]\n",
    ),
    Case(
        "gain-after.safetensors",
        {"after": layer_norm(bias=False), "bias": False},
        config='[after]\nkind = "layer"\n',
    ),
    Case(
        "linear.safetensors",
        {"attention": "linear", "projections": "separate", "residual": True},
        config={"layer": {"attention": "linear", "residual": True}},
    ),
    Case(
        "linear-after.safetensors",
        {
            "attention": "linear",
            "projections": "separate",
            "bias": False,
            "scale": 0.3,
            "before": rms_norm(1e-6),
            "after": layer_norm(),
        },
        config='[layer]\nattention = "linear"\nscale = 0.3\n\n'
        '[before]\nkind = "rms"\nepsilon = 1e-6\n',
    ),
    Case(
        "fillers.safetensors",
        {"tokens": 5, "boundary": 2},
        config="[tokens]\nboundary = 2\ncounted = 0\nfillers = [4, 1]\n"
        'names = [" ", "b", "#", "unused", "a"]\n',
        order=(2, 0, 4, 1),
    ),
    Case(
        "vectors.npz",
        {"projections": "identity", "scale": 1.0, "readout_bias": False},
        torch.float64,
        {
            "tensors": {
                "boundary": "x_hash",
                "counted": "x_space",
                "fillers": ["x_q"],
                "readout": "w",
            },
            "tokens": {"names": ["#", " ", "q"]},
            "layer": {"scale": "none"},
        },
        rename=vectors,
    ),
    Case(
        "transposed.npz",
        {"projections": "separate", "d_k": 4, "bias": False, "readout_bias": False, "outputs": 5},
        config='[tensors]\nquery = "attn.W_Q"\nkey = "attn.W_K"\nvalue = "attn.W_V"\n'
        'output = "attn.W_O"\nreadout = "W_U"\n\n'
        '[layer]\ntransposed = ["query", "key", "value", "output", "readout"]\n',
        rename=transposed,
    ),
    Case("half.safetensors", {"after": layer_norm()}, torch.float16),
    Case("bfloat.safetensors", {"before": layer_norm()}, torch.bfloat16),
    Case("classes.safetensors", {"outputs": 11, "after": layer_norm()}, torch.float64),
    Case("nested.pt", {"before": layer_norm(), "after": layer_norm()}, torch.bfloat16),
    Case(
        "metadata.safetensors",
        {"residual": True},
        config={"layer": {"residual": True}, "ignore": ["model.pos.*"]},
        rename=prefixed,
        metadata=True,
    ),
]


def store(case: Case, layer: CountingLayer) -> None:
    """Write the checkpoint, its config, and PyTorch's outputs for what was written."""
    state = {name: tensor.to(case.dtype) for name, tensor in layer.state_dict().items()}
    stored = {name: tensor.contiguous() for name, tensor in case.rename(state).items()}
    path = FOLDER / case.name
    metadata = {"countbounds": json.dumps(case.config)} if case.metadata else None
    if path.suffix == ".safetensors":
        save_file(stored, path, metadata=metadata)
    elif path.suffix == ".npz":
        np.savez(path, **{name: tensor.numpy() for name, tensor in stored.items()})
    else:
        torch.save({"epoch": 3, "state_dict": stored}, path)
    if isinstance(case.config, str):
        path.with_suffix(".toml").write_text(case.config)
    elif case.config is not None and not case.metadata:
        path.with_suffix(".config.json").write_text(json.dumps(case.config, indent=2) + "\n")
    layer.double().load_state_dict({name: tensor.double() for name, tensor in state.items()})
    layer.eval()
    generator = np.random.default_rng(len(case.name))
    inputs = [(0,) * (len(case.order) - 1)]
    inputs += [
        tuple(
            int(i)
            for i in generator.multinomial(length, np.ones(len(case.order)) / len(case.order))
        )[1:]
        for length in generator.integers(1, LONGEST, INPUTS - 1)
    ]
    outputs = []
    for counts in inputs:
        rest = np.repeat(case.order[1:], counts)
        generator.shuffle(rest)
        with torch.no_grad():
            outputs.append(layer(torch.tensor([[case.order[0], *rest.tolist()]]))[0].tolist())
    expected = {"inputs": inputs, "outputs": outputs}
    path.with_suffix(".expected.json").write_text(json.dumps(expected) + "\n")


def every_input(length: int) -> Tensor:
    """All (n, m) with n + m <= length."""
    return torch.tensor([(n, m) for n in range(length + 1) for m in range(length + 1 - n)])


def trained(length: int, enough: Callable[[Tensor], bool]) -> CountingLayer:
    """The layer of the first seed that learns y = n on every input, until its errors are enough."""
    for seed in itertools.count():
        torch.manual_seed(seed)
        layer = CountingLayer(8, after=layer_norm())
        if train(layer, length, enough):
            return layer
    raise AssertionError


def train(layer: CountingLayer, length: int, enough: Callable[[Tensor], bool]) -> bool:
    """Fit y = n on every input, until the errors are good enough; whether they ever are."""
    counts = every_input(length)
    target = counts[:, :1].double()
    adam = torch.optim.Adam(layer.parameters(), lr=0.03)
    lbfgs = torch.optim.LBFGS(
        layer.parameters(),
        max_iter=5,
        history_size=50,
        line_search_fn="strong_wolfe",
        tolerance_grad=1e-12,
        tolerance_change=0,
    )

    def loss() -> Tensor:
        layer.zero_grad()
        square = ((layer.on_counts(counts) - target) ** 2).mean()
        square.backward()
        return square

    for step in range(1200):
        with torch.no_grad():
            error = (layer.on_counts(counts) - target).abs()
        if enough(error):
            return True
        (adam if step < 1000 else lbfgs).step(loss)
    return False


def sample(layer: CountingLayer, length: int) -> dict[str, Any]:
    """What 10,000 inputs drawn uniformly say, and inputs on which the layer fails."""
    counts = every_input(length)
    with torch.no_grad():
        wrong = ((layer.on_counts(counts) - counts[:, :1]).abs() >= 0.5)[:, 0]
    drawn = np.random.default_rng(0).integers(0, len(counts), 10_000)
    return {
        "length": length,
        "sampled": len(drawn),
        "accuracy": 1 - wrong[torch.from_numpy(drawn)].double().mean().item(),
        "failing": counts[wrong].tolist()[:20],
    }


def main() -> None:
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    for seed, case in enumerate(CASES):
        torch.manual_seed(seed)
        store(case, CountingLayer(8, **case.options))
    for length in (10, 100):
        layer = trained(length, lambda error: bool(error.max() < 0.3))
        store(Case(f"counts-to-{length}.safetensors"), layer)
    layer = trained(100, lambda error: 0.99 <= (error < 0.48).double().mean().item() < 1)
    store(Case("nearly-100.safetensors"), layer)
    (FOLDER / "nearly-100.sample.json").write_text(json.dumps(sample(layer, 100)) + "\n")


if __name__ == "__main__":
    main()
