import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 4
CHANNELS = 16
SIZE = 64


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        values, indices = F.max_pool2d(x, kernel_size=3, stride=2, padding=1, return_indices=True)
        return values, indices


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE)]


def get_init_inputs():
    return []
