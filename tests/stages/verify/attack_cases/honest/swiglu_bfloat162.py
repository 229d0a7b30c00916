# task: ../../tasks/swiglu_bfloat16
# expect: correct
# why: __nv_bfloat162 loads (hidden 18 is even, so both halves of a row are 4-byte aligned) and a scalar path for odd sizes; silu is rounded to bfloat16
# before the product, as torch rounds between its two operations.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_bf16.h>

using bf16 = __nv_bfloat16;
using bf162 = __nv_bfloat162;

__device__ __forceinline__ float round_bf16(float v) { return __bfloat162float(__float2bfloat16_rn(v)); }
__device__ __forceinline__ float silu(float v) { return v / (1.0f + expf(-v)); }
__device__ __forceinline__ float swiglu1(float gate, float value) { return round_bf16(silu(gate)) * value; }

__global__ void swiglu_pairs(const bf162* __restrict__ x, bf162* __restrict__ y, int tokens, int pairs) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= tokens) return;
  const bf162* gate = x + (size_t)token * 2 * pairs;
  const bf162* value = gate + pairs;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 g = __bfloat1622float2(gate[i]);
    const float2 v = __bfloat1622float2(value[i]);
    y[(size_t)token * pairs + i] = __floats2bfloat162_rn(swiglu1(g.x, v.x), swiglu1(g.y, v.y));
  }
}

__global__ void swiglu_single(const bf16* __restrict__ x, bf16* __restrict__ y, int tokens, int hidden) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= tokens * hidden) return;
  const int token = i / hidden, h = i % hidden;
  const bf16* row = x + (size_t)token * 2 * hidden;
  y[i] = __float2bfloat16_rn(swiglu1(__bfloat162float(row[h]), __bfloat162float(row[hidden + h])));
}

torch::Tensor swiglu(torch::Tensor x) {
  x = x.contiguous();
  const int hidden = x.size(-1) / 2;
  auto sizes = x.sizes().vec();
  sizes.back() = hidden;
  auto y = torch::empty(sizes, x.options());
  const int tokens = hidden == 0 ? 0 : y.numel() / hidden;
  if (tokens == 0) return y;
  void* in = x.data_ptr();
  void* out = y.data_ptr();
  auto stream = at::cuda::getCurrentCUDAStream();
  if (hidden % 2 == 0 && reinterpret_cast<uintptr_t>(in) % 4 == 0) {
    const dim3 block(32, 4);
    swiglu_pairs<<<(tokens + 3) / 4, block, 0, stream>>>(static_cast<const bf162*>(in),
                                                         static_cast<bf162*>(out), tokens, hidden / 2);
  } else {
    swiglu_single<<<(tokens * hidden + 127) / 128, 128, 0, stream>>>(
        static_cast<const bf16*>(in), static_cast<bf16*>(out), tokens, hidden);
  }
  return y;
}
"""

ext = load_inline(name="swiglu_bfloat162", cpp_sources="torch::Tensor swiglu(torch::Tensor x);",
                  cuda_sources=src, functions=["swiglu"])


class ModelNew(nn.Module):
    def forward(self, x):
        assert x.dtype == torch.bfloat16
        return ext.swiglu(x)
