import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 8
SEQ = 128
DIM = 64

class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, cos, sin):
        x1 = x[..., 0::2]
        x2 = x[..., 1::2]
        y1 = x1 * cos - x2 * sin
        y2 = x1 * sin + x2 * cos
        return torch.stack((y1, y2), dim=-1).flatten(-2)

def get_inputs():
    return [torch.randn(BATCH, SEQ, DIM), torch.rand(SEQ, DIM // 2), torch.rand(SEQ, DIM // 2)]

def get_init_inputs():
    return []
