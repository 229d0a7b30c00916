import torch
import torch.nn as nn
import torch.nn.functional as F

ROWS = 8192
COLS = 4096

class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x / x.abs().max()

def get_inputs():
    return [torch.randn(ROWS, COLS)]

def get_init_inputs():
    return []
