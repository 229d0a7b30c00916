import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, channels: int, filters: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, padding=2, dilation=2)

    def forward(self, x):
        return self.conv(x)


batch = 8
channels = 16
filters = 32
height = 60
width = 60


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return [channels, filters]
