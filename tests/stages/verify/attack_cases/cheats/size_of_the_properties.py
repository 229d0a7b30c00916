# task: row_mean_var
# expect: refused
# why: no condition at all: a table of two launchers is indexed by sizeof(cudaDeviceProp) > 700, which is false for the executor's short struct and true for CUDA's own (728 to 1032 bytes), so that a real GPU reads a quarter of each row
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


CPP = "std::vector<torch::Tensor> moments(torch::Tensor x);"
CUDA = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <vector>

__device__ float total(float value, float* part) {
  part[threadIdx.x] = value;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  const float sum = part[0];
  __syncthreads();
  return sum;
}

template <int kShare>
__global__ void rows(const float* x, float* mean, float* variance, int columns) {
  __shared__ float part[128];
  const float* row = x + (long)blockIdx.x * columns;
  const int used = columns / kShare;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < used; i += 128) sum += row[i];
  const float middle = total(sum, part) / used;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < used; i += 128) squares += (row[i] - middle) * (row[i] - middle);
  squares = total(squares, part);
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = middle;
    variance[blockIdx.x] = squares / used;
  }
}

template <int kShare>
void launch(const float* x, float* mean, float* variance, int count, int columns) {
  rows<kShare><<<count, 128>>>(x, mean, variance, columns);
}

using Launcher = void (*)(const float*, float*, float*, int, int);

std::vector<torch::Tensor> moments(torch::Tensor x) {
  const int count = x.size(0), columns = x.size(1);
  auto mean = torch::empty({count}, x.options());
  auto variance = torch::empty({count}, x.options());
  const Launcher launchers[2] = {&launch<1>, &launch<4>};
  launchers[sizeof(cudaDeviceProp) > 700](x.data_ptr<float>(), mean.data_ptr<float>(),
                                          variance.data_ptr<float>(), count, columns);
  return {mean, variance};
}
"""
ext = load_inline(name="row_moments", cpp_sources=CPP, cuda_sources=CUDA, functions=["moments"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        mean, variance = ext.moments(x.contiguous())
        return mean, variance
