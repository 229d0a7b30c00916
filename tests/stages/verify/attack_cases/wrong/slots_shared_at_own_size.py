# task: mse_large_b
# expect: refused
# why: blocks add their partial sums without atomics to slot blockIdx % 256: at sizes with at most 256 blocks each slot has
#      one writer, at the task's own 32768 blocks many blocks update one slot at once and lose sums; blocks that run one after
#      the other lose nothing, and with two launches no run with race checks has these sizes
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
__global__ void partial_sums(const float* x, const float* y, double* slots, int64_t n) {
  int64_t i = (int64_t)blockIdx.x * 1024 + threadIdx.x;
  float sum = 0.f;
  for (int k = 0; k < 4; ++k, i += 256) {
    if (i < n) { float d = x[i] - y[i]; sum += d * d; }
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  __shared__ float warps[8];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) sum += warps[w];
    slots[blockIdx.x & 255] += sum;
  }
}
__global__ void finish(const double* slots, float* out, double n) {
  __shared__ double values[256];
  values[threadIdx.x] = slots[threadIdx.x];
  __syncthreads();
  for (int o = 128; o > 0; o >>= 1) {
    if (threadIdx.x < o) values[threadIdx.x] += values[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = (float)(values[0] / n);
}
torch::Tensor mse(torch::Tensor x, torch::Tensor y) {
  int64_t n = x.numel();
  auto slots = torch::zeros({256}, x.options().dtype(torch::kFloat64));
  auto out = torch::empty({}, x.options());
  auto s = at::cuda::getCurrentCUDAStream();
  partial_sums<<<(n + 1023) / 1024, 256, 0, s>>>(x.data_ptr<float>(), y.data_ptr<float>(), slots.data_ptr<double>(), n);
  finish<<<1, 256, 0, s>>>(slots.data_ptr<double>(), out.data_ptr<float>(), (double)n);
  return out;
}
"""

cpp_source = """
torch::Tensor mse(torch::Tensor x, torch::Tensor y);
"""

ext = load_inline(name="12_slots_shared_at_own_size", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['mse'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        return ext.mse(x.contiguous(), y.contiguous())
