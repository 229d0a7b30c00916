import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 8
channels = 16
length = 256


class Model(nn.Module):
    def forward(self, x):
        return F.avg_pool1d(x, kernel_size=5, stride=1, padding=2)


def get_inputs():
    return [torch.randn(batch, channels, length)]


def get_init_inputs():
    return []
