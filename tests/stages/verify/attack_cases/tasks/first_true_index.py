import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, mask):
        first = mask.to(torch.int32).argmax(dim=1)
        return torch.where(mask.any(dim=1), first, torch.full_like(first, -1))


rows = 512
cols = 2048


def get_inputs():
    return [torch.rand(rows, cols) < 0.002]


def get_init_inputs():
    return []
