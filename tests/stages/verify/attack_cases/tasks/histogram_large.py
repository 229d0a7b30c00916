import torch
import torch.nn as nn
import torch.nn.functional as F

COUNT = 33554432
BINS = 64

class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        bins = (x * BINS).clamp(0, BINS - 1).int()
        return torch.bincount(bins, minlength=BINS)

def get_inputs():
    return [torch.rand(COUNT)]

def get_init_inputs():
    return []
