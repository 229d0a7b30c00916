import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 16
CHANNELS = 8
SIZE = 32


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        pooled = F.max_pool2d(x, 2)
        return pooled.sum(dim=(2, 3))


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE)]


def get_init_inputs():
    return []
