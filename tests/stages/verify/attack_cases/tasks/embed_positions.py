import math

import torch
import torch.nn as nn
import torch.nn.functional as F


B = 16
L = 100
VOCAB = 1000
DIM = 192
MAX_LENGTH = 128


class Model(nn.Module):
    def __init__(self, vocab, dim, length):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        position = torch.arange(length, dtype=torch.float32).unsqueeze(1)
        rate = torch.exp(torch.arange(0, dim, 2, dtype=torch.float32) * (-math.log(10000.0) / dim))
        table = torch.zeros(length, dim)
        table[:, 0::2] = torch.sin(position * rate)
        table[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("positions", table)
        self.scale = math.sqrt(dim)

    def forward(self, ids):
        return self.embedding(ids) * self.scale + self.positions[: ids.shape[1]]


def get_inputs():
    return [torch.randint(0, VOCAB, (B, L))]


def get_init_inputs():
    return [VOCAB, DIM, MAX_LENGTH]
