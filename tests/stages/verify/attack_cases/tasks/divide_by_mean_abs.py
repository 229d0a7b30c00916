import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x / (x.abs().mean() + 1e-6)


batch = 64
features = 4096


def get_inputs():
    return [torch.randn(batch, features)]


def get_init_inputs():
    return []
