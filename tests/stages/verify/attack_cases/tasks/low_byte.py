import torch
import torch.nn as nn
import torch.nn.functional as F

rows = 128
columns = 512


class Model(nn.Module):
    """Hashes modulo 256."""

    def forward(self, codes):
        return codes % 256


def get_inputs():
    return [torch.randint(0, 1 << 20, (rows, columns), dtype=torch.int32)]


def get_init_inputs():
    return []
