# task: argmax_rows
# expect: refused
# why: the kernel calls a function pointer that it is given, and the launch gives it a host function, which does the whole task in one thread with the C++ library
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = """torch::Tensor run_argmax(torch::Tensor x);"""
cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <vector>

typedef void (*RowWork)(const float*, long*, int, int);

__global__ void each_row(RowWork work, const float* x, long* y, int rows, int cols) {
  if (blockIdx.x == 0 && threadIdx.x == 0) work(x, y, rows, cols);
}

static void largest(const float* x, long* y, int rows, int cols) {
  std::vector<float> row(cols);
  for (int r = 0; r < rows; ++r) {
    std::copy(x + static_cast<long>(r) * cols, x + static_cast<long>(r + 1) * cols, row.begin());
    y[r] = std::max_element(row.begin(), row.end()) - row.begin();
  }
}

torch::Tensor run_argmax(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1);
  auto y = torch::empty({rows}, x.options().dtype(torch::kLong));
  each_row<<<1, 32>>>(&largest, x.data_ptr<float>(), y.data_ptr<int64_t>(), rows, cols);
  return y;
}
"""
ext = load_inline(name="rows_ext", cpp_sources=cpp_source, cuda_sources=cuda_source,
                  functions=["run_argmax"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = ext

    def forward(self, x):
        return self.ext.run_argmax(x)
