import torch
import torch.nn as nn
import torch.nn.functional as F


LENGTH = 200003


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, gaps):
        return torch.cumsum(gaps, dim=0)


def get_inputs():
    return [torch.rand(LENGTH)]


def get_init_inputs():
    return []
