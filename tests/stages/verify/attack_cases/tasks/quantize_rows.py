import torch
import torch.nn as nn


class Model(nn.Module):
    """Symmetric quantisation of every row to 8 bits."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        scale = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-8) * 0.0078125
        q = torch.round(x / scale).clamp(-127, 127).to(torch.int8)
        return q, scale


rows = 256
cols = 768


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
