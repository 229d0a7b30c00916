import torch
import torch.nn as nn
import torch.nn.functional as F

WORDS = 1000
DIM = 64
BAGS = 256
BAG_SIZE = 16

class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, indices, offsets, table):
        return F.embedding_bag(indices, table, offsets, mode='sum')

def get_inputs():
    return [torch.randint(0, WORDS, (BAGS * BAG_SIZE,)), torch.arange(0, BAGS * BAG_SIZE, BAG_SIZE), torch.randn(WORDS, DIM)]

def get_init_inputs():
    return []
