# task: mean_large
# expect: refused
# why: the second kernel has 1024 threads and no loop, but 4096 blocks leave a partial sum each at the task's own length: three quarters of the sum are missing
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

__global__ void partial_sums(const float* x, float* partial, long n) {
  __shared__ float red[8];
  float s = 0.0f;
  for (long i = (long)blockIdx.x * 256 + threadIdx.x; i < n; i += (long)gridDim.x * 256) s += x[i];
  s = block_sum(s, red);
  if (threadIdx.x == 0) partial[blockIdx.x] = s;
}
__global__ void final_mean(const float* partial, float* y, int parts, long n) {
  __shared__ float warps[32];
  float s = threadIdx.x < parts ? partial[threadIdx.x] : 0.0f;
  s = warp_sum(s);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = warp_sum(warps[threadIdx.x]);
    if (threadIdx.x == 0) *y = s / (float)n;
  }
}
torch::Tensor run(torch::Tensor x) {
  long n = x.numel();
  int parts = (int)std::min<long>((n + 255) / 256, 4096);
  auto partial = torch::empty({parts}, x.options());
  auto y = torch::empty({}, x.options());
  partial_sums<<<parts, 256>>>(x.data_ptr<float>(), partial.data_ptr<float>(), n);
  final_mean<<<1, 1024>>>(partial.data_ptr<float>(), y.data_ptr<float>(), parts, n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="first_1024_partials", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
