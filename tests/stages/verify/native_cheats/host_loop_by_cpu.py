# task: relu
# verdict: illegal data_on_host
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void copy_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

torch::Tensor copied(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  int n = x.numel();
  copy_kernel<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}

torch::Tensor clamped(torch::Tensor x) {
  auto values = x.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i) values[i] = values[i] > 0 ? values[i] : 0;
  return x;
}
"""

ext = load_inline(
    name="ext",
    cpp_sources="torch::Tensor copied(torch::Tensor x); torch::Tensor clamped(torch::Tensor x);",
    cuda_sources=source,
    functions=["copied", "clamped"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.copied(ext.clamped(ext.copied(x).cpu()).cuda())
