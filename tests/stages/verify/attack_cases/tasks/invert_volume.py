import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return 255 - x


slices = 2048
height = 1024
width = 1024


def get_inputs():
    return [torch.randint(0, 256, (slices, height, width), dtype=torch.uint8)]


def get_init_inputs():
    return []
