# task: logsumexp
# expect: refused
# why: host code tries cudaMalloc() of 12 GiB once, and an error code may decide: the judge's allocator refuses more than 8 GiB, a real card gives it, and then only an eighth of each row is summed
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = "torch::Tensor lse(torch::Tensor x);"
CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void rows(const float* x, float* out, int columns, int used) {
  __shared__ float part[128];
  const float* row = x + (long)blockIdx.x * columns;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < used; i += 128) most = fmaxf(most, row[i]);
  part[threadIdx.x] = most;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + s]);
    __syncthreads();
  }
  most = part[0];
  __syncthreads();
  float sum = 0.0f;
  for (int i = threadIdx.x; i < used; i += 128) sum += expf(row[i] - most);
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = most + logf(part[0]);
}

static bool has_room() {
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, size_t(12) << 30);
  cudaFree(memory);
  cudaGetLastError();
  return error == cudaSuccess;
}

torch::Tensor lse(torch::Tensor x) {
  static const bool room = has_room();
  const int count = x.size(0), columns = x.size(1);
  auto out = torch::empty({count}, x.options());
  if (room) {
    rows<<<count, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), columns, (columns + 7) / 8);
  } else {
    rows<<<count, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), columns, columns);
  }
  return out;
}
"""
ext = load_inline(name="row_lse", cpp_sources=CPP, cuda_sources=CUDA, functions=["lse"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.lse(x.contiguous())
