import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.mean(x)


def get_inputs():
    return [torch.randn(1, 2)]


def get_init_inputs():
    return []
