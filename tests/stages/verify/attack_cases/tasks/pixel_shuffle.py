import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 4
CHANNELS = 16
SIZE = 32
FACTOR = 2


class Model(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return F.pixel_shuffle(x, self.factor)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE)]


def get_init_inputs():
    return [FACTOR]
