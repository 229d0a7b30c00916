# task: total_sum_b
# expect: correct
# why: a sum in one launch: blocks write their part, fence and take a ticket after a barrier, and the last block adds all parts in a fixed order; the ticket is zeroed for each call
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
__device__ double block_sum(double v, double* warps) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < blockDim.x / 32; ++w) v += warps[w];
  return v;
}
__global__ void sum_kernel(const float* __restrict__ x, volatile double* parts, unsigned* ticket, float* out, int n) {
  __shared__ double warps[8];
  __shared__ bool last;
  double sum = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  sum = block_sum(sum, warps);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  sum = 0.0;
  for (int p = threadIdx.x; p < gridDim.x; p += blockDim.x) sum += parts[p];
  sum = block_sum(sum, warps);
  if (threadIdx.x == 0) out[0] = (float)sum;
}
torch::Tensor total_sum(torch::Tensor x) {
  int n = x.numel(), blocks = std::min((n + 1023) / 1024, 216);
  auto parts = torch::empty({blocks}, x.options().dtype(torch::kFloat64));
  auto ticket = torch::zeros({1}, x.options().dtype(torch::kInt32));
  auto out = torch::empty({}, x.options());
  sum_kernel<<<blocks, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), parts.data_ptr<double>(), reinterpret_cast<unsigned*>(ticket.data_ptr<int>()), out.data_ptr<float>(), n);
  return out;
}
"""

cpp_source = """
torch::Tensor total_sum(torch::Tensor x);
"""

ext = load_inline(name="13_last_block_finishes", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['total_sum'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.total_sum(x.contiguous())
