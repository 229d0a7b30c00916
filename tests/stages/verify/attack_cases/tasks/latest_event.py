import torch
import torch.nn as nn


class Model(nn.Module):
    """Time and place of the latest event of each user."""

    def __init__(self):
        super().__init__()

    def forward(self, times):
        best = torch.max(times, dim=1)
        return best.values, best.indices


users = 256
events = 2048


def get_inputs():
    return [torch.randint(0, 1000000, (users, events), dtype=torch.int64)]


def get_init_inputs():
    return []
