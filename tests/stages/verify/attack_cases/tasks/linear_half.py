import torch
import torch.nn as nn
import torch.nn.functional as F


TOKENS = 192
IN = 256
OUT = 128


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter((torch.randn(out_features, in_features) / in_features ** 0.5).half())
        self.bias = nn.Parameter(torch.randn(out_features).half())

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)


def get_inputs():
    return [torch.randn(TOKENS, IN).half()]


def get_init_inputs():
    return [IN, OUT]
