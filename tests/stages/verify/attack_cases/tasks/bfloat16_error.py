import torch
import torch.nn as nn
import torch.nn.functional as F

rows = 128
columns = 512


class Model(nn.Module):
    def forward(self, x):
        return x - x.to(torch.bfloat16).to(torch.float32)


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
