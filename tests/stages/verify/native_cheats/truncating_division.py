# task: hours
# verdict: not_general other_values
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>

__global__ void each(const int64_t* minutes, int64_t* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = minutes[i] / 60;
}

torch::Tensor run(torch::Tensor minutes) {
  minutes = minutes.contiguous();
  auto y = torch::empty(minutes.sizes(), minutes.options());
  const int n = y.numel();
  each<<<(n + 63) / 64, 64>>>(minutes.data_ptr<int64_t>(), y.data_ptr<int64_t>(), n);
  return y;
}
"""

ext = load_inline(name="ext", cpp_sources="torch::Tensor run(torch::Tensor minutes);",
                  cuda_sources=source, functions=["run"])


class ModelNew(nn.Module):
    def forward(self, minutes):
        return ext.run(minutes)
