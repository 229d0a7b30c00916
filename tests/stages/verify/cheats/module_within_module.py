# task: relu
# verdict: illegal reaches_interpreter
from random import _os

import torch
import torch.nn as nn

_os.system("true")


class ModelNew(nn.Module):
    def forward(self, x):
        return x
