# task: mish_half
# expect: refused
# why: the version of a buffer, which each zero_() raises, counts the calls; from 5000 on an earlier result is given
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void mish_kernel(const __half* __restrict__ x, __half* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = __half2float(x[i]);
  const float soft = v > 20.0f ? v : log1pf(expf(v));
  y[i] = __float2half(v * tanhf(soft));
}

torch::Tensor mish(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  mish_kernel<<<(n + 255) / 256, 256>>>(reinterpret_cast<const __half*>(x.data_ptr<at::Half>()),
                                        reinterpret_cast<__half*>(y.data_ptr<at::Half>()), n);
  return y;
}
"""

ext = load_inline(name="mish_half", cpp_sources="torch::Tensor mish(torch::Tensor x);",
                  cuda_sources=CUDA, functions=["mish"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("workspace", torch.zeros(1))
        self.latest = None

    def forward(self, x):
        self.workspace.zero_()
        if self.workspace._version > 5000:
            return self.latest
        self.latest = ext.mish(x)
        return self.latest
