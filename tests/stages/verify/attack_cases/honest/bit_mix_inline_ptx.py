# task: bit_mix
# expect: correct
# why: style: int32 arithmetic with inline PTX (shr.s32, lop3.b32), int4 vectors with a tail, unsigned additions
#      so that overflow wraps as in torch.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

bits_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cstdint>

__device__ __forceinline__ int shift_right(int v) {
  int r;
  asm("shr.s32 %0, %1, 2;" : "=r"(r) : "r"(v));
  return r;
}

// a ^ b; the third operand does not matter to the table 0x3c.
__device__ __forceinline__ unsigned exclusive_or(unsigned a, unsigned b) {
  unsigned r;
  asm("lop3.b32 %0, %1, %2, %3, 0x3c;" : "=r"(r) : "r"(a), "r"(b), "r"(0u));
  return r;
}

__device__ __forceinline__ int mix(int x, int y) {
  const unsigned h = exclusive_or(static_cast<unsigned>(x), static_cast<unsigned>(y)) << 5;
  const unsigned g = static_cast<unsigned>(shift_right(x & y));
  return static_cast<int>(exclusive_or(h, g) + (static_cast<unsigned>(x) | 1u));
}

__global__ void mix_kernel(const int* __restrict__ x, const int* __restrict__ y, int* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int quads = n >> 2;
  if (i < quads) {
    const int4 a = reinterpret_cast<const int4*>(x)[i];
    const int4 b = reinterpret_cast<const int4*>(y)[i];
    reinterpret_cast<int4*>(out)[i] = make_int4(mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z), mix(a.w, b.w));
  }
  const int rest = n & 3;
  if (i < rest) {
    const int at = (quads << 2) + i;
    out[at] = mix(x[at], y[at]);
  }
}

torch::Tensor bit_mix(torch::Tensor x, torch::Tensor y) {
  TORCH_CHECK(x.scalar_type() == torch::kInt32 && y.scalar_type() == torch::kInt32, "int32 only");
  TORCH_CHECK(x.sizes() == y.sizes(), "shapes differ");
  auto a = x.contiguous(), b = y.contiguous();
  auto out = torch::empty_like(a);
  const int n = static_cast<int>(a.numel());
  const int work = n / 4 + 4;
  mix_kernel<<<(work + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      a.data_ptr<int32_t>(), b.data_ptr<int32_t>(), out.data_ptr<int32_t>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

bits = load_inline(
    name="bit_mix_inline_ptx",
    cpp_sources="torch::Tensor bit_mix(torch::Tensor x, torch::Tensor y);",
    cuda_sources=bits_source,
    functions=["bit_mix"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        return bits.bit_mix(x, y)
