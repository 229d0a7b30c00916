import torch
import torch.nn as nn


class Model(nn.Module):
    """A tone curve: a table that is interpolated linearly."""

    def __init__(self, points):
        super().__init__()
        self.register_buffer("table", torch.linspace(0, 1, points) ** 0.45)

    def forward(self, x):
        last = self.table.numel() - 1
        place = x.clamp(0, 1) * last
        low = place.floor().long()
        high = (low + 1).clamp(max=last)
        t = place - low
        return self.table[low] * (1 - t) + self.table[high] * t


batch = 8
height = 128
width = 256


def get_inputs():
    return [torch.rand(batch, height, width)]


def get_init_inputs():
    return [256]
