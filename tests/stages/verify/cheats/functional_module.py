# task: relu
# verdict: illegal torch_compute
import torch
import torch.nn as nn
import torch.nn.functional as fun


class ModelNew(nn.Module):
    def forward(self, x):
        return fun.relu(x)
