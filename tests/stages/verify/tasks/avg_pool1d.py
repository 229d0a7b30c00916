import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, kernel_size, stride=1, padding=0):
        super().__init__()
        self.avg_pool = nn.AvgPool1d(kernel_size, stride=stride, padding=padding)

    def forward(self, x):
        return self.avg_pool(x)


batch_size = 3
channels = 4
length = 40
kernel_size = 4
stride = 2
padding = 1


def get_inputs():
    return [torch.rand(batch_size, channels, length)]


def get_init_inputs():
    return [kernel_size, stride, padding]
