import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """The mean of the rows of each group; zeros for a group without rows."""

    def __init__(self, groups: int):
        super().__init__()
        self.groups = groups

    def forward(self, x, group):
        sums = torch.zeros(self.groups, x.shape[1], device=x.device).index_add(0, group, x)
        counts = torch.zeros(self.groups, device=x.device).index_add(0, group, torch.ones_like(x[:, 0]))
        return sums / counts.clamp(min=1.0).unsqueeze(1)


rows = 20000
width = 48
groups = 900


def get_inputs():
    return [torch.randn(rows, width), torch.randint(0, groups, (rows,))]


def get_init_inputs():
    return [groups]
