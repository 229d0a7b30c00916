# task: relu
# verdict: illegal torch_compute
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return self._inner(x)

    def _inner(self, x):
        return torch.nn.functional.relu(x)
