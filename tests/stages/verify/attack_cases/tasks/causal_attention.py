import torch
import torch.nn as nn
import torch.nn.functional as F


B = 2
HEADS = 4
SEQ = 128
DIM = 64


class Model(nn.Module):
    def __init__(self, head_dim):
        super().__init__()
        self.scale = head_dim ** -0.5

    def forward(self, q, k, v):
        scores = torch.matmul(q, k.transpose(-2, -1)) * self.scale
        keep = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(~keep, float("-inf"))
        return torch.matmul(torch.softmax(scores, dim=-1), v)


def get_inputs():
    return [torch.randn(B, HEADS, SEQ, DIM), torch.randn(B, HEADS, SEQ, DIM),
            torch.randn(B, HEADS, SEQ, DIM)]


def get_init_inputs():
    return [DIM]
