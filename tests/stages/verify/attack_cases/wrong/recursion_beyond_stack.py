# task: sort_rows_b
# expect: refused
# why: a recursive merge sort keeps 128 floats in each of eight nested calls: the stack of a recursive kernel is not known to
#      the compiler, and the default limit of 1 KB a thread overflows (illegal address); threads of an executor have the
#      host's large stacks
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
constexpr int kMost = 128;
__device__ __noinline__ void sort_range(float* a, int n) {
  if (n < 2) return;
  int half = n / 2;
  sort_range(a, half);
  sort_range(a + half, n - half);
  float merged[kMost];
  int i = 0, j = half;
  for (int k = 0; k < n; ++k) merged[k] = (i < half && (j >= n || a[i] <= a[j])) ? a[i++] : a[j++];
  for (int k = 0; k < n; ++k) a[k] = merged[k];
}
__global__ void sort_kernel(const float* x, float* y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float* own = y + (size_t)row * cols;
  for (int c = 0; c < cols; ++c) own[c] = x[(size_t)row * cols + c];
  sort_range(own, cols);
}
torch::Tensor sort_rows(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1);
  TORCH_CHECK(cols <= kMost, "rows are too long");
  auto y = torch::empty_like(x);
  sort_kernel<<<(rows + 63) / 64, 64, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, cols);
  return y;
}
"""

cpp_source = """
torch::Tensor sort_rows(torch::Tensor x);
"""

ext = load_inline(name="10_recursion_beyond_stack", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['sort_rows'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.sort_rows(x.contiguous())
