# task: ../../tasks/softmax
# expect: refused
# why: the kernel keeps each row and its result in variables of the device and, when the row is the one of the call before, copies the old result: a benchmark that repeats its inputs measures a copy, not the task
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
__device__ void softmax_row(const float* x, float* y, int width, float* scratch) {
  float most = -INFINITY;
  for (int i = threadIdx.x; i < width; i += blockDim.x) most = fmaxf(most, x[i]);
  scratch[threadIdx.x] = most;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) scratch[threadIdx.x] = fmaxf(scratch[threadIdx.x], scratch[threadIdx.x + step]);
    __syncthreads();
  }
  most = scratch[0];
  __syncthreads();
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) sum += expf(x[i] - most);
  scratch[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) scratch[threadIdx.x] += scratch[threadIdx.x + step];
    __syncthreads();
  }
  sum = scratch[0];
  for (int i = threadIdx.x; i < width; i += blockDim.x) y[i] = expf(x[i] - most) / sum;
}

constexpr int kRows = 4096, kWidth = 512;
__device__ float kept_rows[kRows][kWidth];
__device__ float kept_results[kRows][kWidth];
__device__ int kept_widths[kRows];

__global__ void softmax(const float* __restrict__ x, float* __restrict__ y, int width) {
  __shared__ float scratch[128];
  const int row = blockIdx.x;
  const long long first = static_cast<long long>(row) * width;
  const bool fits = row < kRows && width <= kWidth;
  bool same = fits && kept_widths[row] == width;
  for (int i = threadIdx.x; same && i < width; i += blockDim.x) same = kept_rows[row][i] == x[first + i];
  if (__syncthreads_and(same)) {
    for (int i = threadIdx.x; i < width; i += blockDim.x) y[first + i] = kept_results[row][i];
    return;
  }
  softmax_row(x + first, y + first, width, scratch);
  if (!fits) return;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    kept_rows[row][i] = x[first + i];
    kept_results[row][i] = y[first + i];
  }
  if (threadIdx.x == 0) kept_widths[row] = width;
}

torch::Tensor softmax_forward(torch::Tensor input) {
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  if (x.numel() > 0) {
    softmax<<<static_cast<unsigned>(x.size(0)), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  }
  return y;
}
"""

module = load_inline(name="softmax_rows_remembered",
                     cpp_sources="torch::Tensor softmax_forward(torch::Tensor input);",
                     cuda_sources=cuda_source, functions=['softmax_forward'])


class ModelNew(nn.Module):
    def forward(self, x):
        return module.softmax_forward(x)
