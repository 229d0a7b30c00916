import torch
import torch.nn as nn
import torch.nn.functional as F

rows = 256
cols = 1024


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        p = torch.softmax(x, dim=-1)
        return 0.5 * (p + torch.roll(p, 1, dims=-1))


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
