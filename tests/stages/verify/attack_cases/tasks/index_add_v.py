import torch
import torch.nn as nn


class Model(nn.Module):
    """Sums the messages of edges at their nodes."""

    def __init__(self, num_nodes: int):
        super().__init__()
        self.num_nodes = num_nodes

    def forward(self, messages, target):
        out = torch.zeros(self.num_nodes, messages.shape[1], device=messages.device)
        return out.index_add(0, target, messages)


num_edges = 600000
num_nodes = 100000
width = 64


def get_inputs():
    return [torch.randn(num_edges, width), torch.randint(0, num_nodes, (num_edges,))]


def get_init_inputs():
    return [num_nodes]
