import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """The share of the numbers of each image in each of 64 equal ranges of [0, 1)."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        n = x.shape[1]
        bins = torch.clamp((x * 64.0).to(torch.int64), 0, 63)
        counts = torch.zeros(x.shape[0], 64, device=x.device, dtype=torch.int64)
        counts.scatter_add_(1, bins, torch.ones_like(bins))
        return counts.float() / n


images = 64
pixels = 65536


def get_inputs():
    return [torch.rand(images, pixels)]


def get_init_inputs():
    return []
