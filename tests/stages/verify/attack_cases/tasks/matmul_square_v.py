import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return torch.matmul(a, b)


rows = 200
inner = 256
columns = 160


def get_inputs():
    return [torch.randn(rows, inner), torch.randn(inner, columns)]


def get_init_inputs():
    return []
