import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, num_embeddings, embedding_dim):
        super().__init__()
        self.table = nn.Embedding(num_embeddings, embedding_dim)

    def forward(self, indices):
        return self.table(indices) * 2.0


batch_size = 3
length = 7
num_embeddings = 50
embedding_dim = 20


def get_inputs():
    return [torch.randint(0, num_embeddings, (batch_size, length))]


def get_init_inputs():
    return [num_embeddings, embedding_dim]
