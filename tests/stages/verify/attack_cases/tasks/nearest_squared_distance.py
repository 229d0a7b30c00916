import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        diff = a[:, :, None, :] - b[:, None, :, :]
        return (diff * diff).sum(dim=-1).amin(dim=-1)


batch = 8
n = 1024
m = 1024


def get_inputs():
    return [torch.rand(batch, n, 3), torch.rand(batch, m, 3)]


def get_init_inputs():
    return []
