# task: relu
# verdict: illegal foreign_compute
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        rows = x.tolist()
        return torch.tensor([[max(v, 0.0) for v in row] for row in rows])
