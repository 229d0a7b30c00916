import torch
import torch.nn as nn


class Model(nn.Module):
    """Sign changes between neighbouring samples."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return (torch.sign(x[:, 1:]) * torch.sign(x[:, :-1]) < 0).sum(dim=-1)


frames = 256
samples = 1024


def get_inputs():
    return [torch.randn(frames, samples)]


def get_init_inputs():
    return []
