import math

import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 8
dim = 128


class Model(nn.Module):
    """The sinusoidal embedding of diffusion models."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, t):
        half = self.dim // 2
        steps = torch.arange(half, dtype=torch.float32, device=t.device)
        angles = t[:, None] * torch.exp(-math.log(10000.0) * steps / half)
        return torch.cat([torch.cos(angles), torch.sin(angles)], dim=-1)


def get_inputs():
    return [torch.rand(batch) * 10]


def get_init_inputs():
    return [dim]
