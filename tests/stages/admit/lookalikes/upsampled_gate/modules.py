import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)
        self.up = nn.ConvTranspose2d(channels, channels, kernel_size=2, stride=2)
        self.gate = nn.Conv2d(channels, 1, kernel_size=1)
        self.sigmoid = nn.Sigmoid()
        self.act = nn.LeakyReLU(0.2)

    def forward(self, x):
        y = self.up(self.act(self.norm(x)))
        return y * self.sigmoid(self.gate(y))


batch, channels, groups, height, width = 2, 16, 4, 14, 10


def get_inputs():
    return [torch.rand(batch, channels, height, width)]


def get_init_inputs():
    return [channels, groups]
