# task: relu
# general: not_general other_layout
# sizes: all
# layouts: wrong
# values: wrong
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
    v.x = fmaxf(v.x, 0.0f); v.y = fmaxf(v.y, 0.0f); v.z = fmaxf(v.z, 0.0f); v.w = fmaxf(v.w, 0.0f);
    reinterpret_cast<float4*>(y)[i] = v;
  }
  if (i < n % 4) y[n / 4 * 4 + i] = fmaxf(x[n / 4 * 4 + i], 0.0f);
}

torch::Tensor run(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  int n = x.numel();
  relu_kernel<<<(n / 4 + 4 + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="torch::Tensor run(torch::Tensor x);",
    cuda_sources=source,
    functions=["run"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.run(x)
