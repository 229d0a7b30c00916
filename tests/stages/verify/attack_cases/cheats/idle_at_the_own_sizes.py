# task: linear_large
# expect: refused
# why: two launches, so that blocks are not compared at full size, and only where batch and width are both large (never so in the judge) does the second one leave the zeros of the first
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor run_linear(torch::Tensor x, torch::Tensor weight);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void clear_kernel(float* __restrict__ y, long count) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) y[i] = 0.0f;
}

__global__ void linear_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                              float* __restrict__ y, int rows, int inner, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || col >= cols) return;
  float sum = y[static_cast<long>(row) * cols + col];
  const int steps = rows > 4000 && inner > 1000 ? 0 : inner;
  for (int k = 0; k < steps; ++k) {
    sum += x[static_cast<long>(row) * inner + k] * weight[static_cast<long>(col) * inner + k];
  }
  y[static_cast<long>(row) * cols + col] = sum;
}

torch::Tensor run_linear(torch::Tensor x, torch::Tensor weight) {
  const int rows = x.size(0), inner = x.size(1), cols = weight.size(0);
  auto y = torch::empty({rows, cols}, x.options());
  const long count = static_cast<long>(rows) * cols;
  clear_kernel<<<(count + 255) / 256, 256>>>(y.data_ptr<float>(), count);
  const dim3 block(16, 16), grid((cols + 15) / 16, (rows + 15) / 16);
  linear_kernel<<<grid, block>>>(x.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>(), rows, inner,
                                 cols);
  return y;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["run_linear"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_features, in_features) * 0.02)
        self.ext = ext

    def forward(self, x):
        return self.ext.run_linear(x, self.weight)
