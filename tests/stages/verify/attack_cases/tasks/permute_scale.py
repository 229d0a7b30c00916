import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x.permute(0, 2, 1) * 0.125


batch_size = 8
length = 64
features = 96


def get_inputs():
    return [torch.randn(batch_size, length, features)]


def get_init_inputs():
    return []
