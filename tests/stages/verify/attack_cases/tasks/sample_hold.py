import torch
import torch.nn as nn


class Model(nn.Module):
    """Brings audio to another rate by holding samples (44.1 kHz to 16 kHz, 30 seconds)."""

    def __init__(self, new_length):
        super().__init__()
        self.new_length = new_length

    def forward(self, audio):
        length = audio.size(1)
        source = torch.arange(self.new_length, device=audio.device) * length // self.new_length
        return audio[:, source]


channels = 2
length = 1323000
new_length = 480000


def get_inputs():
    return [torch.rand(channels, length) * 2 - 1]


def get_init_inputs():
    return [new_length]
