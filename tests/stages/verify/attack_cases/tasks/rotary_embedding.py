import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / (10000.0 ** (torch.arange(0, dim, 2).float() / dim)))

    def forward(self, x):
        pos = torch.arange(x.shape[1], device=x.device, dtype=torch.float32)
        angle = pos[:, None] * self.inv_freq[None, :]
        cos, sin = angle.cos(), angle.sin()
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


heads = 1
length = 16384
dim = 128


def get_inputs():
    return [torch.randn(heads, length, dim)]


def get_init_inputs():
    return [dim]
