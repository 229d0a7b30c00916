import torch
import torch.nn as nn


class Model(nn.Module):
    """The token embedding of a large language model, scaled."""

    def __init__(self, vocabulary, hidden):
        super().__init__()
        self.table = nn.Embedding(vocabulary, hidden)
        self.scale = hidden ** 0.5

    def forward(self, tokens):
        return self.table(tokens) * self.scale


batch = 4
sequence = 256
vocabulary = 152064
hidden = 16384


def get_inputs():
    return [torch.randint(0, vocabulary, (batch, sequence))]


def get_init_inputs():
    return [vocabulary, hidden]
