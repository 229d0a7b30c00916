# task: layer_norm
# expect: refused
# why: the statistics are computed in a non-blocking stream and used in the default stream, and nothing orders the two launches
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

__global__ void statistics(const float* x, float* mean, float* rstd, int cols) {
  __shared__ float red[8];
  const float* row = x + (size_t)blockIdx.x * cols;
  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 256) s += row[c];
  float mu = block_sum(s, red) / cols;
  float v = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 256) v += (row[c] - mu) * (row[c] - mu);
  float var = block_sum(v, red) / cols;
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = mu;
    rstd[blockIdx.x] = rsqrtf(var + 1e-5f);
  }
}
__global__ void normalize(const float* x, const float* mean, const float* rstd, const float* weight, const float* bias, float* y, int cols, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int r = i / cols, c = i % cols;
  y[i] = (x[i] - mean[r]) * rstd[r] * weight[c] + bias[c];
}
torch::Tensor run(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  static cudaStream_t side = nullptr;
  if (side == nullptr) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  int rows = x.size(0), cols = x.size(1), n = x.numel();
  auto y = torch::empty_like(x);
  auto mean = torch::empty({rows}, x.options());
  auto rstd = torch::empty({rows}, x.options());
  statistics<<<rows, 256, 0, side>>>(x.data_ptr<float>(), mean.data_ptr<float>(), rstd.data_ptr<float>(), cols);
  normalize<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), mean.data_ptr<float>(), rstd.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), cols, n);
  return y;
}
'''

cpp_source = r'''
torch::Tensor run(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);
'''

extension = load_inline(name="unordered_streams", cpp_sources=cpp_source, cuda_sources=cuda_source,
                        functions=['run'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return extension.run(x, self.norm.weight, self.norm.bias)
