import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        return self.norm(x)


batch = 8
channels = 60
height = 27
width = 27


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return [6, channels]
