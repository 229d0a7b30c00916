import torch
import torch.nn as nn
import torch.nn.functional as F


B = 2
HEADS = 3
SEQ = 100
DIM = 64


class Model(nn.Module):
    def __init__(self, head_dim):
        super().__init__()
        self.scale = head_dim ** -0.5

    def forward(self, q, k, v):
        scores = torch.matmul(q.float(), k.float().transpose(-2, -1)) * self.scale
        return torch.matmul(torch.softmax(scores, dim=-1), v.float()).half()


def get_inputs():
    return [torch.randn(B, HEADS, SEQ, DIM).half(), torch.randn(B, HEADS, SEQ, DIM).half(),
            torch.randn(B, HEADS, SEQ, DIM).half()]


def get_init_inputs():
    return [DIM]
