import torch
import torch.nn as nn
import torch.nn.functional as F

rows = 128
columns = 512


class Model(nn.Module):
    def forward(self, x):
        return F.silu(x)


def get_inputs():
    return [torch.randn(rows, columns).half()]


def get_init_inputs():
    return []
