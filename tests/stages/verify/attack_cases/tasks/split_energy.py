import torch
import torch.nn as nn
import torch.nn.functional as F

ROWS = 1024
COLS = 32

class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        half = x.shape[-1] // 2
        energy = (x[:, :half] ** 2).sum(-1) + x[:, half:].abs().sum(-1)
        return x / (1.0 + energy.unsqueeze(-1))

def get_inputs():
    return [torch.randn(ROWS, COLS)]

def get_init_inputs():
    return []
