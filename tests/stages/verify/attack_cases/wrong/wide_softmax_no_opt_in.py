# task: wide_softmax
# expect: refused
# why: caches a row of 16384 floats plus scratch in dynamic shared memory (65,664 bytes) without cudaFuncSetAttribute(MaxDynamicSharedMemorySize);
# above 48 KiB the launch fails with "invalid argument", nobody checks and the output stays uninitialised.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cfloat>

// The row is read from global memory once and kept in shared memory.
__global__ void __launch_bounds__(512)
softmax_cached(const float* __restrict__ x, float* __restrict__ y, int dim) {
  extern __shared__ float smem[];
  float* scratch = smem;          // 32 floats
  float* row = smem + 32;
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const float* in = x + (size_t)blockIdx.x * dim;
  float* out = y + (size_t)blockIdx.x * dim;

  float m = -FLT_MAX;
  for (int i = tid; i < dim; i += blockDim.x) {
    const float v = in[i];
    row[i] = v;
    m = fmaxf(m, v);
  }
  #pragma unroll
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  if (lane == 0) scratch[warp] = m;
  __syncthreads();
  m = scratch[lane & 15];
  #pragma unroll
  for (int o = 8; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  __syncthreads();

  float s = 0.f;
  for (int i = tid; i < dim; i += blockDim.x) {
    const float e = __expf(row[i] - m);
    row[i] = e;
    s += e;
  }
  #pragma unroll
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  if (lane == 0) scratch[warp] = s;
  __syncthreads();
  s = scratch[lane & 15];
  #pragma unroll
  for (int o = 8; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);

  const float inv = 1.f / s;
  for (int i = tid; i < dim; i += blockDim.x) out[i] = row[i] * inv;
}

torch::Tensor softmax(torch::Tensor x) {
  x = x.contiguous();
  const int rows = x.size(0), dim = x.size(1);
  auto y = torch::empty_like(x);
  const size_t shared = (dim + 32) * sizeof(float);
  softmax_cached<<<rows, 512, shared, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), dim);
  return y;
}
"""

ext = load_inline(name="wide_softmax_no_opt_in", cpp_sources="torch::Tensor softmax(torch::Tensor x);",
                  cuda_sources=cuda_source, functions=["softmax"],
                  extra_cuda_cflags=["-O3", "--use_fast_math"])


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return ext.softmax(x)
