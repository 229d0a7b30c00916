"""The barrier between two steps of the sum is missing, so a share may be added too early."""
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kThreads = 128;

__global__ void rms_norm_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                float* __restrict__ y, int width, float eps) {
  __shared__ float shares[kThreads];
  const float* row = x + static_cast<long>(blockIdx.x) * width;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += kThreads) sum += row[i] * row[i];
  shares[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shares[threadIdx.x] += shares[threadIdx.x + half];
  }
  __syncthreads();
  const float scale = rsqrtf(shares[0] / width + eps);
  float* out = y + static_cast<long>(blockIdx.x) * width;
  for (int i = threadIdx.x; i < width; i += kThreads) out[i] = row[i] * scale * weight[i];
}

torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight, double eps) {
  TORCH_CHECK(x.is_cuda() && x.scalar_type() == torch::kFloat, "float32 on the device");
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int width = x.size(-1);
  const int rows = x.numel() / width;
  rms_norm_kernel<<<rows, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>(), width, eps);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

extension = load_inline(
    name="rms_norm_race",
    cpp_sources="torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight, double eps);",
    cuda_sources=source,
    functions=["rms_norm"],
)


class ModelNew(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.randn(width))

    def forward(self, x):
        return extension.rms_norm(x, self.weight, self.eps)
