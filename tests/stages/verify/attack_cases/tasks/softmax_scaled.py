import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        return torch.softmax(x * self.scale, dim=-1)


rows, columns, scale = 96, 384, 0.125


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return [scale]
