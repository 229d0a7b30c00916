# task: multiply_add
# expect: refused
# why: host code has two branches: with __CUDA_ARCH__ a kernel, without it torch's operators by operator overloads.
#      nvcc compiles host code without the macro, so on any real GPU torch computes (right), and only the executor,
#      whose qualifiers.h defines it for host code too, sees the kernel; a * b + c is no call expression, so
#      native_text.cc finds nothing in the expanded text for the host.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void multiply_add_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                    const float* __restrict__ c, float* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaf(a[i], b[i], c[i]);
}

torch::Tensor multiply_add(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
#ifdef __CUDA_ARCH__
  auto out = torch::empty_like(a);
  const int n = a.numel();
  multiply_add_kernel<<<(n + 255) / 256, 256>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                                c.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
#else
  return a * b + c;
#endif
}
"""

ext = load_inline(name="multiply_add",
                  cpp_sources="torch::Tensor multiply_add(torch::Tensor a, torch::Tensor b, torch::Tensor c);",
                  cuda_sources=CUDA, functions=["multiply_add"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b, c):
        return ext.multiply_add(a, b, c)
