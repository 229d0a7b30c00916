# task: argmax_large
# expect: refused
# why: the index of the maximum is kept as a float between the two kernels: odd indices beyond 2^24 cannot be represented, and the own length is 2^27
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r'''
#include <torch/extension.h>
#include <cuda_runtime.h>
__device__ __forceinline__ void better(float v, float i, float* best, float* at) {
  if (v > *best || (v == *best && i < *at)) {
    *best = v;
    *at = i;
  }
}
__device__ void block_best(float* best, float* at, float* values, float* places) {
  values[threadIdx.x] = *best;
  places[threadIdx.x] = *at;
  __syncthreads();
  for (int o = 128; o > 0; o >>= 1) {
    if (threadIdx.x < o) {
      better(values[threadIdx.x + o], places[threadIdx.x + o], best, at);
      values[threadIdx.x] = *best;
      places[threadIdx.x] = *at;
    }
    __syncthreads();
  }
}
__global__ void best_of_blocks(const float* x, float2* found, long n) {
  __shared__ float values[256], places[256];
  float best = -INFINITY, at = INFINITY;
  for (long i = (long)blockIdx.x * 256 + threadIdx.x; i < n; i += (long)gridDim.x * 256) better(x[i], (float)i, &best, &at);
  block_best(&best, &at, values, places);
  if (threadIdx.x == 0) found[blockIdx.x] = make_float2(best, at);
}
__global__ void best_of_all(const float2* found, int64_t* y, int blocks) {
  __shared__ float values[256], places[256];
  float best = -INFINITY, at = INFINITY;
  for (int b = threadIdx.x; b < blocks; b += 256) better(found[b].x, found[b].y, &best, &at);
  block_best(&best, &at, values, places);
  if (threadIdx.x == 0) *y = (int64_t)at;
}
torch::Tensor run(torch::Tensor x) {
  long n = x.numel();
  int blocks = (int)std::min<long>((n + 255) / 256, 1024);
  auto found = torch::empty({blocks, 2}, x.options());
  auto y = torch::empty({}, x.options().dtype(torch::kInt64));
  best_of_blocks<<<blocks, 256>>>(x.data_ptr<float>(), reinterpret_cast<float2*>(found.data_ptr<float>()), n);
  best_of_all<<<1, 256>>>(reinterpret_cast<const float2*>(found.data_ptr<float>()), y.data_ptr<int64_t>(), blocks);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x);
'''

extension = load_inline(name="index_kept_as_float", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x)
