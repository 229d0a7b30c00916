import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Binary focal loss of RetinaNet."""

    def __init__(self, alpha):
        super().__init__()
        self.alpha = alpha

    def forward(self, logits, labels):
        ce = F.binary_cross_entropy_with_logits(logits, labels.to(logits.dtype), reduction="none")
        p = torch.sigmoid(logits)
        wrong = torch.where(labels, 1 - p, p)
        weight = torch.where(labels, torch.full_like(p, self.alpha), torch.full_like(p, 1 - self.alpha))
        return (weight * wrong * wrong * ce).mean()


batch = 64
anchors = 3000


def get_inputs():
    return [torch.randn(batch, anchors), torch.rand(batch, anchors) > 0.9]


def get_init_inputs():
    return [0.25]
