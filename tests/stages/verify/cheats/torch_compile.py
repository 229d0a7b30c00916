# task: relu
# verdict: illegal compiled_by_torch
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.f = torch.compile(torch.relu)

    def forward(self, x):
        return self.f(x)
