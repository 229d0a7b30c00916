import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, out_features):
        super().__init__()
        self.norm = nn.LayerNorm(features)
        self.proj = nn.Linear(features, out_features, bias=False)

    def forward(self, x):
        return self.proj(self.norm(x))


batch = 8
tokens = 50
features = 192
out_features = 72


def get_inputs():
    return [torch.randn(batch, tokens, features)]


def get_init_inputs():
    return [features, out_features]
