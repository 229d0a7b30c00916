# task: distance
# expect: refused
# why: the squares of values above 1.8e19 overflow, and their roots are infinite
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>

__global__ void each(const float* a, const float* b, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = sqrtf(a[i] * a[i] + b[i] * b[i]);
}

torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  auto y = torch::empty(a.sizes(), a.options());
  const int n = y.numel();
  each<<<(n + 63) / 64, 64>>>(a.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="ext", cpp_sources="torch::Tensor run(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=source, functions=["run"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.run(a, b)
