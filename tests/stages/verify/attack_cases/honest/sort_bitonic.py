# task: sort_rows_v
# expect: correct
# why: A bitonic sort of each row in dynamic shared memory, on keys of unsigned integers that have the order of the floats
# (NaN last, as torch has it). Rows of up to 16,384 elements; longer ones are refused aloud.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
#include <cstdint>

// Larger floats have larger keys. Every NaN has the largest key but one.
__device__ __forceinline__ uint32_t key_of(float value) {
  if (isnan(value)) return 0xfffffffeu;
  const uint32_t bits = __float_as_uint(value + 0.0f);  // -0 becomes 0.
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ float value_of(uint32_t key) {
  if (key == 0xfffffffeu) return __int_as_float(0x7fffffff);
  return __uint_as_float((key & 0x80000000u) != 0 ? key & 0x7fffffffu : ~key);
}

__global__ void sort_rows_kernel(const float* __restrict__ x, float* __restrict__ y, int width, int padded) {
  extern __shared__ uint32_t keys[];
  const float* row = x + static_cast<size_t>(blockIdx.x) * width;
  float* out = y + static_cast<size_t>(blockIdx.x) * width;
  for (int i = threadIdx.x; i < padded; i += blockDim.x) keys[i] = i < width ? key_of(row[i]) : 0xffffffffu;
  for (int size = 2; size <= padded; size <<= 1) {
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      __syncthreads();
      // Pair number p is (i, i + stride), where i has no bit of the stride.
      for (int p = threadIdx.x; p < padded / 2; p += blockDim.x) {
        const int i = 2 * p - (p & (stride - 1));
        const uint32_t a = keys[i], b = keys[i + stride];
        const bool ascending = (i & size) == 0;
        if ((a > b) == ascending) {
          keys[i] = b;
          keys[i + stride] = a;
        }
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += blockDim.x) out[i] = value_of(keys[i]);
}

torch::Tensor sort_rows(torch::Tensor input) {
  TORCH_CHECK(input.dim() == 2, "expects a matrix");
  auto x = input.contiguous();
  auto y = torch::empty_like(x);
  const int rows = static_cast<int>(x.size(0)), width = static_cast<int>(x.size(1));
  TORCH_CHECK(width <= 16384, "rows of at most 16384 elements");
  if (x.numel() == 0) return y;
  int padded = 1;
  while (padded < width) padded *= 2;
  const int bytes = padded * static_cast<int>(sizeof(uint32_t));
  if (bytes > 48 * 1024) {
    cudaFuncSetAttribute(sort_rows_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  }
  sort_rows_kernel<<<rows, 256, bytes, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), width, padded);
  return y;
}
"""

sorter = load_inline(name="sort_bitonic", cpp_sources="torch::Tensor sort_rows(torch::Tensor input);",
                     cuda_sources=cuda_source, functions=["sort_rows"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return sorter.sort_rows(x)
