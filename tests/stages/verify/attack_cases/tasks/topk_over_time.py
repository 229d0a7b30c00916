import torch
import torch.nn as nn


class Model(nn.Module):
    """The k largest activations of each channel over time."""

    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        return torch.topk(x, self.k, dim=1).values


batch = 16
time = 1024
channels = 16


def get_inputs():
    return [torch.randn(batch, time, channels)]


def get_init_inputs():
    return [8]
