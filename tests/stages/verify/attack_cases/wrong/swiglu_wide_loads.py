# task: ../../tasks/swiglu_bfloat16
# expect: refused
# why: 8-byte loads of four bfloat16: the value half of a row begins 36 bytes after the gate (hidden 18), which is no multiple of 8, so a real GPU
# stops with "misaligned address" (a CPU would load it).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

swiglu_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_bf16.h>

union Pack { uint2 raw; __nv_bfloat16 v[4]; };

__device__ __forceinline__ float silu(float g) { return g / (1.0f + __expf(-g)); }

__global__ void swiglu_kernel(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y,
                              int hidden) {
  const __nv_bfloat16* gate = x + (size_t)blockIdx.x * 2 * hidden;
  const __nv_bfloat16* value = gate + hidden;
  __nv_bfloat16* out = y + (size_t)blockIdx.x * hidden;

  const int packs = hidden / 4;
  for (int p = threadIdx.x; p < packs; p += blockDim.x) {
    Pack g, v;
    g.raw = reinterpret_cast<const uint2*>(gate)[p];
    v.raw = reinterpret_cast<const uint2*>(value)[p];
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float s = __bfloat162float(__float2bfloat16(silu(__bfloat162float(g.v[i]))));
      out[4 * p + i] = __float2bfloat16(s * __bfloat162float(v.v[i]));
    }
  }
  for (int i = packs * 4 + threadIdx.x; i < hidden; i += blockDim.x) {   // the tail
    const float s = __bfloat162float(__float2bfloat16(silu(__bfloat162float(gate[i]))));
    out[i] = __float2bfloat16(s * __bfloat162float(value[i]));
  }
}

torch::Tensor swiglu(torch::Tensor x) {
  TORCH_CHECK(x.scalar_type() == torch::kBFloat16, "bfloat16 only");
  x = x.contiguous();
  const int hidden = x.size(-1) / 2;
  const int tokens = x.numel() / (2 * hidden);
  auto y = torch::empty({tokens, hidden}, x.options());
  swiglu_kernel<<<tokens, 64, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const __nv_bfloat16*>(x.data_ptr<at::BFloat16>()),
      reinterpret_cast<__nv_bfloat16*>(y.data_ptr<at::BFloat16>()), hidden);
  return y;
}
"""

swiglu = load_inline(name="swiglu_wide_loads", cpp_sources="torch::Tensor swiglu(torch::Tensor x);",
                     cuda_sources=swiglu_src, functions=["swiglu"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x):
        return swiglu.swiglu(x)
