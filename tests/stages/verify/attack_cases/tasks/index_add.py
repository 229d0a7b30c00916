import torch
import torch.nn as nn
import torch.nn.functional as F

updates = 16
width = 32


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, table, index, source):
        return table.index_add(0, index, source)


def get_inputs():
    return [torch.randn(50000, width), torch.randint(0, 50000, (updates,)), torch.randn(updates, width)]


def get_init_inputs():
    return []
