import torch
import torch.nn as nn

BATCH = 4
CHANNELS = 16
SIZE = 32
DIVISOR = 2.0


class Model(nn.Module):
    def __init__(self, channels, divisor):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels)
        self.divisor = divisor

    def forward(self, x):
        return self.norm(x) / self.divisor


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE)]


def get_init_inputs():
    return [CHANNELS, DIVISOR]
