# task: relu
# verdict: illegal compiled_by_torch
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.f = torch.jit.trace(nn.ReLU(), torch.rand(2, 2))

    def forward(self, x):
        return self.f(x)
