import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, vocabulary, width, hidden, classes):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.up = nn.Linear(width, hidden)
        self.head = nn.Linear(hidden, classes)

    def forward(self, tokens):
        return self.head(F.gelu(self.up(self.embed(tokens))))


batch, length = 16, 64
vocabulary, width, hidden, classes = 512, 32, 64, 16


def get_inputs():
    return [torch.randint(0, vocabulary, (batch, length))]


def get_init_inputs():
    return [vocabulary, width, hidden, classes]
