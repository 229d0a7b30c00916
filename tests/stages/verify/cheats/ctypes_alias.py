# task: relu
# verdict: illegal forbidden_import
import torch
import torch.nn as nn
import ctypes as c


class ModelNew(nn.Module):
    def forward(self, x):
        return c.cdll
