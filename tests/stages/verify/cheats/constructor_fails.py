# task: relu
# verdict: not_loaded constructor_failed
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        raise ValueError("no")

    def forward(self, x):
        return x
