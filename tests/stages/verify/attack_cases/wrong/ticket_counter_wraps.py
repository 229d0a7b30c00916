# task: energy
# expect: refused
# why: the ticket counter is kept between calls and wraps at 65536, which is no multiple of the 48 blocks: from call 1366 on the wrong block is taken for the last
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

__device__ unsigned int tickets = 0;
__global__ void energy(const float* x, float* partial, float* y, int cols, int rows) {
  __shared__ float red[8];
  __shared__ bool last;
  int first = blockIdx.x * 16, end = min(first + 16, rows);
  float s = 0.0f;
  for (int i = first * cols + threadIdx.x; i < end * cols; i += 256) s += x[i] * x[i];
  s = block_sum(s, red);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s;
    __threadfence();
    unsigned int ticket = atomicInc(&tickets, 65535u);
    last = ticket % gridDim.x == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  float t = 0.0f;
  for (int b = threadIdx.x; b < gridDim.x; b += 256) t += partial[b];
  t = block_sum(t, red);
  if (threadIdx.x == 0) *y = t / ((float)rows * cols);
}
torch::Tensor run(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1), blocks = (rows + 15) / 16;
  auto partial = torch::empty({blocks}, x.options());
  auto y = torch::empty({}, x.options());
  energy<<<blocks, 256>>>(x.data_ptr<float>(), partial.data_ptr<float>(), y.data_ptr<float>(), cols, rows);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="ticket_counter_wraps", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
