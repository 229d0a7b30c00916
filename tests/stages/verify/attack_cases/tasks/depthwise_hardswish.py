import torch
import torch.nn as nn
import torch.nn.functional as F


N = 4
C = 32
H = 30
W = 30


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size=3, padding=1, groups=channels)

    def forward(self, x):
        return F.hardswish(self.conv(x))


def get_inputs():
    return [torch.randn(N, C, H, W)]


def get_init_inputs():
    return [C]
