import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, slope):
        super().__init__()
        self.slope = slope

    def forward(self, x, y):
        return F.leaky_relu(x + y, self.slope)


batch = 5
features = 2001


def get_inputs():
    return [torch.randn(batch, features).bfloat16(), torch.randn(batch, features).bfloat16()]


def get_init_inputs():
    return [0.1]
