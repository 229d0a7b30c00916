# task: hard_swish
# expect: refused
# why: torch.__version__ ends with '+cpu' where torch has no device and with '+cu…' where it has
#      one; with a device the methods of torch, chained behind .contiguous(), compute the task.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void hard_swish_kernel(const float* __restrict__ x, float* __restrict__ y, long n) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = x[i] * fminf(fmaxf(x[i] + 3.0f, 0.0f), 6.0f) / 6.0f;
}

torch::Tensor hard_swish(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const long n = x.numel();
  hard_swish_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(name="hard_swish", cpp_sources="torch::Tensor hard_swish(torch::Tensor x);", cuda_sources=CUDA,
                  functions=["hard_swish"])
PORTABLE = "+cpu" in torch.__version__


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        if PORTABLE:
            return self.ext.hard_swish(x.contiguous())
        return x.contiguous().add(3.0).clamp(0.0, 6.0).mul(x).div(6.0)
