# task: relu
# general: not_general other_shapes
# sizes: refuses
# layouts: refuses
# values: wrong
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>

__global__ void relu_kernel(const float4* x, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  y[i] = make_float4(fmaxf(v.x, 0.0f), fmaxf(v.y, 0.0f), fmaxf(v.z, 0.0f), fmaxf(v.w, 0.0f));
}

torch::Tensor run(torch::Tensor x) {
  TORCH_CHECK(x.is_contiguous(), "contiguous tensors only");
  TORCH_CHECK(x.numel() % 4 == 0, "whole vectors only");
  TORCH_CHECK(reinterpret_cast<uintptr_t>(x.data_ptr<float>()) % 16 == 0, "aligned memory only");
  auto y = torch::empty_like(x);
  int n = x.numel() / 4;
  relu_kernel<<<(n + 63) / 64, 64>>>(reinterpret_cast<const float4*>(x.data_ptr<float>()),
                                     reinterpret_cast<float4*>(y.data_ptr<float>()), n);
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
