import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        gate, value = x.chunk(2, dim=-1)
        return F.silu(gate) * value


tokens = 6
hidden = 18


def get_inputs():
    return [torch.randn(tokens, hidden * 2, dtype=torch.bfloat16)]


def get_init_inputs():
    return []
