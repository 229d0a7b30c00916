import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x.sum(dim=1)


rows = 512
cols = 2048


def get_inputs():
    return [torch.randint(0, 1000, (rows, cols), dtype=torch.int32)]


def get_init_inputs():
    return []
