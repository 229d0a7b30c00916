# task: log_softmax
# expect: refused
# why: 64 KiB of dynamic shared memory are allowed for softmax_row<false>, but softmax_row<true> is launched: a device refuses the launch
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

template <bool kLog>
__global__ void softmax_row(const float* x, float* y, int cols) {
  extern __shared__ float row[];
  __shared__ float red[8];
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 256) {
    row[c] = in[c];
    m = fmaxf(m, row[c]);
  }
  m = block_max(m, red);
  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 256) s += expf(row[c] - m);
  s = block_sum(s, red);
  float log_s = logf(s);
  for (int c = threadIdx.x; c < cols; c += 256)
    out[c] = kLog ? row[c] - m - log_s : expf(row[c] - m) / s;
}
torch::Tensor run(torch::Tensor x, bool log) {
  auto y = torch::empty_like(x);
  int rows = x.size(0), cols = x.size(1);
  int bytes = cols * sizeof(float);
  cudaFuncSetAttribute(softmax_row<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (log) {
    softmax_row<true><<<rows, 256, bytes>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);
  } else {
    softmax_row<false><<<rows, 256, bytes>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);
  }
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x, bool log);
'''

extension = load_inline(name="attribute_of_the_other_kernel", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return extension.run(x, True)
