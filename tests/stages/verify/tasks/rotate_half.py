import torch
import torch.nn as nn


class Model(nn.Module):
    """A rotary position embedding."""

    def forward(self, x, cos, sin):
        first, second = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-second, first), dim=-1) * sin


length = 11
heads = 3
half = 8


def get_inputs():
    return [torch.randn(length, heads, half * 2), torch.randn(length, 1, half * 2),
            torch.randn(length, 1, half * 2)]


def get_init_inputs():
    return []
