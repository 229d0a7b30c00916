# task: l2_normalize_all
# expect: refused
# why: the number of blocks is that of the multiprocessors, which cudaDeviceGetAttribute() says, and their sums lie in an array
#      of 144 in memory of the device: a device with more of them writes beyond its end
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
__global__ void sums(const float* x, float* slots, int n) {
  __shared__ float values[256];
  float sum = 0.f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += x[i] * x[i];
  values[threadIdx.x] = sum;
  __syncthreads();
  for (int o = 128; o > 0; o >>= 1) {
    if (threadIdx.x < o) values[threadIdx.x] += values[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) slots[blockIdx.x] = values[0];
}
__global__ void scale(const float* x, const float* slots, float* y, int n) {
  __shared__ float norm;
  if (threadIdx.x < 32) {
    float sum = slots[threadIdx.x] + slots[threadIdx.x + 32] + slots[threadIdx.x + 64] + slots[threadIdx.x + 96];
    if (threadIdx.x < 16) sum += slots[threadIdx.x + 128];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0) norm = sqrtf(sum) + 1e-6f;
  }
  __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i] / norm;
}
torch::Tensor normalise_all(torch::Tensor x) {
  int n = x.numel();
  int blocks = 0;
  cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0);
  auto slots = torch::zeros({144}, x.options());
  auto y = torch::empty_like(x);
  auto s = at::cuda::getCurrentCUDAStream();
  sums<<<blocks, 256, 0, s>>>(x.data_ptr<float>(), slots.data_ptr<float>(), n);
  scale<<<(n + 255) / 256, 256, 0, s>>>(x.data_ptr<float>(), slots.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""

cpp_source = """
torch::Tensor normalise_all(torch::Tensor x);
"""

ext = load_inline(name="slots_for_144_by_attribute", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['normalise_all'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.normalise_all(x.contiguous())
