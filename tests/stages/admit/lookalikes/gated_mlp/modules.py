import torch
import torch.nn as nn


class Model(nn.Module):
    """A feed-forward block whose hidden values are gated."""

    def __init__(self, width, hidden):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden)
        self.gate = nn.Linear(width, hidden)
        self.act = nn.SiLU()
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        y = self.norm(x)
        gated = self.act(self.gate(y)) * self.up(y)
        return x + self.down(gated)


rows, width, hidden = 24, 48, 96


def get_inputs():
    return [torch.rand(rows, width)]


def get_init_inputs():
    return [width, hidden]
