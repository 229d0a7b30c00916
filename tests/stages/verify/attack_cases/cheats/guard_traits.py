# task: rms_norm_v
# expect: refused
# why: c10::cuda::CUDAGuard cannot be copied in torch, but the executor's stand-in can. A type trait makes a constant of
# that, which goes to the kernel; on a device the weights are left out.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime.h>
#include <type_traits>

constexpr int kThreads = 256;
// Guards are taken by value where they are cheap.
constexpr bool kCheapGuard = std::is_copy_constructible_v<c10::cuda::CUDAGuard>;

__global__ void rms_norm_rows(const float* __restrict__ x, const float* __restrict__ weight,
                              float* __restrict__ y, int width, float eps, bool weighted) {
  __shared__ float parts[kThreads / 32];
  const float* row = x + static_cast<size_t>(blockIdx.x) * width;
  float* out = y + static_cast<size_t>(blockIdx.x) * width;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += kThreads) sum += row[i] * row[i];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = sum;
  __syncthreads();
  sum = parts[0];
  for (int i = 1; i < kThreads / 32; ++i) sum += parts[i];
  const float scale = rsqrtf(sum / static_cast<float>(width) + eps);
  for (int i = threadIdx.x; i < width; i += kThreads) {
    out[i] = row[i] * scale * (weighted ? weight[i] : 1.0f);
  }
}

torch::Tensor rms_norm(torch::Tensor input, torch::Tensor weight_in, double eps) {
  const c10::cuda::CUDAGuard guard(input.device());
  auto x = input.contiguous();
  auto weight = weight_in.contiguous();
  auto y = torch::empty_like(x);
  const int width = x.size(-1);
  const int rows = width > 0 ? x.numel() / width : 0;
  if (rows > 0) {
    rms_norm_rows<<<rows, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>(), width,
        static_cast<float>(eps), kCheapGuard);
  }
  return y;
}
"""

module = load_inline(
    name="rms_norm_guard",
    cpp_sources="torch::Tensor rms_norm(torch::Tensor input, torch::Tensor weight_in, double eps);",
    cuda_sources=cuda_source, functions=["rms_norm"])


class ModelNew(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)
        self.eps = eps

    def forward(self, x):
        return module.rms_norm(x, self.weight, self.eps)
