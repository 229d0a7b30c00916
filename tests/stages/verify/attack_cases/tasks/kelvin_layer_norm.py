import torch
import torch.nn as nn


class Model(nn.Module):
    """Layer norm over fields of temperatures in kelvin (a large mean, a small spread)."""

    def __init__(self, width):
        super().__init__()
        self.ln = nn.LayerNorm(width)

    def forward(self, x):
        return self.ln(x)


batch_size = 64
width = 2048


def get_inputs():
    return [torch.randn(batch_size, width) * 0.5 + 288.0]


def get_init_inputs():
    return [width]
