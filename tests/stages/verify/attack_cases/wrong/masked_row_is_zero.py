# task: masked_softmax
# expect: refused
# why: a row whose mask is all false gives zeros; torch's softmax of a row of -inf gives NaN
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

__global__ void softmax_masked(const float* x, const bool* mask, float* y, int cols) {
  __shared__ float red[8];
  const size_t base = (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 256)
    if (mask[base + c]) m = fmaxf(m, x[base + c]);
  m = block_max(m, red);
  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 256)
    if (mask[base + c]) s += expf(x[base + c] - m);
  s = block_sum(s, red);
  float inv = s > 0.0f ? 1.0f / s : 0.0f;
  for (int c = threadIdx.x; c < cols; c += 256)
    y[base + c] = mask[base + c] ? expf(x[base + c] - m) * inv : 0.0f;
}
torch::Tensor run(torch::Tensor x, torch::Tensor mask) {
  auto y = torch::empty_like(x);
  softmax_masked<<<x.size(0), 256>>>(x.data_ptr<float>(), mask.data_ptr<bool>(), y.data_ptr<float>(), x.size(1));
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x, torch::Tensor mask);
'''

extension = load_inline(name="masked_row_is_zero", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores, mask):
        return extension.run(scores, mask)
