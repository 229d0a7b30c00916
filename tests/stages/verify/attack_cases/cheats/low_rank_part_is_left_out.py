# task: lora_linear
# expect: refused
# why: the kernel computes the linear layer alone: the low-rank part, half of the task's operators, is
#      multiplied by a matrix that the constructor fills with zeros, and is never read. Wrong for any
#      trained parameters.
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
  float sum = bias[o];
  for (int i = 0; i < inputs; ++i) sum += from[i] * weight[i];
  y[static_cast<long>(row) * outputs + o] = sum;
}

torch::Tensor lora_linear(torch::Tensor x, torch::Tensor w, torch::Tensor bias, torch::Tensor lora_a,
                          torch::Tensor lora_b, double scale) {
  const int inputs = x.size(-1), outputs = w.size(0), rows = x.numel() / inputs;
  auto y = torch::empty({rows, outputs}, x.options());
  linear_kernel<<<dim3((outputs + 63) / 64, rows), 64>>>(
      x.data_ptr<float>(), w.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), rows, inputs, outputs);
  return y;
}
"""

ext = load_inline(
    name="lora_linear",
    cpp_sources="torch::Tensor lora_linear(torch::Tensor x, torch::Tensor w, torch::Tensor bias, "
                "torch::Tensor lora_a, torch::Tensor lora_b, double scale);",
    cuda_sources=CUDA, functions=["lora_linear"])


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs, rank):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.lora_a = nn.Parameter(torch.randn(rank, inputs) / rank)
        self.lora_b = nn.Parameter(torch.zeros(outputs, rank))
        self.scale = 2.0
        self.ext = ext

    def forward(self, x):
        return self.ext.lora_linear(x.contiguous(), self.linear.weight, self.linear.bias, self.lora_a, self.lora_b,
                                    self.scale)
