import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return F.max_pool2d(x, kernel_size=3, stride=2, padding=1, ceil_mode=False)


batch = 16
channels = 32
height = 63
width = 62


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return []
