import torch
import torch.nn as nn
import torch.nn.functional as F


N = 8
C = 32
H = 20
W = 20
GROUPS = 8


class Model(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        return F.silu(self.norm(x))


def get_inputs():
    return [torch.randn(N, C, H, W)]


def get_init_inputs():
    return [GROUPS, C]
