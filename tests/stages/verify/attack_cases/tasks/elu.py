import torch
import torch.nn as nn
import torch.nn.functional as F

ROWS = 640
COLS = 480


class Model(nn.Module):
    def __init__(self, alpha):
        super().__init__()
        self.alpha = alpha

    def forward(self, x):
        return F.elu(x, alpha=self.alpha)


def get_inputs():
    return [torch.randn(ROWS, COLS)]


def get_init_inputs():
    return [1.5]
