import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Rows without their mean, over their range."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        spread = x.amax(dim=1, keepdim=True) - x.amin(dim=1, keepdim=True)
        return (x - x.mean(dim=1, keepdim=True)) / (spread + 1e-3)


rows = 1024
cols = 2049


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
