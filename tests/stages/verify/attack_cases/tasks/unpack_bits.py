import torch
import torch.nn as nn
import torch.nn.functional as F

ROWS = 256
WORDS = 64

class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, words):
        bits = (words.unsqueeze(-1) >> torch.arange(32, dtype=torch.int32, device=words.device)) & 1
        return bits.reshape(words.shape[0], -1)

def get_inputs():
    return [torch.randint(-2**31, 2**31 - 1, (ROWS, WORDS), dtype=torch.int32)]

def get_init_inputs():
    return []
