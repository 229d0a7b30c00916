import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=1)


batch_size = 6
dim = 70


def get_inputs():
    return [torch.randn(batch_size, dim)]


def get_init_inputs():
    return []
