import torch
import torch.nn as nn

BATCH = 8
SEQ = 64
IN_DIM = 128
OUT_DIM = 96


class Model(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.proj = nn.Linear(in_dim, out_dim, bias=False)

    def forward(self, x):
        return self.proj(x)


def get_inputs():
    return [torch.randn(BATCH, SEQ, IN_DIM)]


def get_init_inputs():
    return [IN_DIM, OUT_DIM]
