import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 8
length = 1024


class Model(nn.Module):
    """Whether a whole answer equals its label."""

    def forward(self, answers, labels):
        return (answers == labels).all(dim=1)


def get_inputs():
    labels = torch.randint(0, 32000, (batch, length), dtype=torch.int32)
    answers = labels.clone()
    wrong = torch.randint(0, 2, (batch,), dtype=torch.int32)
    answers[:, 7] += wrong
    return [answers, labels]


def get_init_inputs():
    return []
