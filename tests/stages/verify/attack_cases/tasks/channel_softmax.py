import torch
import torch.nn as nn


class Model(nn.Module):
    """Softmax over the channels of every position."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.softmax(x, dim=1)


batch = 16
channels = 63
length = 500


def get_inputs():
    return [torch.randn(batch, channels, length)]


def get_init_inputs():
    return []
