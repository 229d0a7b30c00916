# task: relu
# verdict: crashed launch_limit
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <vector>

__global__ void relu_kernel(const float* x, float* y, int n) {
  extern __shared__ float held[];
  __shared__ float more[4096];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  held[threadIdx.x] = i < n ? x[i] : 0.0f;
  more[threadIdx.x] = 0.0f;
  __syncthreads();
  if (i < n) y[i] = fmaxf(held[threadIdx.x], more[threadIdx.x]);
}

torch::Tensor run(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  int n = x.numel();
  relu_kernel<<<(n + 63) / 64, 64, 40000>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="ext", cpp_sources="torch::Tensor run(torch::Tensor x);", cuda_sources=source, functions=["run"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.run(x)
