import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 2
height = 32
width = 32


class Model(nn.Module):
    def __init__(self, height, width):
        super().__init__()
        self.height, self.width = height, width

    def forward(self, theta):
        return F.affine_grid(theta, [theta.shape[0], 1, self.height, self.width],
                             align_corners=False)


def get_inputs():
    return [torch.randn(batch, 2, 3)]


def get_init_inputs():
    return [height, width]
