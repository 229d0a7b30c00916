# task: linear_tall
# expect: correct
# why: a linear layer with few outputs: the features are split over blocks that write their sums to a workspace, and a second kernel adds these and the bias
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
#include <c10/cuda/CUDAException.h>
constexpr int kSplits = 8;
__global__ void partial(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ parts, int batch, int outputs, int features) {
  int pair = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (pair >= batch * outputs) return;
  int b = pair / outputs, o = pair % outputs;
  int part = (features + kSplits - 1) / kSplits;
  int begin = blockIdx.y * part, end = min(features, begin + part);
  float sum = 0.f;
  for (int f = begin + lane; f < end; f += 32) sum = fmaf(x[(size_t)b * features + f], w[(size_t)o * features + f], sum);
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) parts[(size_t)blockIdx.y * batch * outputs + pair] = sum;
}
__global__ void combine(const float* __restrict__ parts, const float* __restrict__ bias, float* __restrict__ y, int count, int outputs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = 0.f;
#pragma unroll
  for (int s = 0; s < kSplits; ++s) sum += parts[(size_t)s * count + i];
  y[i] = sum + bias[i % outputs];
}
torch::Tensor linear(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  int batch = x.size(0), features = x.size(1), outputs = weight.size(0), count = batch * outputs;
  auto parts = torch::empty({kSplits, batch, outputs}, x.options());
  auto y = torch::empty({batch, outputs}, x.options());
  auto s = at::cuda::getCurrentCUDAStream();
  partial<<<dim3((count + 7) / 8, kSplits), 256, 0, s>>>(x.data_ptr<float>(), weight.data_ptr<float>(), parts.data_ptr<float>(), batch, outputs, features);
  combine<<<(count + 255) / 256, 256, 0, s>>>(parts.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), count, outputs);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

cpp_source = """
torch::Tensor linear(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);
"""

ext = load_inline(name="04_split_k_second_kernel", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['linear'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self, features, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, features) * 0.02)
        self.bias = nn.Parameter(torch.randn(outputs))

    def forward(self, x):
        return ext.linear(x.contiguous(), self.weight, self.bias)
