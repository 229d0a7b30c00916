# task: linear
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void linear_relu_kernel(const float* __restrict__ x, const float* __restrict__ w,
                                   const float* __restrict__ b, float* __restrict__ y, int rows,
                                   int in, int out) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= out) return;
  float sum = b[column];
  for (int k = 0; k < in; ++k) sum += x[row * in + k] * w[column * in + k];
  y[row * out + column] = sum > 0.0f ? sum : 0.0f;
}

torch::Tensor run(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
  auto input = x.contiguous();
  int rows = input.size(0), in = input.size(1), out = w.size(0);
  auto y = torch::zeros({rows, out}, input.options());
  dim3 block(16, 16);
  dim3 grid((out + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  linear_relu_kernel<<<grid, block>>>(input.data_ptr<float>(), w.data_ptr<float>(),
                                      b.data_ptr<float>(), y.data_ptr<float>(), rows, in, out);
  return y;
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="torch::Tensor run(torch::Tensor x, torch::Tensor w, torch::Tensor b);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.ext = ext

    def forward(self, x):
        return self.ext.run(x, self.linear.weight, self.linear.bias)
