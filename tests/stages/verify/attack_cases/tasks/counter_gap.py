import torch
import torch.nn as nn


class Model(nn.Module):
    """The gap between two counters of 32 bits."""

    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return (a.to(torch.int64) - b.to(torch.int64)).abs()


batch = 128
width = 4096


def get_inputs():
    return [torch.randint(-5000, 5000, (batch, width), dtype=torch.int32),
            torch.randint(-5000, 5000, (batch, width), dtype=torch.int32)]


def get_init_inputs():
    return []
