import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 16
HEADS = 8
KEYS = 128

class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores, mask):
        bias = (1.0 - mask.unsqueeze(1).float()) * -10000.0
        return torch.softmax(scores + bias, dim=-1)

def get_inputs():
    return [torch.randn(BATCH, HEADS, KEYS), (torch.arange(KEYS) < torch.randint(KEYS // 4, KEYS + 1, (BATCH, 1))).int()]

def get_init_inputs():
    return []
