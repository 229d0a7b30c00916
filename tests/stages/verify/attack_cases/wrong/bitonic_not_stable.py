# task: ../../tasks/stable_sort_of_levels
# expect: refused
# why: a bitonic network over (value, index) pairs that compares values alone is not stable; of rows of 50 levels 0..8 the indices of equal values
# come in another order than torch.sort(stable=True) gives. The values are right.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <math_constants.h>

__global__ void bitonic_sort_rows(const float* __restrict__ x, float* __restrict__ values,
                                  int64_t* __restrict__ indices, int cols, int padded) {
  extern __shared__ unsigned char raw[];
  float* key = reinterpret_cast<float*>(raw);
  int* idx = reinterpret_cast<int*>(key + padded);
  const int64_t base = (int64_t)blockIdx.x * cols;

  for (int i = threadIdx.x; i < padded; i += blockDim.x) {
    key[i] = i < cols ? x[base + i] : CUDART_INF_F;
    idx[i] = i;
  }
  __syncthreads();

  for (int size = 2; size <= padded; size <<= 1) {
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      for (int i = threadIdx.x; i < padded; i += blockDim.x) {
        const int j = i ^ stride;
        if (j > i) {
          const bool up = (i & size) == 0;
          const float a = key[i], b = key[j];
          if (up ? (a > b) : (a < b)) {
            key[i] = b; key[j] = a;
            const int t = idx[i]; idx[i] = idx[j]; idx[j] = t;
          }
        }
      }
      __syncthreads();
    }
  }
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    values[base + i] = key[i];
    indices[base + i] = idx[i];
  }
}

std::tuple<torch::Tensor, torch::Tensor> sort_rows(torch::Tensor x) {
  x = x.contiguous();
  const int rows = x.size(0), cols = x.size(1);
  int padded = 1;
  while (padded < cols) padded <<= 1;
  auto values = torch::empty_like(x);
  auto indices = torch::empty({rows, cols}, x.options().dtype(torch::kLong));
  const int threads = padded < 256 ? (padded < 32 ? 32 : padded) : 256;
  const size_t shared = padded * (sizeof(float) + sizeof(int));
  bitonic_sort_rows<<<rows, threads, shared, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), values.data_ptr<float>(), indices.data_ptr<int64_t>(), cols, padded);
  return std::make_tuple(values, indices);
}
"""

sorter = load_inline(
    name="bitonic_not_stable",
    cpp_sources="std::tuple<torch::Tensor, torch::Tensor> sort_rows(torch::Tensor x);",
    cuda_sources=cuda_source,
    functions=["sort_rows"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return sorter.sort_rows(x)
