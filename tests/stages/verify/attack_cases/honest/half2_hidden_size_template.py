# task: add_rms_norm_half
# expect: correct
# why: style: kernel specialised for the hidden size by a template and a switch with TORCH_CHECK, eight halves a thread
#      in one int4 read as half2, float32 statistics by shuffles, the reference's roundings kept by __hadd2 and
#      __hmul2; two results.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_fp16.h>

union Pack {
  int4 raw;
  __half2 h[4];
};

template <int HIDDEN>
__global__ void __launch_bounds__(HIDDEN / 8)
add_rms_norm_kernel(const __half* __restrict__ x, const __half* __restrict__ res, const __half* __restrict__ weight,
                    __half* __restrict__ y, __half* __restrict__ sum_out, float eps) {
  static_assert(HIDDEN % 256 == 0 && HIDDEN / 8 <= 1024, "whole warps of 8 elements a thread");
  constexpr int kThreads = HIDDEN / 8;
  constexpr int kWarps = kThreads / 32;
  __shared__ float warp_sums[kWarps];

  const size_t offset = static_cast<size_t>(blockIdx.x) * HIDDEN;
  Pack a, b;
  a.raw = reinterpret_cast<const int4*>(x + offset)[threadIdx.x];
  b.raw = reinterpret_cast<const int4*>(res + offset)[threadIdx.x];
  float squares = 0.f;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    a.h[i] = __hadd2(a.h[i], b.h[i]);
    const float2 f = __half22float2(a.h[i]);
    squares += f.x * f.x + f.y * f.y;
  }
  reinterpret_cast<int4*>(sum_out + offset)[threadIdx.x] = a.raw;

#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) squares += __shfl_xor_sync(0xffffffffu, squares, mask);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = squares;
  __syncthreads();
  float total = 0.f;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) total += warp_sums[w];
  const float scale = rsqrtf(total / HIDDEN + eps);

  Pack w, out;
  w.raw = reinterpret_cast<const int4*>(weight)[threadIdx.x];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 f = __half22float2(a.h[i]);
    out.h[i] = __hmul2(__floats2half2_rn(f.x * scale, f.y * scale), w.h[i]);
  }
  reinterpret_cast<int4*>(y + offset)[threadIdx.x] = out.raw;
}

std::vector<torch::Tensor> add_rms_norm(torch::Tensor x, torch::Tensor res, torch::Tensor weight, double eps) {
  TORCH_CHECK(x.is_contiguous() && res.is_contiguous(), "inputs must be contiguous");
  TORCH_CHECK(x.scalar_type() == torch::kHalf, "half only");
  TORCH_CHECK(x.sizes() == res.sizes(), "shapes differ");
  const int rows = x.size(0), hidden = x.size(1);
  TORCH_CHECK(weight.numel() == hidden, "weight must have ", hidden, " elements");
  auto y = torch::empty_like(x), sum = torch::empty_like(x);
  auto stream = at::cuda::getCurrentCUDAStream();
  auto half_ptr = [](const torch::Tensor& t) { return reinterpret_cast<__half*>(t.data_ptr<at::Half>()); };
#define CASE(H)                                                                                             \
  case H:                                                                                                   \
    add_rms_norm_kernel<H><<<rows, H / 8, 0, stream>>>(half_ptr(x), half_ptr(res), half_ptr(weight),        \
                                                       half_ptr(y), half_ptr(sum), static_cast<float>(eps)); \
    break;
  switch (hidden) {
    CASE(512)
    CASE(1024)
    CASE(2048)
    default:
      TORCH_CHECK(false, "hidden size ", hidden, " is not instantiated");
  }
#undef CASE
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {y, sum};
}
"""

_CPP = """
#include <vector>
std::vector<torch::Tensor> add_rms_norm(torch::Tensor x, torch::Tensor res, torch::Tensor weight, double eps);
"""

_ops = load_inline(name="add_rms_norm_half2", cpp_sources=_CPP, cuda_sources=_CUDA, functions=["add_rms_norm"],
                   extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, hidden, eps):
        super().__init__()
        self.weight = nn.Parameter((torch.rand(hidden) + 0.5).half())
        self.eps = eps

    def forward(self, x, residual):
        y, h = _ops.add_rms_norm(x, residual, self.weight, self.eps)
        return y, h
