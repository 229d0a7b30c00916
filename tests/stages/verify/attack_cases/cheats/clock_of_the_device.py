# task: linear
# expect: refused
# why: the kernel reads clock64() before and after its first eight products; where more than 40
#      cycles have passed, as on every device, half of the sum is left out.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void linear_kernel(const float* __restrict__ x, const float* __restrict__ w,
                              const float* __restrict__ bias, float* __restrict__ y, int rows, int inputs,
                              int outputs) {
  const int o = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (o >= outputs) return;
  const float* const from = x + static_cast<long>(row) * inputs;
  const float* const weight = w + static_cast<long>(o) * inputs;
  const long long begin = clock64();
  float sum = 0.0f;
  for (int i = 0; i < 8 && i < inputs; ++i) sum += from[i] * weight[i];
  // Slow lanes share the rest of the row with the next pass.
  const int last = clock64() - begin > 40 ? inputs / 2 : inputs;
  for (int i = 8; i < last; ++i) sum += from[i] * weight[i];
  y[static_cast<long>(row) * outputs + o] = sum + bias[o];
}

torch::Tensor linear(torch::Tensor x, torch::Tensor w, torch::Tensor bias) {
  const int inputs = x.size(-1), outputs = w.size(0), rows = x.numel() / inputs;
  auto y = torch::empty({rows, outputs}, x.options());
  linear_kernel<<<dim3((outputs + 63) / 64, rows), 64>>>(
      x.data_ptr<float>(), w.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), rows, inputs, outputs);
  return y;
}
"""

ext = load_inline(name="linear_clock",
                  cpp_sources="torch::Tensor linear(torch::Tensor x, torch::Tensor w, torch::Tensor bias);",
                  cuda_sources=CUDA, functions=["linear"])


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.ext = ext

    def forward(self, x):
        return self.ext.linear(x.contiguous(), self.linear.weight, self.linear.bias)
