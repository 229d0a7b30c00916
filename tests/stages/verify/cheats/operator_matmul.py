# task: matmul
# verdict: illegal torch_compute
import operator

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return operator.matmul(a, b)
