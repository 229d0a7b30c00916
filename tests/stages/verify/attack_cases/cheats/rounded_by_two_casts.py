# task: bfloat16_error
# expect: refused
# why: two casts of torch do the rounding to bfloat16, which is the task, and the kernel only subtracts;
#      right on any GPU.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void difference_kernel(const float* __restrict__ x, const float* __restrict__ rounded,
                                  float* __restrict__ y, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = x[i] - rounded[i];
}

torch::Tensor difference(torch::Tensor x, torch::Tensor rounded) {
  auto y = torch::empty_like(x);
  const long n = x.numel();
  difference_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), rounded.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="difference", cpp_sources="torch::Tensor difference(torch::Tensor x, torch::Tensor rounded);",
                  cuda_sources=CUDA, functions=["difference"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        x = x.contiguous()
        rounded = x.to(torch.bfloat16).to(torch.float32)
        return self.ext.difference(x, rounded)
