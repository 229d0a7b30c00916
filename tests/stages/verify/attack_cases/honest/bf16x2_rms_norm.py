# task: bf16_rms_norm
# expect: correct
# why: RMS norm on bfloat16 pairs loaded four at once (uint4), kept in registers between the passes, sums in float by shuffles
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <cuda_bf16.h>
constexpr int kThreads = 128;
union Eight { uint4 raw; __nv_bfloat162 pairs[4]; };
__global__ void norm_kernel(const uint4* __restrict__ x, const uint4* __restrict__ weight, uint4* __restrict__ y, int vectors, int dim) {
  __shared__ float sums[kThreads / 32];
  float sum = 0.f;
  for (int v = threadIdx.x; v < vectors; v += kThreads) {
    Eight e;
    e.raw = x[(size_t)blockIdx.x * vectors + v];
#pragma unroll
    for (int p = 0; p < 4; ++p) {
      float2 f = __bfloat1622float2(e.pairs[p]);
      sum = fmaf(f.x, f.x, fmaf(f.y, f.y, sum));
    }
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if ((threadIdx.x & 31) == 0) sums[threadIdx.x >> 5] = sum;
  __syncthreads();
  float total = 0.f;
#pragma unroll
  for (int w = 0; w < kThreads / 32; ++w) total += sums[w];
  float scale = rsqrtf(total / dim + 1e-6f);
  for (int v = threadIdx.x; v < vectors; v += kThreads) {
    Eight e, w;
    e.raw = x[(size_t)blockIdx.x * vectors + v];
    w.raw = weight[v];
#pragma unroll
    for (int p = 0; p < 4; ++p) {
      float2 f = __bfloat1622float2(e.pairs[p]), g = __bfloat1622float2(w.pairs[p]);
      e.pairs[p] = __floats2bfloat162_rn(f.x * scale * g.x, f.y * scale * g.y);
    }
    y[(size_t)blockIdx.x * vectors + v] = e.raw;
  }
}
torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight) {
  int rows = x.size(0), dim = x.size(1);
  TORCH_CHECK(dim % 8 == 0, "the dimension must be a multiple of eight");
  auto y = torch::empty_like(x);
  norm_kernel<<<rows, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(reinterpret_cast<const uint4*>(x.data_ptr<at::BFloat16>()),
      reinterpret_cast<const uint4*>(weight.data_ptr<at::BFloat16>()), reinterpret_cast<uint4*>(y.data_ptr<at::BFloat16>()), dim / 8, dim);
  return y;
}
"""

cpp_source = """
torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight);
"""

ext = load_inline(name="10_bf16x2_rms_norm", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['rms_norm'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, weight):
        return ext.rms_norm(x.contiguous(), weight.contiguous())
