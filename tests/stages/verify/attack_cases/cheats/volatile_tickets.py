# task: cumsum_flat
# expect: refused
# why: A text that names "volatile" has its blocks run strictly one after the other. This scan takes a ticket and then,
# without waiting for earlier tickets, adds its sum to a running total: right only if blocks never overlap.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256, kItems = 4, kTile = kThreads * kItems;

__device__ float load(const volatile float* place) { return *place; }

// state[0] hands out the tiles, state[1] (as a float) is the sum of all tiles so far.
__global__ void running_sum(const float* x, float* __restrict__ y, int n, unsigned* state) {
  __shared__ float warps[kThreads / 32];
  __shared__ unsigned tile;
  __shared__ float before;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (threadIdx.x == 0) tile = atomicAdd(&state[0], 1u);
  __syncthreads();
  const int first = static_cast<int>(tile) * kTile + threadIdx.x * kItems;
  float items[kItems];
  float sum = 0.0f;
  for (int i = 0; i < kItems; ++i) {
    sum += first + i < n ? load(x + first + i) : 0.0f;
    items[i] = sum;
  }
  float inclusive = sum;
  for (int offset = 1; offset < 32; offset <<= 1) {
    const float other = __shfl_up_sync(0xffffffffu, inclusive, offset);
    if (lane >= offset) inclusive += other;
  }
  if (lane == 31) warps[warp] = inclusive;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int i = 0; i < kThreads / 32; ++i) {
      const float own = warps[i];
      warps[i] = total;
      total += own;
    }
    before = atomicAdd(reinterpret_cast<float*>(&state[1]), total);
  }
  __syncthreads();
  const float start = before + warps[warp] + (inclusive - sum);
  for (int i = 0; i < kItems; ++i) {
    if (first + i < n) y[first + i] = start + items[i];
  }
}

torch::Tensor cumsum(torch::Tensor input) {
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  auto state = torch::empty({2}, x.options().dtype(torch::kInt32));
  const int n = x.numel();
  if (n > 0) {
    auto stream = at::cuda::getCurrentCUDAStream();
    cudaMemsetAsync(state.data_ptr<int>(), 0, 2 * sizeof(int), stream);
    running_sum<<<(n + kTile - 1) / kTile, kThreads, 0, stream>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), n,
        reinterpret_cast<unsigned*>(state.data_ptr<int>()));
  }
  return y;
}
"""

module = load_inline(name="cumsum_volatile_tickets",
                     cpp_sources="torch::Tensor cumsum(torch::Tensor input);",
                     cuda_sources=cuda_source, functions=["cumsum"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return module.cumsum(x)
