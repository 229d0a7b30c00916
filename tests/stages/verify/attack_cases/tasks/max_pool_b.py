import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 4
channels = 8
height = 32
width = 32


class Model(nn.Module):
    def forward(self, x):
        return F.max_pool2d(x, 2)


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return []
