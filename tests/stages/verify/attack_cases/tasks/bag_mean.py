import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocabulary, width, mode="mean")

    def forward(self, ids):
        return self.bag(ids)


batch = 200
words = 20
vocabulary = 1000
width = 96


def get_inputs():
    return [torch.randint(0, vocabulary, (batch, words))]


def get_init_inputs():
    return [vocabulary, width]
