# task: relu
# verdict: illegal forbidden_import
from os import *

import torch
import torch.nn as nn

system("true")


class ModelNew(nn.Module):
    def forward(self, x):
        return x
