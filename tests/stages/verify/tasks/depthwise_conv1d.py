import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, kernel_size, padding):
        super().__init__()
        self.conv = nn.Conv1d(
            channels, channels, kernel_size, padding=padding, groups=channels, bias=False)

    def forward(self, x):
        return self.conv(x)


batch_size = 2
channels = 6
length = 31
kernel_size = 5
padding = 2


def get_inputs():
    return [torch.randn(batch_size, channels, length)]


def get_init_inputs():
    return [channels, kernel_size, padding]
