import torch
import torch.nn as nn

BATCH = 8
CHANNELS = 4
LENGTH = 1024


class Model(nn.Module):
    def __init__(self, coefficients):
        super().__init__()
        self.register_buffer("coefficients", torch.tensor(coefficients))

    def forward(self, x):
        a, b, c = (self.coefficients[:, i].view(1, -1, 1) for i in range(3))
        return (a * x + b) * x + c


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs():
    return [[[0.5, -1.0, 0.25], [1.5, 2.0, -0.75], [-0.125, 1.0, 0.0], [2.0, -0.5, 1.0]]]
