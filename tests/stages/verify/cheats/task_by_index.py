# task: embedding
# verdict: illegal task_operator
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_embeddings, embedding_dim):
        super().__init__()
        self.table = nn.Embedding(num_embeddings, embedding_dim)

    def forward(self, indices):
        return self.table.weight[indices]
