# task: relu
# verdict: no_answer no_model
import torch
import torch.nn as nn


class Other(nn.Module):
    pass
