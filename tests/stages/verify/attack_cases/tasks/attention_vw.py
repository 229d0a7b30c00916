import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Causal attention."""

    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


batch = 2
heads = 4
length = 384
dim = 64


def get_inputs():
    return [torch.randn(batch, heads, length, dim) for _ in range(3)]


def get_init_inputs():
    return []
