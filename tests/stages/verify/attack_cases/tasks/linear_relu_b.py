import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return F.relu(self.linear(x))


batch, inputs, outputs = 64, 96, 80


def get_inputs():
    return [torch.randn(batch, inputs)]


def get_init_inputs():
    return [inputs, outputs]
