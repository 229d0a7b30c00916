import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 8
length = 256


class Model(nn.Module):
    """One line of equal steps for each pair of a start and a step."""

    def __init__(self, length):
        super().__init__()
        self.length = length

    def forward(self, lines):
        place = torch.arange(self.length, dtype=lines.dtype, device=lines.device)
        return lines[:, :1] + lines[:, 1:] * place


def get_inputs():
    return [torch.rand(batch, 2)]


def get_init_inputs():
    return [length]
