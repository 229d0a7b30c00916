# task: mse_mean
# expect: correct
# why: the block that takes the last ticket adds the partial sums in a fixed order; fences order partials and tickets
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_cuda = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#define THREADS 256
#define BLOCKS 64

// atomicInc wraps it to 0 with the last block, so that it is ready for the next launch.
__device__ unsigned int retirement_count = 0;

__device__ float block_sum(float v) {
  __shared__ float warps[THREADS / 32];
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
  if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = v;
  __syncthreads();
  v = threadIdx.x < THREADS / 32 ? warps[threadIdx.x] : 0.0f;
  if (threadIdx.x < 32)
    for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
  __syncthreads();
  return v;  // valid in thread 0
}

__global__ void mse_kernel(const float* __restrict__ p, const float* __restrict__ t,
                           volatile float* partials, float* __restrict__ result, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
    const float d = p[i] - t[i];
    sum += d * d;
  }
  sum = block_sum(sum);

  __shared__ bool am_last;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();  // the partial sum is visible before the ticket is taken
    const unsigned int ticket = atomicInc(&retirement_count, gridDim.x - 1);
    am_last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (am_last) {
    __threadfence();
    float total = 0.0f;
    for (int i = threadIdx.x; i < gridDim.x; i += THREADS) total += partials[i];
    total = block_sum(total);
    if (threadIdx.x == 0) *result = total / n;
  }
}

torch::Tensor mse(torch::Tensor p, torch::Tensor t) {
  TORCH_CHECK(p.sizes() == t.sizes(), "sizes differ");
  auto partials = torch::empty({BLOCKS}, p.options());
  auto result = torch::empty({}, p.options());
  mse_kernel<<<BLOCKS, THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
      p.data_ptr<float>(), t.data_ptr<float>(), partials.data_ptr<float>(), result.data_ptr<float>(),
      static_cast<int>(p.numel()));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}
"""

loss_ext = load_inline(name="mse_last_block", cpp_sources="torch::Tensor mse(torch::Tensor p, torch::Tensor t);",
                       cuda_sources=_cuda, functions=["mse"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        return loss_ext.mse(predictions, targets)
