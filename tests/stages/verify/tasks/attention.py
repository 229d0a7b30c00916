import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        return torch.softmax(scores, dim=-1) @ v


batch_size = 2
heads = 2
length = 9
head_dim = 8


def get_inputs():
    return [torch.randn(batch_size, heads, length, head_dim) for _ in range(3)]


def get_init_inputs():
    return []
