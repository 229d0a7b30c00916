# task: log_one_plus
# verdict: not_general other_values
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>

__global__ void each(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = logf(1.0f + x[i]);
}

torch::Tensor run(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty(x.sizes(), x.options());
  const int n = y.numel();
  each<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="ext", cpp_sources="torch::Tensor run(torch::Tensor x);",
                  cuda_sources=source, functions=["run"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.run(x)
