import torch
import torch.nn as nn
import torch.nn.functional as F

rows = 256
cols = 4096


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x + 0.5 * torch.pow(x, 3)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
