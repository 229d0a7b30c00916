import torch
import torch.nn as nn
import torch.nn.functional as F

rows = 2048
cols = 128


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x / (torch.sum(torch.abs(x), dim=-1, keepdim=True) + 1e-6)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
