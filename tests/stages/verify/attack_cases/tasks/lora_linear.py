import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 64
inputs = 256
outputs = 192
rank = 16


class Model(nn.Module):
    def __init__(self, inputs, outputs, rank):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.lora_a = nn.Parameter(torch.randn(rank, inputs) / rank)
        self.lora_b = nn.Parameter(torch.zeros(outputs, rank))
        self.scale = 2.0

    def forward(self, x):
        return self.linear(x) + self.scale * ((x @ self.lora_a.t()) @ self.lora_b.t())


def get_inputs():
    return [torch.randn(batch, inputs)]


def get_init_inputs():
    return [inputs, outputs, rank]
