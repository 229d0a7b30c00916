import torch
import torch.nn as nn


class Model(nn.Module):
    """A half-precision matrix product."""

    def forward(self, a, b):
        return torch.matmul(a, b)


M = 200
K = 168
N = 136


def get_inputs():
    return [torch.randn(M, K).half() * 0.1, torch.randn(K, N).half() * 0.1]


def get_init_inputs():
    return []
