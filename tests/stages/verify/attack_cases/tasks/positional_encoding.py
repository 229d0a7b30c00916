import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, levels):
        super().__init__()
        self.levels = levels

    def forward(self, x):
        parts = []
        for k in range(self.levels):
            parts.append(torch.sin(x * 2.0 ** k))
            parts.append(torch.cos(x * 2.0 ** k))
        return torch.cat(parts, dim=-1)


points = 16384
levels = 16


def get_inputs():
    return [torch.rand(points, 3)]


def get_init_inputs():
    return [levels]
