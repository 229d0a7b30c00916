# task: relu
# verdict: illegal graph_replay
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.graph = torch.cuda.CUDAGraph()

    def forward(self, x):
        self.graph.replay()
        return self.out
