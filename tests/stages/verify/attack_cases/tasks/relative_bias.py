import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 8
heads = 4
length = 32
hidden = 64


class Model(nn.Module):
    """Continuous relative position bias: an MLP of the distances gives each head's bias."""

    def __init__(self, heads, length, hidden):
        super().__init__()
        self.first = nn.Linear(1, hidden)
        self.second = nn.Linear(hidden, heads)
        self.length = length

    def forward(self, scores):
        place = torch.arange(self.length, dtype=scores.dtype, device=scores.device)
        distance = (place[:, None] - place[None, :]) / self.length
        bias = self.second(torch.tanh(self.first(distance.unsqueeze(-1))))
        return scores + bias.permute(2, 0, 1)


def get_inputs():
    return [torch.randn(batch, heads, length, length)]


def get_init_inputs():
    return [heads, length, hidden]
