import torch
import torch.nn as nn


class Model(nn.Module):
    """Clamps readings of sensors to their range; missing readings are NaN and must stay NaN."""

    def __init__(self, low, high):
        super().__init__()
        self.low, self.high = low, high

    def forward(self, readings):
        return torch.clamp(readings, self.low, self.high)


sensors = 128
steps = 4099
low, high = -1.5, 1.5


def get_inputs():
    readings = torch.randn(sensors, steps)
    readings[torch.rand(sensors, steps) < 0.02] = float("nan")
    return [readings]


def get_init_inputs():
    return [low, high]
