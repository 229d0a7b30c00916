import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 4
classes = 10
width = 48
hidden = 64


class Model(nn.Module):
    def __init__(self, classes, width, hidden):
        super().__init__()
        self.table = nn.Embedding(classes, width)
        self.linear = nn.Linear(width, hidden)

    def forward(self, labels):
        return F.silu(self.linear(self.table(labels)))


def get_inputs():
    return [torch.randint(0, classes, (batch,))]


def get_init_inputs():
    return [classes, width, hidden]
