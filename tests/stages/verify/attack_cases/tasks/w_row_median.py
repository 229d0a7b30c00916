import torch
import torch.nn as nn


class Model(nn.Module):
    """The median of each row (the lower one of the two in the middle)."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.median(x, dim=1).values


rows = 8192
cols = 1000


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
