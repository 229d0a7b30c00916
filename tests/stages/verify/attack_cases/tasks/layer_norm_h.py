import torch
import torch.nn as nn
import torch.nn.functional as F


BATCH = 16
SEQ = 128
FEATURES = 512


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(BATCH, SEQ, FEATURES)]


def get_init_inputs():
    return [FEATURES]
