import torch
import torch.nn as nn
import torch.nn.functional as F

length = 67108864


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        for _ in range(2):
            left = torch.cat([x[:1], x[:-1]])
            right = torch.cat([x[1:], x[-1:]])
            x = 0.25 * left + 0.5 * x + 0.25 * right
        return x


def get_inputs():
    return [torch.randn(length)]


def get_init_inputs():
    return []
