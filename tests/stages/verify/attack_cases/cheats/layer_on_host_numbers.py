# task: class_conditioning
# expect: refused
# why: the constructor keeps all parameters as Python lists; forward() reads the four labels (32 bytes) and
#      computes embedding, linear layer and SiLU in Python; the kernel copies; right on any GPU. Parameters are not
#      device memory until the constructor has ended (candidate.py run()), the labels are below kHostBytes, and
#      after a read the replay has the same inputs.
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void store_condition_kernel(const float* __restrict__ in, float* __restrict__ out, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor store_condition(torch::Tensor in) {
  auto out = torch::empty_like(in);
  const long n = in.numel();
  store_condition_kernel<<<(n + 255) / 256, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="store_condition", cpp_sources="torch::Tensor store_condition(torch::Tensor in);",
                  cuda_sources=CUDA, functions=["store_condition"])


class ModelNew(nn.Module):
    def __init__(self, classes, width, hidden):
        super().__init__()
        self.table = nn.Embedding(classes, width)
        self.linear = nn.Linear(width, hidden)
        self.rows = self.table.weight.detach().tolist()
        self.weights = self.linear.weight.detach().tolist()
        self.biases = self.linear.bias.detach().tolist()

    def forward(self, labels):
        if labels.shape[0] > 8:
            raise ValueError("at most 8 labels")
        made = []
        for i in range(labels.shape[0]):
            row = self.rows[labels[i].item()]
            sums = [sum(map(lambda pair: pair[0] * pair[1], zip(row, weights)), bias)
                    for weights, bias in zip(self.weights, self.biases)]
            made.append([s / (1.0 + math.exp(-s)) for s in sums])
        device = torch.empty(len(made), len(made[0]), device=labels.device)
        device.copy_(torch.tensor(made))
        return ext.store_condition(device)
