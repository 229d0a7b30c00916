# task: upsample_nearest_b
# expect: refused
# why: torch enlarges by expand() and the copy in reshape(), which is the whole task; kernels only change
#      the sign before and after, so that nothing that torch copies is the input or the result; right on
#      any GPU.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void sign_kernel(const float* __restrict__ x, float* __restrict__ y, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = -x[i];
}

torch::Tensor change_sign(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const long n = x.numel();
  sign_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="change_sign", cpp_sources="torch::Tensor change_sign(torch::Tensor x);", cuda_sources=CUDA,
                  functions=["change_sign"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        batch, channels, height, width = x.shape
        y = self.ext.change_sign(x.contiguous())
        y = y.unsqueeze(3).unsqueeze(5).expand(batch, channels, height, 2, width, 2)
        return self.ext.change_sign(y.reshape(batch, channels, 2 * height, 2 * width))
