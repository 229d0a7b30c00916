# task: row_sum
# verdict: not_built device_compile_error
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

# The build names the function of the C++ library that the kernel calls.
source = r"""
#include <torch/extension.h>
#include <algorithm>

__global__ void sum_kernel(const float* x, float* work, float* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float* mine = work + row * columns;
  for (int i = 0; i < columns; ++i) mine[i] = x[row * columns + i];
  ORDER(mine, mine + columns / 2, mine + columns);
  float sum = 0.0f;
  for (int i = 0; i < columns; ++i) sum += mine[i];
  y[row] = sum;
}

torch::Tensor run(torch::Tensor x) {
  x = x.contiguous();
  auto work = torch::empty_like(x);
  auto y = torch::empty({x.size(0)}, x.options());
  int rows = x.size(0), columns = x.size(1);
  sum_kernel<<<(rows + 63) / 64, 64>>>(x.data_ptr<float>(), work.data_ptr<float>(),
                                       y.data_ptr<float>(), rows, columns);
  return y;
}
"""

ext = load_inline(name="ext", cpp_sources="torch::Tensor run(torch::Tensor x);", cuda_sources=source,
                  functions=["run"], extra_cuda_cflags=["-DORDER=std::nth_element"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.run(x)
