# task: relu
# verdict: illegal inherits_reference
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


class ModelNew(Model):
    pass
