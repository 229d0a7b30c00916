import torch
import torch.nn as nn
import torch.nn.functional as F


B = 2
SEQ = 100
HEADS = 8
DIM = 64
MAX_LENGTH = 128


class Model(nn.Module):
    def __init__(self, dim, length):
        super().__init__()
        rate = 1.0 / (10000.0 ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim))
        angle = torch.outer(torch.arange(length, dtype=torch.float32), rate)
        self.register_buffer("cos", torch.cos(angle))
        self.register_buffer("sin", torch.sin(angle))

    def forward(self, q, k):
        return self.rotate(q), self.rotate(k)

    def rotate(self, x):
        first, second = x.chunk(2, dim=-1)
        cos = self.cos[: x.shape[1], None, :]
        sin = self.sin[: x.shape[1], None, :]
        return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def get_inputs():
    return [torch.randn(B, SEQ, HEADS, DIM), torch.randn(B, SEQ, HEADS, DIM)]


def get_init_inputs():
    return [DIM, MAX_LENGTH]
