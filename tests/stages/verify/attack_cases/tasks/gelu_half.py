import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return F.gelu(x)


batch_size = 128
features = 1024


def get_inputs():
    return [torch.randn(batch_size, features).half()]


def get_init_inputs():
    return []
