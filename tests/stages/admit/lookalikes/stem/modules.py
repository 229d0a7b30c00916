import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, features):
        super().__init__()
        self.conv = nn.Conv2d(channels, features, kernel_size=3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(features)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)

    def forward(self, image):
        x = self.relu(self.norm(self.conv(image)))
        return self.pool(x)


batch, channels, features, size = 3, 5, 12, 40


def get_inputs():
    return [torch.rand(batch, channels, size, size)]


def get_init_inputs():
    return [channels, features]
