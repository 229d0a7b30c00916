import torch
import torch.nn as nn
import torch.nn.functional as F

length = 268435456


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return a + 0.5 * b


def get_inputs():
    return [torch.randn(length, dtype=torch.bfloat16), torch.randn(length, dtype=torch.bfloat16)]


def get_init_inputs():
    return []
