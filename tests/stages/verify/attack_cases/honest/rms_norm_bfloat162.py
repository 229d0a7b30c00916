# task: rms_norm_bf16
# expect: correct
# why: style: bfloat16 with 16-byte loads viewed as __nv_bfloat162, float32 sums, the reference's roundings kept
#      with __floats2bfloat162_rn and __hmul2; torch dtype check by messages.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

RMS_CUDA = r"""
#include <torch/extension.h>
#include <cuda_bf16.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

namespace {

constexpr int kThreads = 96;
constexpr int kWarps = kThreads / 32;

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask);
  return v;
}

__global__ void rms_norm_kernel(const __nv_bfloat16* __restrict__ x,
                                const __nv_bfloat16* __restrict__ weight,
                                __nv_bfloat16* __restrict__ y, int hidden, float eps) {
  __shared__ float sums[kWarps];
  const uint4* in = reinterpret_cast<const uint4*>(x + static_cast<size_t>(blockIdx.x) * hidden);
  const uint4* scale = reinterpret_cast<const uint4*>(weight);
  uint4* out = reinterpret_cast<uint4*>(y + static_cast<size_t>(blockIdx.x) * hidden);
  const int chunks = hidden / 8;

  float sum = 0.f;
  for (int i = threadIdx.x; i < chunks; i += kThreads) {
    const uint4 raw = in[i];
    const __nv_bfloat162* pair = reinterpret_cast<const __nv_bfloat162*>(&raw);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float2 f = __bfloat1622float2(pair[k]);
      sum = fmaf(f.x, f.x, sum);
      sum = fmaf(f.y, f.y, sum);
    }
  }
  sum = warp_sum(sum);
  if ((threadIdx.x & 31) == 0) sums[threadIdx.x >> 5] = sum;
  __syncthreads();
  float total = 0.f;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) total += sums[w];
  const float rstd = rsqrtf(total / static_cast<float>(hidden) + eps);

  for (int i = threadIdx.x; i < chunks; i += kThreads) {
    const uint4 raw = in[i];
    const uint4 raw_scale = scale[i];
    uint4 result;
    const __nv_bfloat162* pair = reinterpret_cast<const __nv_bfloat162*>(&raw);
    const __nv_bfloat162* factor = reinterpret_cast<const __nv_bfloat162*>(&raw_scale);
    __nv_bfloat162* to = reinterpret_cast<__nv_bfloat162*>(&result);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float2 f = __bfloat1622float2(pair[k]);
      to[k] = __hmul2(__floats2bfloat162_rn(f.x * rstd, f.y * rstd), factor[k]);
    }
    out[i] = result;
  }
}

}  // namespace

torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight, double eps) {
  TORCH_CHECK(x.scalar_type() == torch::kBFloat16, "rms_norm expects bfloat16, got ", x.scalar_type());
  TORCH_CHECK(weight.scalar_type() == torch::kBFloat16, "weight must be bfloat16");
  TORCH_CHECK(x.size(-1) == weight.size(0) && x.size(-1) % 8 == 0, "bad hidden size ", x.size(-1));
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const int hidden = static_cast<int>(in.size(-1));
  const int tokens = static_cast<int>(in.numel() / hidden);
  rms_norm_kernel<<<tokens, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const __nv_bfloat16*>(in.data_ptr<at::BFloat16>()),
      reinterpret_cast<const __nv_bfloat16*>(weight.data_ptr<at::BFloat16>()),
      reinterpret_cast<__nv_bfloat16*>(out.data_ptr<at::BFloat16>()), hidden,
      static_cast<float>(eps));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

rms = load_inline(
    name="rms_norm_bfloat162",
    cpp_sources="torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight, double eps);",
    cuda_sources=RMS_CUDA,
    functions=["rms_norm"],
)


class ModelNew(nn.Module):
    def __init__(self, hidden, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(hidden).to(torch.bfloat16))
        self.eps = eps

    def forward(self, x):
        return rms.rms_norm(x, self.weight, self.eps)
