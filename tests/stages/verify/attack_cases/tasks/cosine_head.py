import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A classifier by cosine similarity: the rows of the weight are normalised for each use."""

    def __init__(self, features: int, classes: int, scale: float):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, features))
        self.scale = scale

    def forward(self, x):
        return self.scale * F.linear(F.normalize(x, dim=1), F.normalize(self.weight, dim=1))


batch = 256
features = 512
classes = 1000


def get_inputs():
    return [torch.randn(batch, features)]


def get_init_inputs():
    return [features, classes, 16.0]
