import torch
import torch.nn as nn
import torch.nn.functional as F

rows = 64
columns = 256


class Model(nn.Module):
    """The four bytes of each word, the lowest first."""

    def forward(self, words):
        shifts = torch.arange(4, device=words.device, dtype=torch.int32) * 8
        return (words.unsqueeze(-1) >> shifts) & 255


def get_inputs():
    return [torch.randint(0, 1 << 30, (rows, columns), dtype=torch.int32)]


def get_init_inputs():
    return []
