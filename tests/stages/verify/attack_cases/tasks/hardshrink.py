import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, lambd):
        super().__init__()
        self.lambd = lambd

    def forward(self, x):
        return F.hardshrink(x, self.lambd)


batch = 512
features = 2048


def get_inputs():
    return [torch.randn(batch, features)]


def get_init_inputs():
    return [0.3]
