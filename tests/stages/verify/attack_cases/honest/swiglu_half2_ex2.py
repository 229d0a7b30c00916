# task: swiglu_half
# expect: correct
# why: style: half2 loads and intrinsics, exponential by inline PTX ex2.approx.ftz.f32, __frcp_rn instead of a
#      division, SiLU rounded to half before __hmul2 as in the reference; --use_fast_math.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

swiglu_src = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_fp16.h>

__device__ __forceinline__ float exp2_fast(float v) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}

__device__ __forceinline__ float silu(float v) {
  const float e = exp2_fast(-1.4426950408889634f * v);  // exp(-v); infinite for very negative v
  return v * __frcp_rn(1.0f + e);
}

__global__ void swiglu_kernel(const half2* __restrict__ x, half2* __restrict__ y, int tokens, int pairs) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  const int token = blockIdx.y;
  if (p >= pairs) return;
  const half2* row = x + static_cast<size_t>(token) * 2 * pairs;
  const float2 a = __half22float2(row[p]);
  const half2 b = row[pairs + p];
  const half2 gate = __floats2half2_rn(silu(a.x), silu(a.y));
  y[static_cast<size_t>(token) * pairs + p] = __hmul2(gate, b);
}

torch::Tensor swiglu(torch::Tensor x) {
  TORCH_CHECK(x.scalar_type() == at::ScalarType::Half, "swiglu: half precision only");
  const int64_t width = x.size(-1);
  TORCH_CHECK(width % 4 == 0, "swiglu: the hidden size must be even");
  x = x.contiguous();
  const int64_t tokens = x.numel() / width;
  TORCH_CHECK(tokens <= 65535, "swiglu: too many tokens");
  auto shape = x.sizes().vec();
  shape.back() = width / 2;
  auto y = torch::empty(shape, x.options());
  const int pairs = static_cast<int>(width / 4);
  const dim3 grid((pairs + 127) / 128, static_cast<unsigned>(tokens));
  swiglu_kernel<<<grid, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const half2*>(x.data_ptr<at::Half>()), reinterpret_cast<half2*>(y.data_ptr<at::Half>()),
      static_cast<int>(tokens), pairs);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

swiglu_ext = load_inline(
    name="swiglu_half2_ex2",
    cpp_sources="torch::Tensor swiglu(torch::Tensor x);",
    cuda_sources=swiglu_src,
    functions=["swiglu"],
    extra_cuda_cflags=["-O3", "--use_fast_math"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return swiglu_ext.swiglu(x)
