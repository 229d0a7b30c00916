import torch
import torch.nn as nn
import torch.nn.functional as F

ROWS = 32768
COLS = 64

class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        ordered = torch.sort(x, dim=-1).values
        quarter = x.shape[-1] // 4
        return ordered[:, quarter:-quarter].mean(dim=-1)

def get_inputs():
    return [torch.randn(ROWS, COLS)]

def get_init_inputs():
    return []
