# task: relu
# verdict: illegal torch_compute
import torch
import torch.nn as nn


class Inner(nn.Module):
    def forward(self, x):
        return torch.relu(x)


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        return self.inner(x)
