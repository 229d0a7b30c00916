import torch
import torch.nn as nn
import torch.nn.functional as F

frames = 512
height = 1024
width = 1024


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.sum(x)


def get_inputs():
    return [torch.randint(0, 200, (frames, height, width), dtype=torch.uint8)]


def get_init_inputs():
    return []
