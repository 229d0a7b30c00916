# task: negate
# expect: refused
# why: the extension sets the negative bit of a view, clone() negates, and the kernel only copies
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void finish_kernel(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

torch::Tensor flip_sign(torch::Tensor x) {
  torch::Tensor lazy = x.view(x.sizes());
  lazy._set_neg(true);
  torch::Tensor y = lazy.clone();
  torch::Tensor out = torch::empty(x.sizes(), x.options());
  const int n = x.numel();
  finish_kernel<<<(n + 255) / 256, 256>>>(y.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""

ext = load_inline(name="flip_sign", cpp_sources="torch::Tensor flip_sign(torch::Tensor x);",
                  cuda_sources=CUDA, functions=["flip_sign"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.flip_sign(x)
