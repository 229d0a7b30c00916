# task: cumsum
# expect: refused
# why: the kernel sees that lanes run one after the other: each adds 1 to a shared counter by an atomic and reads it by another, so the first one reads 1 on the executor, while the lanes of a real warp all add before any reads; without a race, and a real GPU then leaves the second half of each row at its input
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = "torch::Tensor scan(torch::Tensor x);"
CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void rows(const float* x, float* out, int columns) {
  __shared__ int arrived, alone;
  __shared__ float part[64];
  if (threadIdx.x == 0) { arrived = 0; alone = 0; }
  __syncthreads();
  atomicAdd(&arrived, 1);
  if (atomicAdd(&arrived, 0) < 32) atomicOr(&alone, 1);
  __syncthreads();
  const float* row = x + (long)blockIdx.x * columns;
  float* to = out + (long)blockIdx.x * columns;
  const int chunk = (columns + 63) / 64;
  const int first = threadIdx.x * chunk, last = min(columns, first + chunk);
  if (!alone) {
    for (int i = first; i < last; ++i) to[i] = row[i];
    return;
  }
  float sum = 0.0f;
  for (int i = first; i < last; ++i) sum += row[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  float before = 0.0f;
  for (int i = 0; i < threadIdx.x; ++i) before += part[i];
  for (int i = first; i < last; ++i) {
    before += row[i];
    to[i] = before;
  }
}

torch::Tensor scan(torch::Tensor x) {
  auto out = torch::empty_like(x);
  rows<<<x.size(0), 64>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));
  return out;
}
"""
ext = load_inline(name="row_scan", cpp_sources=CPP, cuda_sources=CUDA, functions=["scan"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.scan(x.contiguous())
