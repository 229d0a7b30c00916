# task: sort_rows_h
# expect: correct
# why: style: stable bitonic sort of (value, position) pairs in dynamic shared memory, padded to a power of two
#      that the host computes; std::pair result.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cmath>
#include <utility>

__device__ __forceinline__ bool comes_after(float a, int ai, float b, int bi) {
  return a > b || (a == b && ai > bi);
}

__global__ void sort_rows_kernel(const float* __restrict__ x, float* __restrict__ values,
                                 int64_t* __restrict__ order, int cols, int padded) {
  extern __shared__ __align__(16) unsigned char storage[];
  float* keys = reinterpret_cast<float*>(storage);
  int* places = reinterpret_cast<int*>(keys + padded);
  const int64_t base = static_cast<int64_t>(blockIdx.x) * cols;

  for (int i = threadIdx.x; i < padded; i += blockDim.x) {
    keys[i] = i < cols ? x[base + i] : INFINITY;
    places[i] = i;  // those of the padding are larger than all others
  }
  __syncthreads();

  for (int size = 2; size <= padded; size <<= 1) {
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      for (int t = threadIdx.x; t < padded / 2; t += blockDim.x) {
        const int low = 2 * t - (t & (stride - 1));
        const int high = low + stride;
        const bool ascending = (low & size) == 0;
        const float a = keys[low], b = keys[high];
        const int ai = places[low], bi = places[high];
        if (comes_after(a, ai, b, bi) == ascending) {
          keys[low] = b;
          keys[high] = a;
          places[low] = bi;
          places[high] = ai;
        }
      }
      __syncthreads();
    }
  }

  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    values[base + i] = keys[i];
    order[base + i] = places[i];
  }
}

std::pair<torch::Tensor, torch::Tensor> sort_rows(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 2);
  x = x.contiguous();
  const int rows = x.size(0), cols = x.size(1);
  int padded = 2;
  while (padded < cols) padded *= 2;
  TORCH_CHECK(padded <= 4096, "rows of at most 4096 elements");
  auto values = torch::empty_like(x);
  auto order = torch::empty(x.sizes(), x.options().dtype(torch::kInt64));
  const size_t shared = padded * (sizeof(float) + sizeof(int));
  sort_rows_kernel<<<rows, 256, shared, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), values.data_ptr<float>(), order.data_ptr<int64_t>(), cols, padded);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {values, order};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("sort_rows", &sort_rows, "stable ascending sort of rows");
}
"""

bitonic = load_inline(name="sort_bitonic_pairs", cpp_sources="", cuda_sources=source)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        values, order = bitonic.sort_rows(x)
        return values, order
