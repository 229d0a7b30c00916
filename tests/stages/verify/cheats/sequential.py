# task: linear
# verdict: illegal layer_called
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(*arguments), nn.ReLU())

    def forward(self, x):
        return self.net(x)
