# task: merge_heads
# expect: correct
# why: style: float4 loads and stores, a functor for the work on an element, a small device class for division by
#      constants, 64-bit sizes on the host and unsigned indices on the device.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = "torch::Tensor merge_heads(torch::Tensor x, double scale);"

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cstdint>

struct DivMod {
  unsigned divisor;
  __host__ __device__ explicit DivMod(unsigned d) : divisor(d) {}
  __device__ __forceinline__ void operator()(unsigned n, unsigned* quotient, unsigned* rest) const {
    *quotient = n / divisor;
    *rest = n - *quotient * divisor;
  }
};

struct Scale {
  float factor;
  __device__ __forceinline__ float operator()(float v) const { return v * factor; }
};

template <typename Op>
__global__ void merge_heads_kernel(const float4* __restrict__ x, float4* __restrict__ y, unsigned total4,
                                   DivMod by_width, DivMod by_heads, DivMod by_sequence, Op op) {
  // Walks over the output, so that stores are coalesced.
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < total4; i += gridDim.x * blockDim.x) {
    unsigned rest, d, h, s, b;
    by_width(i, &rest, &d);
    by_heads(rest, &rest, &h);
    by_sequence(rest, &b, &s);
    const unsigned from = ((b * by_heads.divisor + h) * by_sequence.divisor + s) * by_width.divisor + d;
    float4 v = x[from];
    v.x = op(v.x);
    v.y = op(v.y);
    v.z = op(v.z);
    v.w = op(v.w);
    y[i] = v;
  }
}

torch::Tensor merge_heads(torch::Tensor x, double scale) {
  TORCH_CHECK(x.dim() == 4, "expected (batch, heads, sequence, head size)");
  const int64_t b = x.size(0), h = x.size(1), s = x.size(2), d = x.size(3);
  TORCH_CHECK(d % 4 == 0, "head size must be a multiple of 4");
  TORCH_CHECK(x.numel() < (int64_t{1} << 31), "too large for 32-bit indices");
  auto y = torch::empty({b, s, h * d}, x.options());
  const unsigned total4 = static_cast<unsigned>(x.numel() / 4);
  const unsigned blocks = (total4 + 255) / 256;
  merge_heads_kernel<<<blocks, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const float4*>(x.data_ptr<float>()), reinterpret_cast<float4*>(y.data_ptr<float>()), total4,
      DivMod(static_cast<unsigned>(d / 4)), DivMod(static_cast<unsigned>(h)), DivMod(static_cast<unsigned>(s)),
      Scale{static_cast<float>(scale)});
  return y;
}
"""

_merge = load_inline(name="merge_heads_vec4", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["merge_heads"])


class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        return _merge.merge_heads(x.contiguous(), self.scale)
