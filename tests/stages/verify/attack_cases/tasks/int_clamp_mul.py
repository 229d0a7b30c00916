import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        return torch.clamp(x, -100, 100) * y


rows, columns = 64, 256


def get_inputs():
    return [torch.randint(-1000, 1000, (rows, columns)), torch.randint(-5, 6, (rows, columns))]


def get_init_inputs():
    return []
