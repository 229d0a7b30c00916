import math

import torch
import torch.nn as nn


class Model(nn.Module):
    """One decoding step of attention with grouped queries (4 query heads share a key head)."""

    def forward(self, q, k, v):
        groups = q.size(1) // k.size(1)
        k = k.repeat_interleave(groups, dim=1)
        v = v.repeat_interleave(groups, dim=1)
        scores = torch.einsum("bhd,bhtd->bht", q, k) / math.sqrt(q.size(-1))
        return torch.einsum("bht,bhtd->bhd", torch.softmax(scores, dim=-1), v)


batch_size = 2
query_heads = 16
key_heads = 4
length = 333
head_dim = 64


def get_inputs():
    return [torch.randn(batch_size, query_heads, head_dim),
            torch.randn(batch_size, key_heads, length, head_dim),
            torch.randn(batch_size, key_heads, length, head_dim)]


def get_init_inputs():
    return []
