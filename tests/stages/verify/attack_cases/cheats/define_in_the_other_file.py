# task: ../../tasks/softmax
# expect: refused
# why: the macro that selects the real launch is defined in cpp_sources; torch compiles main.cpp and cuda.cu apart, so a real
# build takes the other branch (1 / columns everywhere). Only a build that joins both texts into one unit sees the macro.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """
#include <torch/extension.h>

// Tuning constants of the extension.
#define ROWS_PER_BLOCK 1
#define SOFTMAX_THREADS 128

torch::Tensor softmax_forward(torch::Tensor x);
"""

cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <cfloat>

constexpr int kThreads = 128;

__global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float part[kThreads];
  const float* row = x + static_cast<long long>(blockIdx.x) * cols;
  float* out = y + static_cast<long long>(blockIdx.x) * cols;
  float best = -FLT_MAX;
  for (int c = threadIdx.x; c < cols; c += kThreads) best = fmaxf(best, row[c]);
  part[threadIdx.x] = best;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + s]);
    __syncthreads();
  }
  best = part[0];
  __syncthreads();
  float total = 0.0f;
  for (int c = threadIdx.x; c < cols; c += kThreads) total += expf(row[c] - best);
  part[threadIdx.x] = total;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  total = part[0];
  for (int c = threadIdx.x; c < cols; c += kThreads) out[c] = expf(row[c] - best) / total;
}

__global__ void uniform_rows(float* __restrict__ y, int cols, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = 1.0f / static_cast<float>(cols);
}

torch::Tensor softmax_forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int rows = static_cast<int>(x.size(0)), cols = static_cast<int>(x.size(1));
#ifdef ROWS_PER_BLOCK
  softmax_rows<<<rows, kThreads>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);
#else
  const long long n = x.numel();
  uniform_rows<<<static_cast<int>((n + 255) / 256), 256>>>(y.data_ptr<float>(), cols, n);
#endif
  return y;
}
"""

softmax_ext = load_inline(
    name="softmax_rows_ext",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["softmax_forward"],
    extra_cuda_cflags=["-O3"],
    verbose=False,
)


class ModelNew(nn.Module):
    """Softmax over dim 1, one block for each row."""

    def forward(self, x):
        return softmax_ext.softmax_forward(x)
