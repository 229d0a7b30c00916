import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x.mean(dim=1), x.var(dim=1, unbiased=False)


rows, columns = 128, 640


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
