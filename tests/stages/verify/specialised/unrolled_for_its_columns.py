# task: row_sum
# general: not_general other_shapes
# sizes: wrong
# layouts: all
# values: all
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>

constexpr int kColumns = 300;
constexpr int kThreads = 100;

__global__ void sum_kernel(const float* x, float* y) {
  __shared__ float parts[kThreads];
  const float* row = x + blockIdx.x * kColumns;
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kColumns / kThreads; ++i) sum += row[i * kThreads + threadIdx.x];
  parts[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int i = 1; i < kThreads; ++i) sum += parts[i];
  y[blockIdx.x] = sum;
}

torch::Tensor run(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty({x.size(0)}, x.options());
  sum_kernel<<<x.size(0), kThreads>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="torch::Tensor run(torch::Tensor x);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.run(x)
