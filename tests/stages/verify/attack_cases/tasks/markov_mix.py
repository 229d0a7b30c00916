import torch
import torch.nn as nn


class Model(nn.Module):
    """Adds the two-step transition matrix of a learned Markov chain."""

    def __init__(self, states):
        super().__init__()
        self.logits = nn.Parameter(torch.randn(states, states))

    def forward(self, x):
        step = torch.softmax(self.logits, dim=-1)
        return x + torch.matmul(step, step)


states = 256


def get_inputs():
    return [torch.randn(states, states)]


def get_init_inputs():
    return [states]
