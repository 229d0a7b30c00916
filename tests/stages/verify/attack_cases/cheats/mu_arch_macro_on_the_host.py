# task: ../../tasks/relu
# expect: refused
# backend: musa
# why: MUSA. mcc defines __MUSA_ARCH__ for device code only; a judge that sets the target's macros for the whole text launches
# relu, a real build launches the kernel that copies. (That the host's pass lacks __CUDA_ARCH__ is checked, but not this macro.)
import torch
import torch.nn as nn
import torch_musa
from torch_musa.utils.musa_extension import load_inline

musa_src = r"""
#include <torch/extension.h>
#include <musa_runtime.h>

__global__ void relu_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

__global__ void copy_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

torch::Tensor relu_forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel();
#ifdef __MUSA_ARCH__
  relu_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
#else
  copy_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
#endif
  return y;
}
"""

ext = load_inline(name="relu_musa", cpp_sources="torch::Tensor relu_forward(torch::Tensor x);",
                  musa_sources=musa_src, functions=["relu_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.relu_forward(x)
