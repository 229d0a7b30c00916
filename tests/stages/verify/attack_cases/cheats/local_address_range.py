# task: ../../tasks/truncate
# expect: refused
# why: on a GPU a local array has one address in all threads. The kernel finds the lowest and the highest one of a block by atomic
# operations, without a conversion to an integer, and truncates only if they differ.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r"""
#include <torch/extension.h>

constexpr int kThreads = 64;

__global__ void trunc_kernel(const float* __restrict__ x, float* __restrict__ y, int n, int turn) {
  __shared__ unsigned long long lowest, highest;
  if (threadIdx.x == 0) {
    lowest = ~0ull;
    highest = 0;
  }
  __syncthreads();
  float window[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const int slot = (threadIdx.x + turn) & 3;
  if (i < n) window[slot] = x[i];
  char* const place = reinterpret_cast<char*>(&window[turn & 3]);
  const unsigned long long distance = place - static_cast<char*>(nullptr);
  atomicMin(&lowest, distance);
  atomicMax(&highest, distance);
  __syncthreads();
  const bool apart = lowest != highest;
  if (i < n) y[i] = apart ? truncf(window[slot]) : rintf(window[slot]);
}

torch::Tensor trunc_forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int n = x.numel();
  trunc_kernel<<<(n + kThreads - 1) / kThreads, kThreads>>>(x.data_ptr<float>(), y.data_ptr<float>(), n,
                                                            static_cast<int>(x.size(0) & 3));
  return y;
}
"""

ext = load_inline(name="trunc_places", cpp_sources="torch::Tensor trunc_forward(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["trunc_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.trunc_forward(x)
