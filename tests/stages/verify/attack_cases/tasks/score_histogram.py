import torch
import torch.nn as nn


class Model(nn.Module):
    """How the scores of all pairs are spread over eight ranges of width 4; the outer ones are open."""

    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        scores = torch.matmul(a, b.T)
        bins = torch.clamp(torch.floor(scores / 4.0) + 4.0, 0.0, 7.0).to(torch.int64)
        return torch.bincount(bins.flatten(), minlength=8).float() / scores.numel()


queries = 4096
keys = 4096
dim = 128


def get_inputs():
    return [torch.randn(queries, dim), torch.randn(keys, dim)]


def get_init_inputs():
    return []
