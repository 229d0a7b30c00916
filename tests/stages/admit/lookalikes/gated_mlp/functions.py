import torch
import torch.nn as nn
import torch.nn.functional as F


def gated(x, scale, shift, up, up_bias, gate, gate_bias, down, down_bias):
    y = F.layer_norm(x, (x.shape[-1],), scale, shift)
    values = F.silu(F.linear(y, gate, gate_bias)) * F.linear(y, up, up_bias)
    return x + F.linear(values, down, down_bias)


class Model(nn.Module):
    def __init__(self, size, inner):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size))
        self.shift = nn.Parameter(torch.zeros(size))
        self.up = nn.Parameter(torch.randn(inner, size))
        self.up_bias = nn.Parameter(torch.zeros(inner))
        self.gate = nn.Parameter(torch.randn(inner, size))
        self.gate_bias = nn.Parameter(torch.zeros(inner))
        self.down = nn.Parameter(torch.randn(size, inner))
        self.down_bias = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        return gated(x, self.scale, self.shift, self.up, self.up_bias, self.gate,
                     self.gate_bias, self.down, self.down_bias)


def get_inputs():
    return [torch.rand(24, 48)]


def get_init_inputs():
    return [48, 96]
