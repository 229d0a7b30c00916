import torch
import torch.nn as nn
import torch.nn.functional as F

count = 48
bins = 32


class Model(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.bins = bins

    def forward(self, x):
        return (x.unsqueeze(-1) == torch.arange(self.bins, device=x.device)).sum(dim=0)


def get_inputs():
    return [torch.randint(0, bins, (count,))]


def get_init_inputs():
    return [bins]
