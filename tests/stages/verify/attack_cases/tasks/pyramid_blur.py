import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Four Gaussian filters of growing width, one after the other, over rows with zeros beside them."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = x.unsqueeze(1)
        for level in range(4):
            sigma = 0.6 + 0.5 * level
            taps = torch.exp(-0.5 * (torch.arange(-4, 5, device=x.device, dtype=x.dtype) / sigma) ** 2)
            taps = taps / taps.sum()
            y = F.conv1d(y, taps.view(1, 1, 9), padding=4)
        return y.squeeze(1)


rows = 1024
cols = 4096


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
