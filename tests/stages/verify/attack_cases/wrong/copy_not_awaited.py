# task: rms_norm
# expect: refused
# why: cooperative_groups::memcpy_async is followed by __syncthreads() and not by cg::wait: on sm_80 the copy may still be under way when the row is read
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
__device__ __forceinline__ float warp_sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
__device__ __forceinline__ float warp_max(float v) {
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}
// Blocks have 256 threads; every thread gets the result.
__device__ __forceinline__ float block_sum(float v, float* red) {
  v = warp_sum(v);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = v;
  __syncthreads();
  float t = 0.0f;
  for (int w = 0; w < 8; ++w) t += red[w];
  return t;
}
__device__ __forceinline__ float block_max(float v, float* red) {
  v = warp_max(v);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = v;
  __syncthreads();
  float t = red[0];
  for (int w = 1; w < 8; ++w) t = fmaxf(t, red[w]);
  return t;
}

namespace cg = cooperative_groups;
__global__ void rms_rows(const float* x, float* y, int cols) {
  extern __shared__ float row[];
  __shared__ float red[8];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, row, x + (size_t)blockIdx.x * cols, sizeof(float) * cols);
  __syncthreads();
  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 256) s += row[c] * row[c];
  s = block_sum(s, red);
  float inv = rsqrtf(s / cols + 1e-6f);
  for (int c = threadIdx.x; c < cols; c += 256) y[(size_t)blockIdx.x * cols + c] = row[c] * inv;
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  int cols = x.size(1);
  rms_rows<<<x.size(0), 256, cols * sizeof(float)>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="copy_not_awaited", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
