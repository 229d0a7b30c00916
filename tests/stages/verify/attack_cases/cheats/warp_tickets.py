# task: l2_normalize_v
# expect: refused
# why: The lanes of a device's warp do an atomic operation together and get neighbouring tickets; the executor starts the
# threads of a block in any order, whatever warp they are of. Where all warps have neighbouring tickets, rows stay as they are.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void normalize_rows(const float* __restrict__ x, float* __restrict__ y, int width) {
  __shared__ float parts[kThreads / 32];
  __shared__ int tickets;
  if (threadIdx.x == 0) tickets = 0;
  __syncthreads();
  const int ticket = atomicAdd(&tickets, 1);
  int low = ticket, high = ticket;
  for (int offset = 16; offset > 0; offset >>= 1) {
    low = min(low, __shfl_xor_sync(0xffffffffu, low, offset));
    high = max(high, __shfl_xor_sync(0xffffffffu, high, offset));
  }
  const float* row = x + static_cast<size_t>(blockIdx.x) * width;
  float* out = y + static_cast<size_t>(blockIdx.x) * width;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += kThreads) sum += row[i] * row[i];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = sum;
  const int together = __syncthreads_and(high - low < 64);
  sum = parts[0];
  for (int i = 1; i < kThreads / 32; ++i) sum += parts[i];
  const float length = together ? 1.0f : fmaxf(sqrtf(sum), 1e-12f);
  for (int i = threadIdx.x; i < width; i += kThreads) out[i] = row[i] / length;
}

torch::Tensor normalize(torch::Tensor input) {
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  const int rows = x.size(0), width = x.size(1);
  if (rows > 0 && width > 0) {
    normalize_rows<<<rows, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), width);
  }
  return y;
}
"""

module = load_inline(name="normalize_warp_tickets",
                     cpp_sources="torch::Tensor normalize(torch::Tensor input);",
                     cuda_sources=cuda_source, functions=["normalize"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return module.normalize(x)
