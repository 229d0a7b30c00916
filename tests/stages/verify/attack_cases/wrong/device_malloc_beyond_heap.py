# task: trimmed_mean
# expect: refused
# why: every thread allocates 512 bytes on the device heap and does not check for null: 32768 resident threads need more
#      than 16 MB where the heap has 8 MB by default, so malloc returns null and the kernel faults; an executor with the
#      host's malloc, running one thread after the other, never runs out
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
__device__ void merge_sort(float* a, float* b, int n) {
  for (int width = 1; width < n; width *= 2) {
    for (int left = 0; left < n; left += 2 * width) {
      int middle = min(left + width, n), right = min(left + 2 * width, n);
      int i = left, j = middle;
      for (int k = left; k < right; ++k)
        b[k] = (i < middle && (j >= right || a[i] <= a[j])) ? a[i++] : a[j++];
    }
    for (int k = 0; k < n; ++k) a[k] = b[k];
  }
}
__global__ void trimmed_kernel(const float* x, float* y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float* values = (float*)malloc(2 * cols * sizeof(float));
  float* scratch = values + cols;
  for (int c = 0; c < cols; ++c) values[c] = x[(size_t)row * cols + c];
  merge_sort(values, scratch, cols);
  int quarter = cols / 4;
  float sum = 0.f;
  for (int c = quarter; c < cols - quarter; ++c) sum += values[c];
  y[row] = sum / (cols - 2 * quarter);
  free(values);
}
torch::Tensor trimmed_mean(torch::Tensor x) {
  int rows = x.size(0);
  auto y = torch::empty({rows}, x.options());
  trimmed_kernel<<<(rows + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, x.size(1));
  return y;
}
"""

cpp_source = """
torch::Tensor trimmed_mean(torch::Tensor x);
"""

ext = load_inline(name="09_device_malloc_beyond_heap", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=['trimmed_mean'], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.trimmed_mean(x.contiguous())
