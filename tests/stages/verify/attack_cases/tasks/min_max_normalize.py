import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        low = x.amin(dim=1, keepdim=True)
        high = x.amax(dim=1, keepdim=True)
        return (x - low) / (high - low + 1e-6)


rows = 2048
cols = 1024


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
