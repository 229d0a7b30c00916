# task: ../../tasks/gelu_half
# expect: correct
# why: eight halves at a time through uint4 and half2, arithmetic in float, the tail one by one; alignment is checked.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

gelu_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_fp16.h>

__device__ __forceinline__ float gelu_tanh(float x) {
  const float kAlpha = 0.7978845608028654f;   // sqrt(2 / pi)
  return 0.5f * x * (1.0f + tanhf(kAlpha * (x + 0.044715f * x * x * x)));
}

__device__ __forceinline__ __half2 gelu2(__half2 h) {
  const float2 f = __half22float2(h);
  return __floats2half2_rn(gelu_tanh(f.x), gelu_tanh(f.y));
}

struct alignas(16) Half8 {
  __half2 h[4];
};

__global__ void gelu_half_kernel(const __half* __restrict__ x, __half* __restrict__ y, int64_t n,
                                 int64_t packs) {
  const int64_t id = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = id; i < packs; i += step) {
    Half8 p = reinterpret_cast<const Half8*>(x)[i];
#pragma unroll
    for (int j = 0; j < 4; ++j) p.h[j] = gelu2(p.h[j]);
    reinterpret_cast<Half8*>(y)[i] = p;
  }
  for (int64_t i = packs * 8 + id; i < n; i += step)
    y[i] = __float2half_rn(gelu_tanh(__half2float(x[i])));
}

torch::Tensor gelu_half(torch::Tensor x) {
  TORCH_CHECK(x.scalar_type() == at::ScalarType::Half, "gelu_half takes float16");
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  if (n == 0) return y;
  const auto* in = reinterpret_cast<const __half*>(x.data_ptr<at::Half>());
  auto* out = reinterpret_cast<__half*>(y.data_ptr<at::Half>());
  const bool aligned = ((reinterpret_cast<uintptr_t>(in) | reinterpret_cast<uintptr_t>(out)) & 15) == 0;
  const int64_t packs = aligned ? n / 8 : 0;
  const int64_t items = std::max<int64_t>(packs, n - packs * 8);
  const int blocks = (int)std::min<int64_t>((items + 127) / 128, 65535);
  gelu_half_kernel<<<blocks, 128, 0, at::cuda::getCurrentCUDAStream()>>>(in, out, n, packs);
  return y;
}
"""

gelu = load_inline(name="gelu_half2_wide", cpp_sources="torch::Tensor gelu_half(torch::Tensor x);",
                   cuda_sources=gelu_source, functions=["gelu_half"])


class ModelNew(nn.Module):
    def forward(self, x):
        return gelu.gelu_half(x)
