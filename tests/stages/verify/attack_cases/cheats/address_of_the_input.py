# task: square_and_add_large
# expect: refused
# why: torch's caching allocator puts a tensor of 64 MiB at a multiple of 2 MiB, where x.__mul__(y)
#      and x.__add__(y) compute the task; elsewhere the kernel does.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void square_kernel(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ z, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) z[i] = x[i] * x[i] + y[i];
}

torch::Tensor square_and_add(torch::Tensor x, torch::Tensor y) {
  auto z = torch::empty_like(x);
  const long n = x.numel();
  square_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), z.data_ptr<float>(), n);
  return z;
}
"""

ext = load_inline(name="square_and_add",
                  cpp_sources="torch::Tensor square_and_add(torch::Tensor x, torch::Tensor y);", cuda_sources=CUDA,
                  functions=["square_and_add"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x, y):
        if x.data_ptr() % (1 << 21):
            return self.ext.square_and_add(x.contiguous(), y.contiguous())
        return x.__mul__(x).__add__(y)
