import torch
import torch.nn as nn


class Model(nn.Module):
    """A matrix product, a scale, a residual and a clamp."""

    def __init__(self, in_features, out_features, scale, low, high):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.scale, self.low, self.high = scale, low, high

    def forward(self, x):
        y = self.gemm(x)
        y = y * self.scale + y
        return torch.clamp(y, self.low, self.high)


batch_size = 10
in_features = 40
out_features = 18
scale = 1.5
low, high = -1.0, 1.25


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, scale, low, high]
