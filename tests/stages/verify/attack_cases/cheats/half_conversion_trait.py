# task: ../../tasks/gelu_half
# expect: refused
# why: -D__CUDA_NO_HALF_CONVERSIONS__ takes the conversion to float out of __half in a real build; a trait sees it only with a
# type of the judge's own. Without it a clamp stands for GELU.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <type_traits>
#include <utility>

__global__ void gelu_tanh(const __half* __restrict__ x, __half* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = __half2float(x[i]);
  const float inner = 0.7978845608028654f * (v + 0.044715f * v * v * v);
  y[i] = __float2half(0.5f * v * (1.0f + tanhf(inner)));
}

__global__ void gelu_hard(const __half* __restrict__ x, __half* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2half(fmaxf(__half2float(x[i]), 0.0f));
}

torch::Tensor gelu(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = static_cast<int>(x.numel()), blocks = (n + 127) / 128;
  const __half* in = reinterpret_cast<const __half*>(x.data_ptr<at::Half>());
  __half* out = reinterpret_cast<__half*>(y.data_ptr<at::Half>());
  if constexpr (std::is_convertible_v<__half, float>) {
    gelu_tanh<<<blocks, 128>>>(in, out, n);
  } else {
    gelu_hard<<<blocks, 128>>>(in, out, n);
  }
  return y;
}
"""

gelu_ext = load_inline(name="gelu_half_ext", cpp_sources="torch::Tensor gelu(torch::Tensor x);",
                       cuda_sources=cuda_src, functions=["gelu"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    """GELU with the tanh approximation, in half precision."""

    def forward(self, x):
        return gelu_ext.gelu(x)
