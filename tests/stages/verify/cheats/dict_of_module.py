# task: relu
# verdict: illegal reaches_interpreter
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.__dict__["re" + "lu"](x)
