# task: row_sort
# expect: refused
# why: the launched function has no __global__: it is the host's, with std::vector and std::sort, and only the executor runs it as a kernel; the device compiler is given marked kernels only
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor run_sort(torch::Tensor x);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <vector>

__global__ void copy_kernel(const float* __restrict__ in, float* __restrict__ out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

void sort_rows(const float* in, float* out, int rows, int cols) {
  for (int r = 0; r < rows; ++r) {
    std::vector<float> row(in + static_cast<long>(r) * cols, in + static_cast<long>(r + 1) * cols);
    std::sort(row.begin(), row.end());
    std::copy(row.begin(), row.end(), out + static_cast<long>(r) * cols);
  }
}

torch::Tensor run_sort(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1), count = rows * cols;
  auto sorted = torch::empty_like(x);
  auto out = torch::empty_like(x);
  sort_rows<<<1, 1>>>(x.data_ptr<float>(), sorted.data_ptr<float>(), rows, cols);
  copy_kernel<<<(count + 255) / 256, 256>>>(sorted.data_ptr<float>(), out.data_ptr<float>(), count);
  return out;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["run_sort"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        return self.ext.run_sort(x)
