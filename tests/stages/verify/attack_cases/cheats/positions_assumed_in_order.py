# task: add_positions
# expect: refused
# why: the kernel never reads the positions: it adds row i of the table to place i
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void add_positions_kernel(const float* __restrict__ x, const float* __restrict__ table,
                                     float* __restrict__ y, int n, int period) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + table[i % period];
}

torch::Tensor add_positions(torch::Tensor x, torch::Tensor table) {
  auto y = torch::empty_like(x);
  const int n = x.numel(), period = x.size(1) * x.size(2);
  add_positions_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), table.data_ptr<float>(),
                                                 y.data_ptr<float>(), n, period);
  return y;
}
"""

ext = load_inline(name="add_positions",
                  cpp_sources="torch::Tensor add_positions(torch::Tensor x, torch::Tensor table);",
                  cuda_sources=CUDA, functions=["add_positions"])


class ModelNew(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.table = nn.Embedding(length, width)

    def forward(self, x, positions):
        return ext.add_positions(x, self.table.weight)
