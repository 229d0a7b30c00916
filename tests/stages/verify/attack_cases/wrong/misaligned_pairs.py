# task: row_sum_odd
# expect: refused
# why: pairs of floats are loaded as 8 bytes through a volatile pointer; rows have 1023 elements, so every second row starts 4 bytes past a multiple of 8: misaligned address
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

__global__ void row_sum(const float* x, float* y, int cols) {
  __shared__ float red[8];
  const float* row = x + (size_t)blockIdx.x * cols;
  const volatile unsigned long long* pairs = (const volatile unsigned long long*)row;
  float s = 0.0f;
  for (int i = threadIdx.x; i < cols / 2; i += 256) {
    unsigned long long bits = pairs[i];
    s += __uint_as_float((unsigned int)bits) + __uint_as_float((unsigned int)(bits >> 32));
  }
  if (threadIdx.x == 0 && cols % 2 == 1) s += row[cols - 1];
  s = block_sum(s, red);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty({x.size(0)}, x.options());
  row_sum<<<x.size(0), 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="misaligned_pairs", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
