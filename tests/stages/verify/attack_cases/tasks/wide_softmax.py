import torch
import torch.nn as nn


class Model(nn.Module):
    """Simple model that performs a Softmax activation over a wide row."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, dim=1)


batch_size = 16
dim = 16384


def get_inputs():
    return [torch.randn(batch_size, dim)]


def get_init_inputs():
    return []
