# task: linear
# verdict: illegal layer_called
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.linear = nn.Linear(*arguments)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.linear(x))
