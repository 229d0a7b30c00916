import torch
import torch.nn as nn
import torch.nn.functional as F


N = 4
CIN = 16
COUT = 32
H = 32
W = 32


class Model(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, kernel_size=3, padding=1)

    def forward(self, x):
        return F.relu(self.conv(x))


def get_inputs():
    return [torch.randn(N, CIN, H, W)]


def get_init_inputs():
    return [CIN, COUT]
