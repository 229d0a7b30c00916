import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.groups = groups
        self.scale = nn.Parameter(torch.ones(channels))
        self.shift = nn.Parameter(torch.zeros(channels))
        self.up = nn.Parameter(torch.randn(channels, channels, 2, 2))
        self.up_bias = nn.Parameter(torch.zeros(channels))
        self.gate = nn.Parameter(torch.randn(1, channels, 1, 1))
        self.gate_bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        x = F.group_norm(x, self.groups, self.scale, self.shift)
        y = F.conv_transpose2d(F.leaky_relu(x, 0.2), self.up, self.up_bias, stride=2)
        return y * torch.sigmoid(F.conv2d(y, self.gate, self.gate_bias))


def get_inputs():
    return [torch.rand(2, 16, 14, 10)]


def get_init_inputs():
    return [16, 4]
