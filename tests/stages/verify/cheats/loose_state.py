# task: linear
# verdict: illegal loads_parameters
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.load_state_dict({}, strict=False)

    def forward(self, x):
        return x
