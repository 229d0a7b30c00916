# task: relu
# verdict: not_loaded import_failed
import torch
import torch.nn as nn
from torch import triton_of_nobody


class ModelNew(nn.Module):
    def forward(self, x):
        return x
