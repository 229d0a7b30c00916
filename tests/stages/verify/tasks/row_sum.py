import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.sum(x, dim=1)


rows = 5
columns = 300


def get_inputs():
    return [torch.rand(rows, columns)]


def get_init_inputs():
    return []
