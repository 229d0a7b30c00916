import torch
import torch.nn as nn
import torch.nn.functional as F

rows = 512
cols = 512


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, days):
        weeks = torch.div(days, 7, rounding_mode="floor")
        return weeks * 10 + torch.remainder(days, 7)


def get_inputs():
    return [torch.randint(0, 1000, (rows, cols))]


def get_init_inputs():
    return []
