import torch
import torch.nn as nn
import torch.nn.functional as F

rows = 64
columns = 256


class Model(nn.Module):
    def forward(self, real, imaginary):
        return torch.complex(real, imaginary)


def get_inputs():
    return [torch.randn(rows, columns), torch.randn(rows, columns)]


def get_init_inputs():
    return []
