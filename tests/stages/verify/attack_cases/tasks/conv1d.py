import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, channels, filters, taps):
        super().__init__()
        self.conv = nn.Conv1d(channels, filters, taps)

    def forward(self, x):
        return F.relu(self.conv(x))


batch, channels, length = 4, 8, 128
filters, taps = 16, 5


def get_inputs():
    return [torch.randn(batch, channels, length)]


def get_init_inputs():
    return [channels, filters, taps]
