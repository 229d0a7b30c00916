import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.head = nn.Parameter(torch.randn(classes, features))

    def forward(self, x, shares):
        pooled = torch.div(torch.sum(torch.mul(x, shares), 1), 7.0)
        scores = torch.softmax(F.linear(pooled, self.head), -1)
        return torch.log(torch.clamp(scores, min=1e-6))


def get_inputs():
    return [torch.rand(4, 18, 36), torch.rand(4, 18, 1)]


def get_init_inputs():
    return [36, 11]
