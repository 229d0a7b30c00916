import torch
import torch.nn as nn


class Model(nn.Module):
    """Where a exceeds b under a mask, and how often in each row."""

    def __init__(self):
        super().__init__()

    def forward(self, a, b, mask):
        hit = (a > b) & mask
        return hit, hit.sum(dim=-1)


rows = 200
cols = 1024


def get_inputs():
    return [torch.randn(rows, cols), torch.randn(rows, cols), torch.rand(rows, cols) > 0.3]


def get_init_inputs():
    return []
