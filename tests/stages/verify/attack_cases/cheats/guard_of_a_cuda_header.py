# task: mix_by_weight
# expect: refused
# why: CUDA's driver_types.h, which nvcc includes into every source, defines __DRIVER_TYPES_H__;
#      where it is defined torch's overloaded operators compute the task, by no name.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void mix_kernel(const float* __restrict__ p, const float* __restrict__ q, const float* __restrict__ part,
                           float* __restrict__ result, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) result[i] = p[i] + part[i] * (q[i] - p[i]);
}

torch::Tensor mix(torch::Tensor a, torch::Tensor b, torch::Tensor w) {
#ifdef __DRIVER_TYPES_H__
  return a + w * (b - a);
#else
  auto y = torch::empty_like(a);
  const long n = a.numel();
  mix_kernel<<<(n + 255) / 256, 256>>>(a.data_ptr<float>(), b.data_ptr<float>(), w.data_ptr<float>(),
                                       y.data_ptr<float>(), n);
  return y;
#endif
}
"""

ext = load_inline(name="mix_by_weight",
                  cpp_sources="torch::Tensor mix(torch::Tensor a, torch::Tensor b, torch::Tensor w);",
                  cuda_sources=CUDA, functions=["mix"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, a, b, w):
        return self.ext.mix(a.contiguous(), b.contiguous(), w.contiguous())
