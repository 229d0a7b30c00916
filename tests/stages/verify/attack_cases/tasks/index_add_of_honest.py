import torch
import torch.nn as nn

NODES = 1024
EDGES = 4096
DIM = 64


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, nodes, index, messages):
        return nodes.index_add(0, index, messages)


def get_inputs():
    return [torch.randn(NODES, DIM), torch.randint(0, NODES, (EDGES,)), torch.randn(EDGES, DIM)]


def get_init_inputs():
    return []
