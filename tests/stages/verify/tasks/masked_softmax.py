import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, scores, mask):
        return torch.softmax(scores.masked_fill(mask, -1e9), dim=-1)


batch_size = 3
queries = 5
keys = 37


def get_inputs():
    return [torch.randn(batch_size, queries, keys), torch.rand(batch_size, 1, keys) < 0.3]


def get_init_inputs():
    return []
