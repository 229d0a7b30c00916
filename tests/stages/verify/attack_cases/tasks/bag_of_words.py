import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 32
words = 24
vocabulary = 500
width = 64


class Model(nn.Module):
    def forward(self, ids, table):
        return table[ids].sum(dim=1)


def get_inputs():
    return [torch.randint(0, vocabulary, (batch, words)), torch.randn(vocabulary, width)]


def get_init_inputs():
    return []
