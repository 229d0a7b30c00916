import math

import torch
import torch.nn as nn

BATCH = 16
SEQ = 128
VOCAB = 1000
DIM = 64


class Model(nn.Module):
    def __init__(self, vocab, seq, dim):
        super().__init__()
        self.tokens = nn.Embedding(vocab, dim)
        self.positions = nn.Parameter(torch.randn(seq, dim) * 0.02)
        self.scale = math.sqrt(dim)

    def forward(self, ids):
        return self.tokens(ids) * self.scale + self.positions


def get_inputs():
    return [torch.randint(0, VOCAB, (BATCH, SEQ))]


def get_init_inputs():
    return [VOCAB, SEQ, DIM]
