# task: relu
# verdict: illegal compiled_by_torch
import torch
import torch.nn as nn


@torch.compile
def work(x):
    return x.clamp(min=0)


class ModelNew(nn.Module):
    def forward(self, x):
        return work(x)
