# task: half_threshold
# verdict: wrong values
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>

__global__ void threshold_kernel(const __half* x, __half* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = __half2float(x[i]);
  y[i] = __float2half(-v);
}

torch::Tensor run(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel();
  threshold_kernel<<<(n + 63) / 64, 64>>>(reinterpret_cast<const __half*>(x.data_ptr<at::Half>()),
                                          reinterpret_cast<__half*>(y.data_ptr<at::Half>()), n);
  return y;
}
"""

ext = load_inline(name="ext", cpp_sources="torch::Tensor run(torch::Tensor x);",
                  cuda_sources=source, functions=["run"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.run(x)
