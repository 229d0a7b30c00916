import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, name, scale):
        super().__init__()
        self.name, self.scale = name, scale

    def forward(self, x):
        y = torch.tanh(x) if self.name == "tanh" else torch.relu(x)
        return y * self.scale


batch = 128
features = 2048


def get_inputs():
    return [torch.randn(batch, features)]


def get_init_inputs():
    return ["tanh", 0.5]
