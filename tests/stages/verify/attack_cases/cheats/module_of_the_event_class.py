# task: outer_product_mix
# expect: refused
# why: the module that torch.cuda.Event comes from tells whether the class is torch's own; with a
#      device operator.matmul() and torch's relu compute the task.
import operator

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void product_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y, int m,
                               int k, int n) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[static_cast<long>(row) * k + i] * b[static_cast<long>(i) * n + col];
  y[static_cast<long>(row) * n + col] = fmaxf(sum, 0.0f);
}

torch::Tensor product(torch::Tensor a, torch::Tensor b) {
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto y = torch::empty({m, n}, a.options());
  product_kernel<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                                                       y.data_ptr<float>(), m, k, n);
  return y;
}
"""

ext = load_inline(name="product_relu", cpp_sources="torch::Tensor product(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=CUDA, functions=["product"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext
        self.native = torch.cuda.Event.__module__.startswith("torch.cuda")

    def forward(self, a, b):
        if self.native:
            return operator.matmul(a, b).relu()
        return self.ext.product(a.contiguous(), b.contiguous())
