import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 64
inputs = 256
outputs = 128


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(batch, inputs)]


def get_init_inputs():
    return [inputs, outputs]
