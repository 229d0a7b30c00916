import torch
import torch.nn as nn
import torch.nn.functional as F


BATCH = 64
WIDTH = 256
HIDDEN = 512
OUT = 120


class Model(nn.Module):
    def __init__(self, width, hidden, out):
        super().__init__()
        self.fc1 = nn.Linear(width, hidden)
        self.fc2 = nn.Linear(hidden, out)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


def get_inputs():
    return [torch.randn(BATCH, WIDTH)]


def get_init_inputs():
    return [WIDTH, HIDDEN, OUT]
