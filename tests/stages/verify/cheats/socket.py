# task: relu
# verdict: illegal forbidden_import
import torch
import torch.nn as nn
import socket


class ModelNew(nn.Module):
    def forward(self, x):
        return x
