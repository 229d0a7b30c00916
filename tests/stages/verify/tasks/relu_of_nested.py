import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, named):
        return torch.relu(named["x"][0])


rows = 6
columns = 40


def get_inputs():
    return [{"x": [torch.randn(rows, columns)]}]


def get_init_inputs():
    return []
