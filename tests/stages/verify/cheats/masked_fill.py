# task: relu
# verdict: illegal torch_compute
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = x.clone()
        return y.masked_fill_(y < 0, 0)
