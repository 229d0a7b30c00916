import torch
import torch.nn as nn
import torch.nn.functional as F

SAMPLES = 70000000

class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.cat((x[:1], torch.sub(x[1:], x[:-1], alpha=0.95)))

def get_inputs():
    return [torch.randn(SAMPLES)]

def get_init_inputs():
    return []
