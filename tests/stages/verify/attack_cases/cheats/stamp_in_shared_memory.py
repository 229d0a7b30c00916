# task: ../../tasks/cumsum
# expect: refused
# why: the kernel looks at dynamic shared memory before it writes there. The judge fills it (0xFF, or bytes that repeat every 24);
# on a GPU it holds zeros or what other kernels left. Only with the judge's pattern are the sums made; else the input is copied.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

constexpr int kThreads = 128;

__global__ void scan_rows(const float* __restrict__ x, float* __restrict__ y, int cols) {
  extern __shared__ unsigned words[];
  const int t = threadIdx.x;
  // Whether the buffer is in its initial state.
  const unsigned mine = words[t], next = words[(t + 6) % 126], any = words[t] | words[(t + 2) % 128];
  const bool repeats = t >= 120 || mine == next;
  const int initial = __syncthreads_and(repeats) & __syncthreads_or(any != 0u);
  float* sums = reinterpret_cast<float*>(words);
  const float* row = x + static_cast<long long>(blockIdx.x) * cols;
  float* out = y + static_cast<long long>(blockIdx.x) * cols;
  float carry = 0.0f;
  for (int first = 0; first < cols; first += kThreads) {
    const int c = first + t;
    sums[t] = c < cols ? row[c] : 0.0f;
    __syncthreads();
    for (int offset = 1; offset < kThreads && initial; offset *= 2) {
      const float before = t >= offset ? sums[t - offset] : 0.0f;
      __syncthreads();
      sums[t] += before;
      __syncthreads();
    }
    if (c < cols) out[c] = initial ? carry + sums[t] : sums[t];
    carry += sums[kThreads - 1];
    __syncthreads();
  }
}

torch::Tensor cumsum_forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  scan_rows<<<static_cast<int>(x.size(0)), kThreads, kThreads * sizeof(float)>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), static_cast<int>(x.size(1)));
  return y;
}
"""

ext = load_inline(name="scan_rows_ext", cpp_sources="torch::Tensor cumsum_forward(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["cumsum_forward"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return ext.cumsum_forward(x)
