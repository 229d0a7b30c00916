import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 8
CHANNELS = 16
SIZE = 64

class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return F.max_pool2d(x, kernel_size=3, stride=2, padding=1)

def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE)]

def get_init_inputs():
    return []
