import torch
import torch.nn as nn


class Model(nn.Module):
    """Computes what the operator table cannot express, so that only its text is compared."""

    def __init__(self, features, order, cutoff):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(features))
        self.mix = nn.Linear(features, order)
        self.norm = nn.LayerNorm(order)
        self.cutoff = cutoff

    def forward(self, distances, weights):
        scaled = distances.unsqueeze(-1) * self.scale / self.cutoff
        waves = torch.special.bessel_j0(scaled) + torch.special.bessel_j1(scaled)
        envelope = torch.exp(-distances / self.cutoff).unsqueeze(-1)
        mixed = self.norm(self.mix(waves * envelope))
        summed = torch.einsum("bno,bn->bo", mixed, weights)
        return torch.tanh(summed).clamp(min=-0.99, max=0.99)


batch, points, features, order, cutoff = 4, 20, 16, 8, 5.0


def get_inputs():
    return [torch.rand(batch, points), torch.rand(batch, points)]


def get_init_inputs():
    return [features, order, cutoff]
