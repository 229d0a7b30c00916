import torch
import torch.nn as nn


class Model(nn.Module):
    """Batch normalisation in training whose statistics are the plain average of all batches so far."""

    def __init__(self, features: int):
        super().__init__()
        self.bn = nn.BatchNorm1d(features, momentum=None)

    def forward(self, x):
        self.bn.train()
        return self.bn(x)


batch = 2048
features = 512


def get_inputs():
    return [torch.randn(batch, features) * 2.0 + 1.0]


def get_init_inputs():
    return [features]
