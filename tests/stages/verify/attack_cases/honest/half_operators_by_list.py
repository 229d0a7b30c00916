# task: ../../tasks/gelu_half
# expect: correct
# why: the flags that take operators and conversions of __half out are removed from torch's own list
import torch
import torch.nn as nn
from torch.utils.cpp_extension import COMMON_NVCC_FLAGS, load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>

__global__ void gelu_tanh(const __half* __restrict__ x, __half* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  const float inner = 0.7978845608028654f * (v + 0.044715f * v * v * v);
  y[i] = __half(0.5f * v) * __half(1.0f + tanhf(inner));
}

torch::Tensor gelu(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = static_cast<int>(x.numel()), blocks = (n + 127) / 128;
  gelu_tanh<<<blocks, 128>>>(reinterpret_cast<const __half*>(x.data_ptr<at::Half>()),
                             reinterpret_cast<__half*>(y.data_ptr<at::Half>()), n);
  return y;
}
"""

for flag in ("-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__"):
    if flag in COMMON_NVCC_FLAGS:
        COMMON_NVCC_FLAGS.remove(flag)

gelu_ext = load_inline(name="gelu_half_plain", cpp_sources="torch::Tensor gelu(torch::Tensor x);",
                       cuda_sources=cuda_src, functions=["gelu"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    """GELU with the tanh approximation, in half precision."""

    def forward(self, x):
        return gelu_ext.gelu(x)
