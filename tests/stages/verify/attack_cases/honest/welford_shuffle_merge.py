# task: layer_norm_d
# expect: correct
# why: layer norm by Welford's algorithm, one block per row, states merged by shuffles and then in shared memory; right for any scale and order
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
struct Moments { float mean, m2, count; };
__device__ __forceinline__ Moments merge(Moments a, Moments b) {
  float count = a.count + b.count;
  if (count == 0.f) return a;
  float delta = b.mean - a.mean, share = b.count / count;
  return {a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share, count};
}
__device__ __forceinline__ Moments merge_warp(Moments m) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    Moments other{__shfl_xor_sync(0xffffffffu, m.mean, o), __shfl_xor_sync(0xffffffffu, m.m2, o), __shfl_xor_sync(0xffffffffu, m.count, o)};
    m = merge(m, other);
  }
  return m;
}
__global__ void norm_kernel(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias, float* __restrict__ y, int dim) {
  __shared__ Moments parts[8];
  const float* row = x + (size_t)blockIdx.x * dim;
  Moments m{0.f, 0.f, 0.f};
  for (int d = threadIdx.x; d < dim; d += blockDim.x) {
    float v = row[d], delta = v - m.mean;
    m.count += 1.f;
    m.mean += delta / m.count;
    m.m2 += delta * (v - m.mean);
  }
  m = merge_warp(m);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = m;
  __syncthreads();
  m = parts[0];
  for (int w = 1; w < 8; ++w) m = merge(m, parts[w]);
  float scale = rsqrtf(m.m2 / dim + 1e-5f);
  for (int d = threadIdx.x; d < dim; d += blockDim.x)
    y[(size_t)blockIdx.x * dim + d] = (row[d] - m.mean) * scale * weight[d] + bias[d];
}
torch::Tensor layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  int dim = x.size(-1);
  int rows = x.numel() / dim;
  auto y = torch::empty_like(x);
  norm_kernel<<<rows, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), dim);
  return y;
}
"""

cpp_source = """
torch::Tensor layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);
"""

ext = load_inline(name="01_welford_shuffle_merge", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['layer_norm'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(dim))
        self.bias = nn.Parameter(torch.randn(dim))

    def forward(self, x):
        return ext.layer_norm(x.contiguous(), self.weight, self.bias)
