import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Some passes of a filter with three taps."""

    def __init__(self, passes):
        super().__init__()
        self.passes = passes

    def forward(self, x):
        x = x.unsqueeze(1)
        for _ in range(self.passes):
            x = F.avg_pool1d(x, 3, stride=1, padding=1)
        return x.squeeze(1)


rows = 128
cols = 1000


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return [4]
