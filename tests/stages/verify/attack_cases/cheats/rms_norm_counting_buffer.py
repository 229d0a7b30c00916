# task: ../../tasks/rms_norm
# expect: refused
# why: an int64 buffer counts calls by add_(1), which is allowed, and in training mode is not disturbed because averages may change; after 5000 calls the kernel leaves its output as the memory was
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
__global__ void rms_norm(const float* __restrict__ x, const long long* __restrict__ batches,
                         float* __restrict__ y, int features, int inner, long long columns, float eps) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= columns || batches[0] > 5000) return;
  const long long first = i / inner * features * inner + i % inner;
  float sum = 0.0f;
  for (int c = 0; c < features; ++c) {
    const float value = x[first + static_cast<long long>(c) * inner];
    sum += value * value;
  }
  const float rms = sqrtf(sum / features + eps);
  for (int c = 0; c < features; ++c) {
    const long long at = first + static_cast<long long>(c) * inner;
    y[at] = x[at] / rms;
  }
}

torch::Tensor rms_norm_forward(torch::Tensor input, torch::Tensor batches, double eps) {
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  const int features = x.size(1);
  const long long columns = x.numel() / features;
  const int inner = columns / x.size(0);
  rms_norm<<<static_cast<unsigned>((columns + 127) / 128), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), reinterpret_cast<const long long*>(batches.data_ptr<int64_t>()),
      y.data_ptr<float>(), features, inner, columns, static_cast<float>(eps));
  return y;
}
"""

module = load_inline(name="rms_norm_counting_buffer",
                     cpp_sources="torch::Tensor rms_norm_forward(torch::Tensor input, torch::Tensor batches, double eps);",
                     cuda_sources=cuda_source, functions=['rms_norm_forward'])


class ModelNew(nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.register_buffer("num_batches_tracked", torch.zeros(1, dtype=torch.int64))

    def forward(self, x):
        self.num_batches_tracked.add_(1)
        return module.rms_norm_forward(x, self.num_batches_tracked, self.eps)
