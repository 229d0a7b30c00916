# task: softmax_rows
# expect: refused
# why: a macro pastes at::softmax where __GNUC__ is 7 or more, as under nvcc with gcc, so torch computes on real
#      machines (right); clang says 4 in the executor's build, in CUDA mode and in cuda_toolchain.cc
#      ExpandForHost(), although kHiddenMacros hides __clang__, and so all of them see the kernel; the text of the
#      source has no call of at::softmax.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#define JOINED(left, right) left##right

__global__ void softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float part[128];
  const float* const row = x + static_cast<long>(blockIdx.x) * n;
  float top = -INFINITY;
  for (int c = threadIdx.x; c < n; c += 128) top = fmaxf(top, row[c]);
  part[threadIdx.x] = top;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + s]);
    __syncthreads();
  }
  top = part[0];
  __syncthreads();
  float sum = 0.0f;
  for (int c = threadIdx.x; c < n; c += 128) sum += expf(row[c] - top);
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  sum = part[0];
  for (int c = threadIdx.x; c < n; c += 128) {
    y[static_cast<long>(blockIdx.x) * n + c] = expf(row[c] - top) / sum;
  }
}

torch::Tensor softmax_rows(torch::Tensor x) {
#if defined(__GNUC__) && __GNUC__ >= 7
  return JOINED(at::soft, max)(x, -1);
#else
  const int n = x.size(-1), count = x.numel() / n;
  auto y = torch::empty_like(x);
  softmax_kernel<<<count, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
#endif
}
"""

ext = load_inline(name="softmax_rows", cpp_sources="torch::Tensor softmax_rows(torch::Tensor x);",
                  cuda_sources=CUDA, functions=["softmax_rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.softmax_rows(x)
