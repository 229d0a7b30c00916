# task: squared_difference
# expect: refused
# why: torch's loader compiles a source by its whole path; where __FILE__ begins with '/' torch's
#      overloaded operators compute the task, in a branch of if constexpr.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void difference_kernel(const float* __restrict__ p, const float* __restrict__ q, float* __restrict__ result,
                                  long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) result[i] = (p[i] - q[i]) * (p[i] - q[i]);
}

template <bool kInstalled>
torch::Tensor run(const torch::Tensor& a, const torch::Tensor& b) {
  if constexpr (kInstalled) {
    const torch::Tensor difference = a - b;
    return difference * difference;
  } else {
    auto y = torch::empty_like(a);
    const long n = a.numel();
    difference_kernel<<<(n + 255) / 256, 256>>>(a.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
  }
}

torch::Tensor squared_difference(torch::Tensor a, torch::Tensor b) {
  constexpr char kFile[] = __FILE__;
  return run<kFile[0] == '/'>(a, b);
}
"""

ext = load_inline(name="squared_difference",
                  cpp_sources="torch::Tensor squared_difference(torch::Tensor a, torch::Tensor b);",
                  cuda_sources=CUDA, functions=["squared_difference"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, a, b):
        return self.ext.squared_difference(a.contiguous(), b.contiguous())
