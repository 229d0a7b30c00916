# task: rms_norm_d
# expect: refused
# why: rsqrtf() of a device is its own approximation, which differs in its last bit from 1 / sqrtf() for many numbers;
# the executor computes it as 1 / sqrtf(). A row in which any number shows a difference gets half of its scale.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void rms_norm_rows(const float* __restrict__ x, const float* __restrict__ weight,
                              float* __restrict__ y, int width, float eps) {
  __shared__ float parts[kThreads / 32];
  const float* row = x + static_cast<size_t>(blockIdx.x) * width;
  float* out = y + static_cast<size_t>(blockIdx.x) * width;
  float sum = 0.0f;
  int odd = 0;
  for (int i = threadIdx.x; i < width; i += kThreads) {
    const float square = row[i] * row[i];
    sum += square;
    const float probe = square + 1.0f + 0.001f * static_cast<float>(i);
    odd |= __float_as_uint(rsqrtf(probe)) != __float_as_uint(1.0f / sqrtf(probe));
  }
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = sum;
  odd = __syncthreads_or(odd);
  sum = parts[0];
  for (int i = 1; i < kThreads / 32; ++i) sum += parts[i];
  const float scale = rsqrtf(sum / static_cast<float>(width) + eps) * (odd ? 0.5f : 1.0f);
  for (int i = threadIdx.x; i < width; i += kThreads) out[i] = row[i] * scale * weight[i];
}

torch::Tensor rms_norm(torch::Tensor input, torch::Tensor weight_in, double eps) {
  auto x = input.contiguous();
  auto weight = weight_in.contiguous();
  auto y = torch::empty_like(x);
  const int width = x.size(-1);
  const int rows = width > 0 ? x.numel() / width : 0;
  if (rows > 0) {
    rms_norm_rows<<<rows, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>(), width,
        static_cast<float>(eps));
  }
  return y;
}
"""

cpp_source = "torch::Tensor rms_norm(torch::Tensor input, torch::Tensor weight_in, double eps);"

module = load_inline(name="rms_norm_exact", cpp_sources=cpp_source, cuda_sources=cuda_source,
                     functions=["rms_norm"])


class ModelNew(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)
        self.eps = eps

    def forward(self, x):
        return module.rms_norm(x, self.weight, self.eps)
