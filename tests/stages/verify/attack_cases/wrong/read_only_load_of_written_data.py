# task: softmax_neighbours
# expect: refused
# why: __ldg (the non-coherent read-only cache) reads what other threads of the same kernel have written: undefined, it may return stale values
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
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

__global__ void softmax_neighbours(const float* x, float* p, float* y, int cols) {
  __shared__ float red[8];
  const float* row = x + (size_t)blockIdx.x * cols;
  float* prob = p + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 256) m = fmaxf(m, row[c]);
  m = block_max(m, red);
  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 256) s += expf(row[c] - m);
  s = block_sum(s, red);
  for (int c = threadIdx.x; c < cols; c += 256) prob[c] = expf(row[c] - m) / s;
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += 256) {
    int before = c == 0 ? cols - 1 : c - 1;
    out[c] = 0.5f * (__ldg(prob + c) + __ldg(prob + before));
  }
}
torch::Tensor run(torch::Tensor x) {
  auto p = torch::empty_like(x);
  auto y = torch::empty_like(x);
  softmax_neighbours<<<x.size(0), 256>>>(x.data_ptr<float>(), p.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="read_only_load_of_written_data", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
