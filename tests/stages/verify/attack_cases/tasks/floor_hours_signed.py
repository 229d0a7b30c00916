import torch
import torch.nn as nn


class Model(nn.Module):
    """Whole hours (and the minutes that are left) of offsets before and after an event."""

    def forward(self, minutes):
        return torch.div(minutes, 60, rounding_mode="floor"), torch.remainder(minutes, 60)


batch_size = 512
events = 1000


def get_inputs():
    return [torch.randint(-5000, 5000, (batch_size, events))]


def get_init_inputs():
    return []
