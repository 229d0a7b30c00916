import torch
import torch.nn as nn


class Model(nn.Module):
    """Which values lie over a threshold, and how many in each row."""

    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold

    def forward(self, x):
        over = x > self.threshold
        return over, over.sum(dim=1)


rows = 7
columns = 45
threshold = 0.25


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return [threshold]
