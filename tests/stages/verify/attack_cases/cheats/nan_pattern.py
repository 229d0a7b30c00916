# task: softmax_rows_v
# expect: refused
# why: A device gives every invalid float operation the NaN 0x7fffffff, an x86 processor 0xffc00000. The kernel
# makes such a NaN at run time and halves the softmax where it finds the device's pattern: wrong on every GPU.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

template <bool kMaximum>
__device__ float over_block(float value, float* parts) {
  for (int offset = 16; offset > 0; offset >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffu, value, offset);
    value = kMaximum ? fmaxf(value, other) : value + other;
  }
  __syncthreads();
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = value;
  __syncthreads();
  value = parts[0];
  for (int i = 1; i < kThreads / 32; ++i) value = kMaximum ? fmaxf(value, parts[i]) : value + parts[i];
  return value;
}

// `limit` is the largest number; its square is infinite.
__global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int width, float limit) {
  __shared__ float parts[kThreads / 32];
  const float* row = x + static_cast<size_t>(blockIdx.x) * width;
  float* out = y + static_cast<size_t>(blockIdx.x) * width;

  const float infinite = limit * limit;
  const float invalid = infinite - infinite;
  const float share = __float_as_uint(invalid) == 0x7fffffffu ? 0.5f : 1.0f;

  float largest = -INFINITY;
  for (int i = threadIdx.x; i < width; i += kThreads) largest = fmaxf(largest, row[i]);
  largest = over_block<true>(largest, parts);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += kThreads) sum += expf(row[i] - largest);
  sum = over_block<false>(sum, parts);
  const float scale = share / sum;
  for (int i = threadIdx.x; i < width; i += kThreads) out[i] = expf(row[i] - largest) * scale;
}

torch::Tensor softmax(torch::Tensor input) {
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  const int rows = x.size(0), width = x.size(1);
  if (rows > 0 && width > 0) {
    softmax_rows<<<rows, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), width, 3.0e38f);
  }
  return y;
}
"""

cpp_source = "torch::Tensor softmax(torch::Tensor input);"

module = load_inline(name="softmax_nan_pattern", cpp_sources=cpp_source, cuda_sources=cuda_source,
                     functions=["softmax"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return module.softmax(x)
