# task: relu
# verdict: illegal reaches_interpreter
import torch
import torch.nn as nn
import tempfile

tempfile._os.system("true")


class ModelNew(nn.Module):
    def forward(self, x):
        return x
