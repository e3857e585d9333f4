"""Train one attention layer to count, save it, and audit it.

    pip install 'countbounds[torch]'
    python examples/train_and_audit.py

The task: after a boundary token "#" come n spaces and m letters, in any order, n + m <= 10;
the layer says at the boundary token how many spaces there are. Accuracy on a sample is what
one usually reports; the audit answers for every input. Takes half a minute.
"""

# mypy: disallow-subclassing-any=False, warn-return-any=False

from __future__ import annotations

import subprocess
import sys

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

BOUNDARY, SPACE, LETTER = 0, 1, 2
LENGTH = 10


class Counter(nn.Module):
    """Embedding, one head of attention, LayerNorm, and a linear read-out."""

    def __init__(self, d: int = 16) -> None:
        super().__init__()
        self.embedding = nn.Embedding(3, d)
        self.attn = nn.MultiheadAttention(d, num_heads=1, batch_first=True)
        self.norm_after = nn.LayerNorm(d)  # the name says where it stands
        self.readout = nn.Linear(d, 1)

    def forward(self, tokens: Tensor) -> Tensor:
        """The count for each row of tokens, the boundary token first."""
        x = self.embedding(tokens)
        y, _ = self.attn(x[:, :1], x, x, need_weights=False)  # the boundary token asks
        return self.readout(self.norm_after(y))[:, 0, 0]


def batch(size: int) -> tuple[Tensor, Tensor]:
    """Sequences of one random length, and the number of spaces in each."""
    length = int(torch.randint(LENGTH + 1, ()))
    spaces = torch.randint(length + 1, (size, 1))
    rest = torch.where(torch.arange(length) < spaces, SPACE, LETTER)
    rest = rest[:, torch.randperm(length)]
    return torch.cat([torch.full((size, 1), BOUNDARY), rest], dim=1), spaces[:, 0]


def main() -> None:
    """Train, sample, save, audit."""
    torch.manual_seed(0)
    torch.set_num_threads(1)  # for tensors this small, threads cost more than they save
    model = Counter()
    steps = 12_000
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for step in range(steps):
        tokens, spaces = batch(64)
        loss = ((model(tokens) - spaces) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 2000 == 0:
            print(f"step {step}: loss {loss.item():.4f}")

    right = total = 0
    with torch.no_grad():
        for _ in range(200):
            tokens, spaces = batch(50)
            right += int((model(tokens).round() == spaces).sum())
            total += len(spaces)
    print(f"right on {right:,} of {total:,} sampled inputs")

    save_file(model.state_dict(), "counter.safetensors")
    torch.save(model.state_dict(), "counter.pt")  # reads as well, but needs PyTorch
    command = ["audit", "counter.safetensors", "-L", str(LENGTH)]
    sys.exit(
        subprocess.run([sys.executable, "-m", "countbounds", *command], check=False).returncode
    )


if __name__ == "__main__":
    main()
