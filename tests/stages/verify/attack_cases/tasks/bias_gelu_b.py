import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(width))

    def forward(self, x):
        return F.gelu(x + self.bias)


batch, width = 128, 512


def get_inputs():
    return [torch.randn(batch, width)]


def get_init_inputs():
    return [width]
