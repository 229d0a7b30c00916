import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.cat([a, b], dim=1)


rows = 6
left = 12
right = 20


def get_inputs():
    return [torch.rand(rows, left), torch.rand(rows, right)]


def get_init_inputs():
    return []
