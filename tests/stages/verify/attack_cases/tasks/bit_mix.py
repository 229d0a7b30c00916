import torch
import torch.nn as nn
import torch.nn.functional as F


ROWS = 256
COLS = 1026


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        h = (x ^ y) << 5
        g = (x & y) >> 2
        return (h ^ g) + (x | 1)


def get_inputs():
    return [torch.randint(0, 1 << 20, (ROWS, COLS), dtype=torch.int32),
            torch.randint(0, 1 << 20, (ROWS, COLS), dtype=torch.int32)]


def get_init_inputs():
    return []
