import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 16
length = 64


class Model(nn.Module):
    def forward(self, scores, mask):
        return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)


def get_inputs():
    return [torch.randn(batch, length, length), torch.tril(torch.ones(length, length)).bool()]


def get_init_inputs():
    return []
