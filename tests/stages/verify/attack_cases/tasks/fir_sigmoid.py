import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 16
LENGTH = 2048
TAPS = 33


class Model(nn.Module):
    def __init__(self, taps):
        super().__init__()
        window = torch.hann_window(taps, periodic=False)
        self.register_buffer("taps", window / window.sum())

    def forward(self, signal):
        padded = F.pad(signal.unsqueeze(1), (self.taps.numel() - 1, 0))
        return torch.sigmoid(F.conv1d(padded, self.taps.view(1, 1, -1)).squeeze(1))


def get_inputs():
    return [torch.randn(BATCH, LENGTH)]


def get_init_inputs():
    return [TAPS]
