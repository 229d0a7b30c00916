# task: square_error
# expect: correct
# why: a registry class keeps a scratch buffer for each device and size in a dict, a property says the blocks of the current card, and a last-block pattern with an atomic ticket ends the sum in one launch
import math
from collections import OrderedDict

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CPP = "torch::Tensor mean_square(torch::Tensor a, torch::Tensor b, torch::Tensor partial, torch::Tensor ticket);"
CUDA = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

template <int THREADS>
__device__ float block_sum(float value) {
  __shared__ float parts[THREADS / 32];
  __shared__ float result;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) parts[warp] = value;
  __syncthreads();
  if (warp == 0) {
    float part = lane < THREADS / 32 ? parts[lane] : 0.0f;
    part = warp_sum(part);
    if (lane == 0) result = part;
  }
  __syncthreads();
  const float sum = result;
  __syncthreads();
  return sum;
}

constexpr int kThreads = 256;

__global__ void mean_square_kernel(const float* a, const float* b, float* partial, unsigned* ticket,
                                   float* out, int64_t n) {
  __shared__ bool last;
  float sum = 0.0f;
  for (int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x; i < n; i += (int64_t)gridDim.x * kThreads) {
    const float d = a[i] - b[i];
    sum += d * d;
  }
  sum = block_sum<kThreads>(sum);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  sum = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x; i += kThreads) sum += reinterpret_cast<volatile float*>(partial)[i];
  sum = block_sum<kThreads>(sum);
  if (threadIdx.x == 0) {
    out[0] = sum / n;
    *ticket = 0;
  }
}

torch::Tensor mean_square(torch::Tensor a, torch::Tensor b, torch::Tensor partial, torch::Tensor ticket) {
  auto out = torch::empty({}, a.options());
  mean_square_kernel<<<partial.numel(), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), partial.data_ptr<float>(),
      reinterpret_cast<unsigned*>(ticket.data_ptr<int>()), out.data_ptr<float>(), a.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""
ext = load_inline(name="mean_square_ext", cpp_sources=CPP, cuda_sources=CUDA, functions=["mean_square"])


class Scratch:
    """Buffers by device and number of blocks."""

    def __init__(self):
        self._buffers = OrderedDict()

    def blocks(self, n, device):
        processors = torch.cuda.get_device_properties(device).multi_processor_count
        return max(1, min(math.ceil(n / 1024), 2 * processors))

    def get(self, n, device):
        key = (str(device), self.blocks(n, device))
        try:
            return self._buffers[key]
        except KeyError:
            self._buffers[key] = (torch.empty(key[1], device=device, dtype=torch.float32),
                                  torch.zeros(1, device=device, dtype=torch.int32))
        return self._buffers[key]


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scratch = Scratch()

    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        partial, ticket = self.scratch.get(a.numel(), a.device)
        return ext.mean_square(a, b, partial, ticket)
