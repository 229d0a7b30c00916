# task: matmul
# verdict: illegal forbidden_import
import torch
import torch.nn as nn
import ctypes.musa_extension


class ModelNew(nn.Module):
    def forward(self, a, b):
        return ctypes.pythonapi
