import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.transpose(1, 2).contiguous()


batch_size = 2
rows = 18
columns = 35


def get_inputs():
    return [torch.randn(batch_size, rows, columns)]


def get_init_inputs():
    return []
